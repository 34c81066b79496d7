/**
 * Subscriptions of programs: each public event once and in order, from any revision on, at the pace of whoever takes them.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { publicEventTypes, type PublicEvent, type PublicEventType } from '../log/PublicEvent.js'
import { revisionUnknown } from '../log/revisionUnknown.js'
import type { EventFeed } from './EventFeed.js'

/** Where a subscription begins: at a revision, with the first event of the log, or with the next one to come. */
export type SubscribeFrom = number | 'start' | 'present'

/** What to subscribe to. */
export type SubscribeOptions<T extends PublicEventType = PublicEventType> = {
  readonly from: SubscribeFrom
  /** Only events of these types. Default: all. */
  readonly types?: readonly T[]
  /** Ends the subscription. */
  readonly signal?: AbortSignal
  /** With `false`, a revision that the log does not hold yet is refused. Default: it is waited for. */
  readonly wait?: boolean
}

/** The events of some types. */
export type PublicEventOf<T extends PublicEventType> = PublicEvent & { readonly type: T }

const firstRevision = (feed: EventFeed, { from, wait = true }: SubscribeOptions): number => {
  const { revision: last } = feed.head
  if (from === 'start') return 0
  if (from === 'present') return last + 1
  if (!Number.isSafeInteger(from) || from < 0)
    throw new CarillonError(
      'request-invalid',
      `A subscription begins at a revision, a whole number from 0 on, at 'start' or at 'present'; ${String(from)} was given.`,
    )
  if (!wait && from > last + 1) throw revisionUnknown(from, last)
  return from
}

/** Refuses names of events that do not exist. */
export const assertEventTypes = (types: readonly string[] | undefined): void => {
  const unknown = types?.find((type) => !publicEventTypes.some((known) => known === type))
  if (unknown !== undefined)
    throw new CarillonError(
      'request-invalid',
      `There is no public event ${unknown}. There are: ${publicEventTypes.join(', ')}.`,
      { type: unknown },
    )
}

const never = new AbortController().signal

/** The events from a revision on, as they are asked for. */
export const subscribe = <T extends PublicEventType>(
  feed: EventFeed,
  options: SubscribeOptions<T>,
): AsyncGenerator<PublicEventOf<T>, void, undefined> => {
  assertEventTypes(options.types)
  return eventsFrom(feed, firstRevision(feed, options), options)
}

async function* eventsFrom<T extends PublicEventType>(
  feed: EventFeed,
  from: number,
  { types, signal = never }: SubscribeOptions<T>,
): AsyncGenerator<PublicEventOf<T>, void, undefined> {
  const wanted = types === undefined ? undefined : new Set<PublicEventType>(types)
  const isWanted = (event: PublicEvent): event is PublicEventOf<T> => wanted === undefined || wanted.has(event.type)
  for await (const { events } of feed.ticks(from, signal))
    for (const event of events) {
      if (signal.aborted) return
      if (event.revision >= from && isWanted(event)) yield event
    }
  if (feed.stopped !== undefined && feed.stopped.code !== 'node-stopped' && !signal.aborted) throw feed.stopped
}
