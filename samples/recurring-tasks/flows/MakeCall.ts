/**
 * Makes the call a task has triggered and accounts for how it ended. Which flows may be called is the registry's word;
 * what they take is theirs.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, StateRefC, type AnyFlowDefinition, type FlowBody, type FlowIo } from 'carillon'
import { callAny } from '../../shared/callAny.js'
import { record } from '../../shared/record.js'
import { inBooks, type Books } from '../Books.js'
import { commands } from '../contract.js'
import { signed, type Caller } from '../model/Origin.js'
import { done, type Done } from '../model/Refusal.js'
import type { Call as CallData } from '../model/Registry.js'
import { Call, makeCallName, Registry, theRegistry } from '../states.js'
import { settleCall, tellEnd, type Ended } from '../sweeping/execution.js'

/** "CallCannotBeDecoded" and "CallFiltered", or how the called flow ended. */
const call = function* (
  io: FlowIo,
  { flow, input, owner, task, at }: CallData,
  definition: AnyFlowDefinition | undefined,
): FlowBody<Ended> {
  const caller: Caller = { owner, origin: signed(owner), task, at }
  const registry = yield* io.find(Registry, theRegistry)
  const isAllowed = registry?.data.callable.includes(flow) === true
  const canRead = definition !== undefined && !isLeft(definition.input.decode({ caller, input }))
  // A flow that clients may start could be told any owner by them.
  if (canRead && (!isAllowed || definition.clients)) return { kind: 'failed', error: 'CallFiltered' }
  const ended = yield* callAny(io, definition, { caller, input })
  return isLeft(ended) ? { kind: 'failed', error: ended.left.code } : { kind: 'executed' }
}

const settle = function* (books: Books, made: CallData, ended: Ended): FlowBody<Either<never, Done>> {
  yield* books.calls.take(`${made.task} ${made.at}`)
  const task = yield* books.tasks.get(made.task)
  tellEnd(books, { id: made.task, owner: made.owner }, made.at, ended)
  // A task that was cancelled meanwhile has nothing left to account for, whoever has its id now.
  if (task?.incarnation === made.incarnation) yield* settleCall(books, task, ended)
  return right(done)
}

/** The flow that calls any of the flows given. */
export const makeCallFlow = (flows: readonly AnyFlowDefinition[]) => {
  const byName = new Map(flows.map((flow) => [flow.name, flow]))
  return defineFlow({
    name: makeCallName,
    schedulable: true,
    input: record('MakeCall', { call: StateRefC }),
    *run(io, { call: ref }): FlowBody<void> {
      const { data: made } = yield* io.load(Call, ref)
      const ended = yield* call(io, made, byName.get(made.flow))
      yield* inBooks(io, commands.settle, (books) => settle(books, made, ended))
    },
  })
}
