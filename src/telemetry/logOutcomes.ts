/**
 * Tells a logger what did not go its way: activities that were missed, parked or could not be started, flows that failed
 * or were parked, each with its state ref and flow id. What went well is counted, and told at the level of debug alone.
 */
import { showTrace } from '../errors/ErrorTrace.js'
import { showRef } from '../ledger/StateRef.js'
import { endedAs } from '../log/endedAs.js'
import type { DomainEvent } from '../log/events.js'
import type { Committed } from '../engine/Committed.js'
import type { Logger } from '../engine/Logger.js'
import type { Node } from '../node/Node.js'
import { briefly, outcomeIn, type Outcome } from './Outcome.js'

const interesting = [
  ...(['ActivityMissed', 'ActivityStartFailed', 'ActivityParked', 'FlowParked', 'FlowEnded'] as const),
  ...(['DrainingStarted', 'DrainingEnded'] as const),
] satisfies readonly DomainEvent['type'][]

const sentenceOf = ({ outcome, flow, error }: Outcome): string | undefined => {
  const why = error === undefined ? '.' : `: ${error.message}`
  switch (outcome) {
    case 'missed':
      return 'An activity was missed.'
    case 'start failed':
      return `An activity could not be started${why}`
    case 'parked':
      return `${flow === undefined ? 'An activity' : 'A flow'} is parked${why}`
    case 'failed':
      return `A flow failed${why}`
    case 'draining':
      return 'Draining has started.'
    case 'drained':
      return 'Draining has ended.'
    default:
      return undefined
  }
}

const tell = (logger: Logger, told: Outcome): void => {
  const message = sentenceOf(told)
  if (message === undefined) return
  const { outcome, ref, error, ...fields } = told
  const stack = error === undefined ? undefined : showTrace(error)
  logger[outcome === 'draining' || outcome === 'drained' ? 'info' : 'warn'](message, {
    ...fields,
    ...(ref === undefined ? {} : { ref: showRef(ref) }),
    ...(error === undefined ? {} : { code: error.code }),
    ...(stack === undefined ? {} : { stack }),
  })
}

/** What went its way: every start, with the state it is about, and every end. */
const tellAll = (committed: Committed, debug: NonNullable<Logger['debug']>): void => {
  for (const { flow, name, origin } of committed.ofType('FlowStarted'))
    debug(
      'A flow has started.',
      origin.kind === 'activity'
        ? { flow, name, ref: showRef(origin.ref), due: origin.due, latenessMs: origin.latenessMs }
        : { flow, name },
    )
  for (const event of committed.ofType('FlowEnded'))
    debug('A flow has ended.', { flow: event.flow, outcome: endedAs(event) })
  for (const { id } of committed.ofType('TransactionRecorded')) debug('A transaction is recorded.', { transaction: id })
  debug('A tick is committed.', { revision: committed.lastRevision, events: committed.size })
}

/** Tells the logger from now on; the returned function ends it. */
export const logOutcomes = (node: Node, logger: Logger): (() => void) =>
  node.follow((committed: Committed) => {
    for (const type of interesting)
      for (const event of committed.has(type) ? committed.ofType(type) : []) {
        const outcome = outcomeIn(event)
        if (outcome !== undefined) tell(logger, outcome)
      }
    for (const { ref, error } of committed.failedAssessments())
      tell(logger, { outcome: 'parked', ref, error: briefly(error) })
    if (logger.debug !== undefined) tellAll(committed, logger.debug)
  })
