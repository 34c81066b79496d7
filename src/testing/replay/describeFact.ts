/**
 * What a flow did or does, in words: a fact it stated, or the place it came to.
 */
import { canonicalText, Encoded } from '../../encoding/canonical.js'
import { messageOf } from '../../errors/CarillonError.js'
import { describeOperation, nameOf } from '../../app/describeOperation.js'
import { Refusal } from '../../flow/Refusal.js'
import type { Stop } from '../../engine/LiveFlow.js'
import type { TransactionBody } from '../../ledger/Transaction.js'
import type { DomainEvent, EventOf, Waiting } from '../../log/events.js'
import { placeIn, type SourcePlace } from '../traceFlows.js'
import { firstDifference } from '../../encoding/firstDifference.js'

export const bodyOf = (event: EventOf<'TransactionRecorded'>): TransactionBody =>
  event.body instanceof Encoded ? (JSON.parse(event.body.text) as TransactionBody) : event.body

const describeWait = (waiting: Waiting): string => (waiting.for === 'turn' ? 'its next turn' : nameOf(waiting))

const describeEnd = ({ result, refusal }: EventOf<'FlowEnded'>): string => {
  if (refusal !== undefined) return `the refusal ${JSON.stringify(refusal)}`
  return result === undefined ? 'no result' : JSON.stringify(result)
}

export const describeFact = (event: DomainEvent | undefined): string => {
  switch (event?.type) {
    case undefined:
      return 'nothing more'
    case 'TransactionRecorded': {
      const { commands, inputs, outputs } = bodyOf(event)
      return `a transaction (${commands.map(({ type }) => type).join(', ')}: ${inputs.length} consumed, produces ${outputs.map(({ type }) => type).join(', ') || 'nothing'})`
    }
    case 'FlowEnded':
      return event.outcome === 'completed'
        ? `the end of the flow with ${describeEnd(event)}`
        : `the failure of the flow with ${event.error?.code ?? ''}: ${event.error?.message ?? ''}`
    case 'FlowAdvanced':
      return `a wait for ${event.waiting.map(describeWait).join(' or ')}`
    default:
      return `a ${event?.type ?? ''}`
  }
}

/** Where two facts differ, in the words of whichever says it best. */
export const compareFacts = (
  recorded: DomainEvent | undefined,
  coded: DomainEvent,
): { readonly recorded: string; readonly coded: string } => {
  if (recorded?.type === 'TransactionRecorded' && coded.type === 'TransactionRecorded') {
    const difference = firstDifference({ ...bodyOf(recorded), salt: '' }, { ...bodyOf(coded), salt: '' })
    if (difference !== undefined) {
      const at = `a transaction with ${difference.path}`
      return { recorded: `${at} ${difference.recorded}`, coded: `${at} ${difference.coded}` }
    }
  }
  return { recorded: describeFact(recorded), coded: describeFact(coded) }
}

export const canonicalOrNothing = (value: unknown): string | undefined => {
  try {
    return value === undefined ? undefined : canonicalText(value)
  } catch {
    return 'something that cannot be recorded'
  }
}

export const describeStop = (stop: Stop): string => {
  switch (stop.kind) {
    case 'asks':
      return nameOf(describeOperation(stop.operation))
    case 'returned':
      return stop.result instanceof Refusal
        ? `its end with the refusal ${canonicalOrNothing(stop.result.refusal) ?? 'undefined'}`
        : `its end with ${canonicalOrNothing(stop.result) ?? 'no result'}`
    case 'threw':
      return `the error "${messageOf(stop.error)}"`
  }
}

/** Where an error was thrown, if that is what the flow came to. */
export const placeOfStop = (stop: Stop): SourcePlace | undefined =>
  stop.kind === 'threw' && stop.error instanceof Error ? placeIn(stop.error) : undefined
