/**
 * How something ended, or why it waits, taken from an event as it is recorded: for those who tell it on.
 */
import type { RecordedError } from '../errors/CarillonError.js'
import type { StateRef } from '../ledger/StateRef.js'
import { endedAs } from '../log/endedAs.js'
import type { DomainEvent } from '../log/events.js'
import { FlowIdC, type FlowId } from '../log/FlowId.js'
import type { Instant } from '../time/Instant.js'

export type OutcomeKind =
  | 'completed'
  | 'refused'
  | 'failed'
  | 'killed'
  | 'superseded'
  | 'continued'
  | 'parked'
  | 'missed'
  | 'start failed'
  | 'draining'
  | 'drained'

export type Outcome = {
  readonly outcome: OutcomeKind
  readonly flow?: FlowId
  /** The state whose activity it was. */
  readonly ref?: StateRef
  readonly due?: Instant
  readonly latenessMs?: number
  readonly attempt?: number
  readonly error?: RecordedError
  readonly by?: string
}

/** What an event says of an error. */
type ToldError = Pick<RecordedError, 'code' | 'message' | 'stack' | 'causes'>

export const briefly = ({ code, message, stack, causes }: ToldError): RecordedError => ({
  code,
  message,
  ...(stack === undefined ? {} : { stack }),
  ...(causes === undefined ? {} : { causes }),
})

const idOf = (flow: string): { readonly flow?: FlowId } => (FlowIdC.is(flow) ? { flow } : {})

/** Undefined for an event by which nothing ends and nothing begins to wait. */
export const outcomeIn = (event: DomainEvent): Outcome | undefined => {
  switch (event.type) {
    case 'FlowEnded':
      return {
        outcome: endedAs(event),
        ...idOf(event.flow),
        ...(event.error === undefined ? {} : { error: briefly(event.error) }),
        ...(event.by === undefined ? {} : { by: event.by }),
      }
    case 'FlowParked':
      return { outcome: 'parked', ...idOf(event.flow), error: briefly(event.error) }
    case 'ActivityMissed': {
      const { ref, due, attempt, latenessMs } = event
      return { outcome: 'missed', ref, due, attempt, latenessMs }
    }
    case 'ActivityStartFailed':
    case 'ActivityParked': {
      const { ref, due, attempt, latenessMs } = event
      const outcome = event.type === 'ActivityParked' ? 'parked' : 'start failed'
      return { outcome, ref, due, attempt, latenessMs, error: briefly(event.error) }
    }
    case 'DrainingStarted':
      return { outcome: 'draining', by: event.by }
    case 'DrainingEnded':
      return { outcome: 'drained', by: event.by }
    default:
      return undefined
  }
}
