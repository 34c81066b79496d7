/**
 * Makes the call a task has triggered and accounts for how it ended. Which flows may be called is the registry's word;
 * what they take is theirs.
 */
import * as t from 'io-ts'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  defineFlow,
  Refusal,
  StateRefC,
  type AnyFlowDefinition,
  type FlowBody,
  type FlowDefinition,
  type FlowIo,
} from 'carillon'
import { inBooks, type Books } from '../Books.js'
import { commands } from '../contract.js'
import { signed, type Caller } from '../model/Origin.js'
import { done, type Done } from '../model/Refusal.js'
import type { Call as CallData } from '../model/Registry.js'
import { Call, makeCallName, Registry, theRegistry } from '../states.js'
import { settleCall, tellEnd, type Ended } from '../sweeping/execution.js'

type Callable = ReadonlyMap<string, AnyFlowDefinition>

/** Refused as `BadOrigin`, or with whatever else the flow says. */
const reasonOf = (refusal: unknown): string => (typeof refusal === 'string' ? refusal : JSON.stringify(refusal))

/** "CallCannotBeDecoded" and "CallFiltered", or how the called flow ended. */
const call = function* (
  io: FlowIo,
  { flow, input, owner, task, at }: CallData,
  flows: Callable,
): FlowBody<Either<string, void>> {
  const definition = flows.get(flow)
  const caller: Caller = { owner, origin: signed(owner), task, at }
  const decoded = definition?.input.decode({ caller, input })
  if (definition === undefined || decoded === undefined || isLeft(decoded)) return left('CallCannotBeDecoded')
  const registry = yield* io.find(Registry, theRegistry)
  // A flow that clients may start could be told any owner by them.
  if (registry?.data.callable.includes(flow) !== true || definition.clients) return left('CallFiltered')
  const ended = yield* io.attempt(io.subFlow(definition, decoded.right))
  if (isLeft(ended)) return left(ended.left.code)
  return ended.right instanceof Refusal ? left(reasonOf(ended.right.refusal)) : right(undefined)
}

/** A flow throws what it likes; whatever it is, the execution has failed with it. */
const callSafely = function* (io: FlowIo, made: CallData, flows: Callable): FlowBody<Either<string, void>> {
  try {
    return yield* call(io, made, flows)
  } catch (error) {
    return left(error instanceof Error ? error.message : 'flow-threw')
  }
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
export const makeCallFlow = (
  flows: readonly AnyFlowDefinition[],
): FlowDefinition<{ readonly call: t.TypeOf<typeof StateRefC> }, void> => {
  const byName = new Map(flows.map((flow) => [flow.name, flow]))
  return defineFlow({
    name: makeCallName,
    schedulable: true,
    input: t.readonly(t.strict({ call: StateRefC })),
    *run(io, { call: ref }): FlowBody<void> {
      const { data: made } = yield* io.load(Call, ref)
      const result = yield* callSafely(io, made, byName)
      const ended: Ended = isLeft(result) ? { kind: 'failed', error: result.left.slice(0, 300) } : { kind: 'executed' }
      yield* inBooks(io, commands.settle, (books) => settle(books, made, ended))
    },
  })
}
