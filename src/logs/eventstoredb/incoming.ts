/**
 * What the objects that come over a call are, for {@link EventPieces}: those of our own reads, and those of the client's
 * subscriptions. The streams are untyped; what they give is what the two calls were made to give.
 */
import type { ResolvedEvent } from '@eventstore/db-client'
import type { ReadAnswer } from './decodeAnswer.js'
import type { Incoming } from './EventPieces.js'

const isAnswer = (value: unknown): value is ReadAnswer => typeof value === 'object' && value !== null && 'kind' in value

const isResolved = (value: unknown): value is ResolvedEvent => typeof value === 'object' && value !== null

export const eventOfAnswer = (object: unknown): Incoming => {
  if (!isAnswer(object)) return undefined
  if (object.kind === 'event') return object.event
  return object.kind === 'no stream' ? 'no stream' : undefined
}

export const eventOfSubscription = (object: unknown): Incoming => (isResolved(object) ? object.event : undefined)
