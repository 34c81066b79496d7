/**
 * Tells a logger what did not go its way: activities that were missed, parked or could not be started, flows that failed
 * or were parked, each with its state ref and flow id. What went well is counted, and told at the level of debug alone.
 */
import { showRef } from '../ledger/StateRef.js'
import type { DomainEvent } from '../log/events.js'
import type { Committed } from '../engine/Committed.js'
import type { LogFields, Logger } from '../engine/Logger.js'
import type { Node } from '../node/Node.js'

type Said = { readonly level: 'info' | 'warn'; readonly message: string; readonly fields: LogFields }

const interesting = new Set<DomainEvent['type']>([
  'ActivityMissed',
  'ActivityStartFailed',
  'ActivityParked',
  'FlowParked',
  'FlowEnded',
  'DrainingStarted',
  'DrainingEnded',
])

const wordsFor = (event: DomainEvent): Said | undefined => {
  switch (event.type) {
    case 'ActivityMissed':
      return {
        level: 'warn',
        message: 'An activity was missed.',
        fields: { ref: showRef(event.ref), due: event.due, latenessMs: event.latenessMs },
      }
    case 'ActivityStartFailed':
    case 'ActivityParked':
      return {
        level: 'warn',
        message: `An activity ${event.type === 'ActivityParked' ? 'is parked' : 'could not be started'}: ${event.error.message}`,
        fields: { ref: showRef(event.ref), due: event.due, attempt: event.attempt, code: event.error.code },
      }
    case 'FlowParked':
      return {
        level: 'warn',
        message: `A flow is parked: ${event.error.message}`,
        fields: { flow: event.flow, code: event.error.code },
      }
    case 'FlowEnded':
      return event.outcome !== 'failed'
        ? undefined
        : {
            level: 'warn',
            message: `A flow failed: ${event.error?.message ?? ''}`,
            fields: { flow: event.flow, code: event.error?.code },
          }
    case 'DrainingStarted':
      return { level: 'info', message: 'Draining has started.', fields: { by: event.by } }
    case 'DrainingEnded':
      return { level: 'info', message: 'Draining has ended.', fields: { by: event.by } }
    default:
      return undefined
  }
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
  for (const { flow, outcome } of committed.ofType('FlowEnded')) debug('A flow has ended.', { flow, outcome })
  for (const { id } of committed.ofType('TransactionRecorded')) debug('A transaction is recorded.', { transaction: id })
  debug('A tick is committed.', { revision: committed.lastRevision, events: committed.size })
}

/** Tells the logger from now on; the returned function ends it. */
export const logOutcomes = (node: Node, logger: Logger): (() => void) =>
  node.follow((committed: Committed) => {
    for (const type of interesting)
      for (const event of committed.has(type) ? committed.ofType(type) : []) {
        const said = wordsFor(event)
        if (said !== undefined) logger[said.level](said.message, said.fields)
      }
    if (logger.debug !== undefined) tellAll(committed, logger.debug)
  })
