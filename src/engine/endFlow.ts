/**
 * How a flow ends, or is kept in spite of an error: one fact that says so, and every party it talks with is told.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { ActiveTick } from './ActiveTick.js'
import { CarillonError, concernsNode, messageOf, recordError, recordRefusal } from '../errors/CarillonError.js'
import { atPlace, definedAt } from '../errors/codePlace.js'
import { attentionAfterEnd } from '../flow/attentionAfterEnd.js'
import { Cancellation } from '../flow/Cancellation.js'
import { cancelOf } from '../flow/cancelFlow.js'
import { consumedRefOf, failureFor } from '../flow/flowFailure.js'
import type { FlowRow } from '../flow/FlowRow.js'
import { recordReturned } from '../flow/Refusal.js'
import { waitsOf } from '../flow/waiting.js'
import { showRef } from '../ledger/StateRef.js'
import type { Waiting } from '../log/events.js'
import { endSessions } from '../session/sessionMessages.js'
import type { LiveFlow } from './LiveFlow.js'
import { recordedOf } from './recordedOperation.js'
import { replayFlow } from './replayFlow.js'

/** Every party the flow still talks to is told that it has ended, and how. */
export const tellParties = (tick: ActiveTick, row: FlowRow, ending: Parameters<typeof endSessions>[2]): void => {
  for (const event of endSessions(tick, row, ending)) tick.emit(event)
}

/** Whether a flow failed because the state of its activity is consumed. */
export const isSuperseded = (tick: ActiveTick, row: FlowRow, error: unknown): boolean => {
  if (row.stateSeq === null) return false
  return consumedRefOf(error) === showRef(tick.views.states.get(row.stateSeq).ref)
}

/** Holds a flow for an operator, with the error that it stopped at. */
export const parkWith = (tick: ActiveTick, row: FlowRow, error: CarillonError): void => {
  tick.emit({ type: 'FlowParked', flow: row.id, error: recordError(error, 'flow-threw') })
}

/** Ends a flow that has returned; as failed where what it returned cannot be recorded. */
export const completeFlow = (tick: ActiveTick, row: FlowRow, result: unknown, longestBytes: number): void => {
  try {
    const { refusals } = tick.registry.flow(row.name) ?? {}
    const returned = recordReturned(result, refusals, longestBytes)
    const attentionAt = attentionAfterEnd(tick, row, tick.registry.flow(row.name))
    tick.emit({
      type: 'FlowEnded',
      flow: row.id,
      outcome: 'completed',
      ...returned,
      ...(attentionAt === undefined ? {} : { attentionAt }),
    })
    tellParties(tick, row, { kind: 'end' })
  } catch (error) {
    if (concernsNode(error)) throw error
    const unfit = new CarillonError(
      'flow-result-invalid',
      `What flow ${row.name} (${row.id}) returned cannot be recorded${atPlace(definedAt(tick.registry.flow(row.name) ?? row))}: ${messageOf(error)} Return plain data, or a refusal that fits the codec refusals.`,
      { flow: row.id },
      error,
    )
    tick.emit({
      type: 'FlowEnded',
      flow: row.id,
      outcome: 'failed',
      error: recordError(unfit, 'flow-result-invalid'),
    })
    tellParties(tick, row, failureFor(unfit))
  }
}

/** Ends a flow by an error that nothing has kept it in spite of. */
export const failFlow = (tick: ActiveTick, row: FlowRow, error: unknown): void => {
  if (error instanceof CarillonError && error.consequence === 'park') {
    parkWith(tick, row, error)
    return
  }
  const cancel = error instanceof Cancellation ? cancelOf(row) : undefined
  if (cancel !== undefined) {
    const told = recordRefusal(error, 'flow-cancelled')
    tick.emit({ type: 'FlowEnded', flow: row.id, outcome: 'killed', by: cancel.by, error: told })
    tellParties(tick, row, failureFor(error))
    return
  }
  if (isSuperseded(tick, row, error)) {
    // Whoever says so may be mistaken, or lie: a state that is still there some time later needs attention.
    const attentionAfterMs = tick.registry.flow(row.name)?.attentionAfterMs ?? 0
    const attentionAt = attentionAfterEnd(tick, row, { attentionAfterMs, leavesState: false })
    tick.emit({
      // That another was faster is nothing to look for in the code.
      ...{ type: 'FlowEnded', flow: row.id, outcome: 'superseded', error: recordRefusal(error, 'flow-threw') },
      ...(attentionAt === undefined ? {} : { attentionAt }),
    })
  } else {
    tick.emit({ type: 'FlowEnded', flow: row.id, outcome: 'failed', error: recordError(error, 'flow-threw') })
  }
  tellParties(tick, row, failureFor(error))
}

/**
 * Records what a flow did before an error that it is kept in spite of. Its parts are then where they were before it: what
 * they had waited for, and were not answered, they wait for again; and for as long as they were to when they asked first.
 */
export const recordFailed = (tick: ActiveTick, row: FlowRow, live: LiveFlow, held: Waiting): void => {
  const operations = live.unrecorded.map(recordedOf)
  const answered = new Set(operations.map(({ part }) => part))
  const again = live.hadParts
    ? replayFlow(tick, row, [...tick.views.flows.record(row), ...operations], undefined)
    : undefined
  const waits =
    again === undefined || isLeft(again)
      ? []
      : [
          ...(waitsOf(row) ?? []).filter(
            ({ part }) => part !== undefined && !answered.has(part) && again.right.live.part(part) !== undefined,
          ),
          ...live.waitsLostAt(again.right.live),
        ]
  const progress = live.progress === undefined ? {} : { progress: live.progress }
  tick.emit({ type: 'FlowAdvanced', flow: row.id, operations, waiting: [held, ...waits], ...progress })
}
