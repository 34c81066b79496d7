/**
 * A step of a flow, as the outside world runs it: with a key that is the same at every try, once the tick that asked for it
 * is durable.
 */
import type { ActiveTick } from './ActiveTick.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { valueAnswer, type Answer } from '../flow/Answer.js'
import type { FlowRow } from '../flow/FlowRow.js'
import type { FlowPart } from './FlowPart.js'
import { recordable } from '../flow/recordable.js'
import type { StepRunner } from '../flow/StepRunner.js'
import { isStepUnderWay } from '../flow/waiting.js'

/** The flow itself counts all that is recorded, a part what it was answered itself: others may be faster or slower. */
const positionOf = (row: FlowRow, { path, answered }: FlowPart): number =>
  path === undefined ? row.recorded : answered

/** What is done to clean up has another key than what was cancelled in its place. */
export const keyOfStep = (row: FlowRow, part: FlowPart): string =>
  part.path === undefined
    ? `${row.id}.${positionOf(row, part)}`
    : `${row.id}.${part.path}.${positionOf(row, part)}${part.isCancelled ? 'c' : ''}`

/** Runs the step that a part waits for, once this tick is durable. */
export const launchStep = (tick: ActiveTick, steps: StepRunner, row: FlowRow, part: FlowPart): void => {
  const { pending, waiting, path } = part
  if (pending?.kind !== 'step' || waiting?.for !== 'step' || !isStepUnderWay(waiting)) return
  const { id, name: flowName, startedMs: flowStartedMs } = row
  const position = positionOf(row, part)
  const context = { idempotencyKey: keyOfStep(row, part), attempt: waiting.attempt, term: tick.views.facts.now.term }
  tick.release(() => {
    const { name, run, timeoutMs } = pending
    steps.start({
      ...{ flow: id, flowName, flowStartedMs, position, name, run, context },
      ...(path === undefined ? {} : { part: path }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
  })
}

/** What a step has given, as its flow is answered with it: a value that can be recorded, or the error that it cannot. */
export const answerOfStep = (step: string, value: unknown, longestBytes: number): Answer => {
  if (value === undefined) return valueAnswer(undefined)
  try {
    const recorded = recordable(value, longestBytes)
    // The flow gets a copy of its own: what it does to it must not reach the record.
    return valueAnswer(recordable(recorded, longestBytes), recorded)
  } catch (error) {
    return {
      kind: 'error',
      error: new CarillonError(
        'flow-result-invalid',
        `The result of step "${step}" cannot be recorded: ${messageOf(error)} Return plain data, or give the step a result codec.`,
        { step },
        error,
      ),
    }
  }
}
