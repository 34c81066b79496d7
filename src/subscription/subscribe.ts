/**
 * Subscriptions of programs: each public event once and in order, from any revision on, at the pace of whoever takes them.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
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

/** A subscription that calls back. */
export type Subscription = {
  /**
   * Resolves when it was closed or the node has stopped; rejects with `subscriber-threw` when the callback threw. Nobody has
   * to wait for it.
   */
  readonly ended: Promise<void>
  /** The revision of the last event that was taken; undefined before the first. */
  readonly revision: number | undefined
  readonly close: () => void
}

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

/** Calls back with each event, the next one when the call before has returned. */
export const subscribeWith = <T extends PublicEventType>(
  feed: EventFeed,
  options: SubscribeOptions<T>,
  on: (event: PublicEventOf<T>) => void | Promise<void>,
  onFailure: (error: CarillonError) => void,
): Subscription => {
  const closing = new AbortController()
  const signal = options.signal === undefined ? closing.signal : AbortSignal.any([options.signal, closing.signal])
  const events = subscribe(feed, { ...options, signal })
  let revision: number | undefined
  const run = async (): Promise<void> => {
    for await (const event of events) {
      try {
        await on(event)
      } catch (error) {
        throw new CarillonError(
          'subscriber-threw',
          `A subscriber threw at event ${event.revision} (${event.type}): ${messageOf(error)} The subscription has ended; subscribe again from that revision when it is mended.`,
          { revision: event.revision, type: event.type },
          error,
        )
      }
      ;({ revision } = event)
    }
  }
  // A callback that never returns must not keep those waiting who have closed the subscription.
  const closed = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const ended = Promise.race([run(), closed])
  ended.catch((error: unknown) => {
    if (error instanceof CarillonError) onFailure(error)
  })
  return {
    ended,
    get revision() {
      return revision
    },
    close: () => {
      closing.abort()
    },
  }
}
