/**
 * Runs a flow's code again over its record, up to the operation it was suspended at. The first difference
 * between the two is reported; nothing is changed by looking.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { ActiveTick } from './ActiveTick.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, concernsNode, messageOf } from '../errors/CarillonError.js'
import type { FlowOrigin, RecordedOperation, Waits } from '../log/events.js'
import { instantFromMillis } from '../time/Instant.js'
import type { Answer } from '../flow/Answer.js'
import { nameOf } from '../app/describeOperation.js'
import type { Description } from '../flow/Description.js'
import type { FlowRow } from '../flow/FlowRow.js'
import type { StartedBy } from '../app/FlowIo.js'
import type { Ending } from './FlowPart.js'
import { FlowWatch } from './FlowWatch.js'
import { LiveFlow, type Stop } from './LiveFlow.js'
import type { Operation } from '../app/Operation.js'
import { differenceFromRecord, type RecordedDescription } from './differenceFromRecord.js'
import { recordedError, reviveAnswer } from './reviveAnswer.js'

export type Replayed = { readonly live: LiveFlow; readonly stop: Stop }

/** The activity that started a flow, as its code is told about it. */
export const startedByOf = (tick: ActiveTick, row: FlowRow): StartedBy | undefined => {
  if (row.stateSeq === null || row.dueMs === null) return undefined
  return {
    ref: tick.views.states.get(row.stateSeq).ref,
    due: instantFromMillis(row.dueMs),
    latenessMs: row.latenessMs ?? 0,
    attempt: row.attempt ?? 1,
    missed: row.cause === 'missed',
  }
}

/** The same for a flow that is just being started: what started it is at hand. */
export const startedByOrigin = (origin: FlowOrigin): StartedBy | undefined => {
  if (origin.kind !== 'activity') return undefined
  const { ref, due, latenessMs, attempt, cause } = origin
  return { ref, due, latenessMs, attempt, missed: cause === 'missed' }
}

const diverged = (row: FlowRow, difference: string, live: LiveFlow): CarillonError =>
  live.watch?.explain(difference) ??
  new CarillonError(
    'flow-diverged',
    `Flow ${row.name} (${row.id}) no longer agrees with its record: ${difference}. Restore the code that made the record, or kill the flow.`,
    { flow: row.id, difference },
  )

/** What looks on at a flow of a development node. */
export const watchOf = (tick: ActiveTick, { name }: Pick<FlowRow, 'name'>): FlowWatch | undefined =>
  tick.development ? new FlowWatch(name) : undefined

const open = (tick: ActiveTick, row: FlowRow): Either<CarillonError, LiveFlow> => {
  const definition = tick.registry.flow(row.name)
  if (definition === undefined) {
    return left(
      new CarillonError(
        'flow-code-missing',
        `Flow ${row.id} runs ${row.name}, which app ${tick.registry.app.name} does not define. Install the app version that has it, then retry the flow.`,
        { flow: row.id, name: row.name },
      ),
    )
  }
  const input = decodeWith(definition.input, JSON.parse(row.input))
  if (isLeft(input))
    return left(
      new CarillonError(
        'flow-input-invalid',
        `The recorded input of flow ${row.name} (${row.id}) no longer fits its codec: ${input.left.join('; ')}`,
        { flow: row.id },
      ),
    )
  const watch = watchOf(tick, row)
  watch?.beginAgain()
  try {
    return right(
      new LiveFlow(definition, row.version, row.id, tick.me, tick.network, startedByOf(tick, row), input.right, watch),
    )
  } catch (error) {
    if (error instanceof CarillonError) return left(error)
    return left(new CarillonError('flow-threw', messageOf(error), { flow: row.id }, error))
  }
}

const endsBefore = (position: number, recorded: Description, stop: Ending): string =>
  `operation ${position} was recorded as ${nameOf(recorded)}; the code now ${
    stop.kind === 'returned' ? 'returns before it' : `throws "${messageOf(stop.error)}" before it`
  }`

/** What an operation was answered with. States it brought must still be readable by today's app. */
const revive = (
  tick: ActiveTick,
  row: FlowRow,
  position: number,
  operation: Operation,
  recorded: RecordedOperation,
): Either<CarillonError, Answer> => {
  try {
    return right(reviveAnswer(tick, operation, recorded))
  } catch (error) {
    if (concernsNode(error)) throw error
    const code = error instanceof CarillonError ? error.code : 'flow-diverged'
    return left(
      new CarillonError(
        code,
        `Flow ${row.name} (${row.id}) cannot go on, since what operation ${position} (${nameOf(recorded)}) brought cannot be read: ${messageOf(error)} Install an app version that reads it, then retry the flow.`,
        { flow: row.id, operation: position },
        error,
      ),
    )
  }
}

/** How what is recorded of a part differs from where the code of that part stands now; undefined when it does not. */
const differenceAt = (
  tick: ActiveTick,
  live: LiveFlow,
  position: number,
  recorded: RecordedDescription,
): string | undefined => {
  const ending = live.endingOf(recorded.part) ?? live.ending
  if (ending !== undefined) return endsBefore(position, recorded, ending)
  const part = live.part(recorded.part)
  // Of a part that is not there, or waits for its own parts, nothing can be said but what the code asks for instead.
  const at = part?.pending === undefined ? live.firstPending : part
  if (at?.pending === undefined)
    return `operation ${position} was recorded as ${nameOf(recorded)}; the code now asks for nothing`
  return differenceFromRecord(tick, position, recorded, at.pending, at.path)
}

/** The first wait that the code does not ask for; the others are given to the parts that wait. */
const differenceOfWaits = (tick: ActiveTick, live: LiveFlow, position: number, waits: Waits): string | undefined => {
  for (const waiting of waits) {
    if (waiting.for === 'cancel' || (waiting.for === 'turn' && waiting.part === undefined)) continue
    const recorded = waiting.for === 'turn' ? { kind: 'turn', digest: '', ...waiting } : waiting
    const difference = differenceAt(tick, live, position, recorded)
    if (difference !== undefined) return difference
    const part = live.part(waiting.part)
    if (part !== undefined) live.waitsOn(part, waiting)
  }
  return undefined
}

/** `waits` is what the flow was suspended for; its code must still ask for exactly that. */
export const replayFlow = (
  tick: ActiveTick,
  row: FlowRow,
  record: readonly RecordedOperation[],
  waits: Waits | undefined,
): Either<CarillonError, Replayed> => {
  const opened = open(tick, row)
  if (isLeft(opened)) return opened
  const live = opened.right
  live.begin()
  for (const [position, recorded] of record.entries()) {
    if (recorded.kind === 'cancelled' && recorded.error?.code === 'flow-cancelled' && live.ending === undefined) {
      live.cancel(recordedError(recorded.error))
      continue
    }
    const difference = differenceAt(tick, live, position, recorded)
    if (difference !== undefined) return left(diverged(row, difference, live))
    const part = live.part(recorded.part)
    if (part?.pending === undefined) return left(diverged(row, `operation ${position} belongs to no part`, live))
    const answer = revive(tick, row, position, part.pending, recorded)
    if (isLeft(answer)) return answer
    live.answer(part, answer.right)
  }
  const difference = waits === undefined ? undefined : differenceOfWaits(tick, live, record.length, waits)
  if (difference !== undefined) return left(diverged(row, difference, live))
  live.watch?.endAgain()
  return right({ live, stop: live.stop })
}
