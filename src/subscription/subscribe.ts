/**
 * Subscriptions of programs: each public event once and in order, from any revision on, at the pace of whoever takes them.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { publicEventTypes, type PublicEvent, type PublicEventType } from '../log/PublicEvent.js'
import { revisionAfter, type TakenEvent } from '../log/holdsEvent.js'
import { revisionUnknown, subscriptionAhead } from '../log/revisionUnknown.js'
import type { EventFeed } from './EventFeed.js'
import { freely, type Pace } from './Pace.js'

/**
 * Where a subscription begins: at a revision, with the first event of the log, or with the next one to come. Or after an event
 * that was taken before: then a log that does not hold it, because it was restored to an earlier head, is told from the one
 * that does.
 */
export type SubscribeFrom = number | 'start' | 'present' | { readonly after: TakenEvent }

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

/** A subscription whose work is counted, of somebody outside the process. */
export type PacedOptions<T extends PublicEventType = PublicEventType> = SubscribeOptions<T> & { readonly pace?: Pace }

/** The events of some types. */
export type PublicEventOf<T extends PublicEventType> = PublicEvent & { readonly type: T }

/** Takes an event; the next one comes when it has returned, or what it returned has resolved. */
export type TakeEvent<E extends PublicEvent = PublicEvent> = (event: E) => void | Promise<void>

const firstRevision = (feed: EventFeed, { from, wait = true }: SubscribeOptions): number => {
  const { revision: last } = feed.head
  if (from === 'start') return 0
  if (from === 'present') return last + 1
  if (typeof from === 'object') return revisionAfter(from.after)
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

/** What a subscription asked for, checked. */
type Asked<T extends PublicEventType> = {
  readonly from: number
  /** Resolves when the log holds what was taken before. */
  readonly held: () => Promise<void>
  readonly signal: AbortSignal
  readonly isWanted: (event: PublicEvent) => event is PublicEventOf<T>
}

const checked = <T extends PublicEventType>(feed: EventFeed, options: SubscribeOptions<T>): Asked<T> => {
  const { types, signal: given } = options
  assertEventTypes(types)
  const from = firstRevision(feed, options)
  const wanted = types === undefined ? undefined : new Set<PublicEventType>(types)
  const after = typeof options.from === 'object' ? options.from.after : undefined
  return {
    from,
    held: async () => {
      if (after !== undefined && !(await feed.holds(after))) throw subscriptionAhead(after, feed.head)
    },
    // One of its own, because Node.js warns of a signal that many listen to.
    signal: given === undefined ? new AbortController().signal : AbortSignal.any([given]),
    isWanted: (event): event is PublicEventOf<T> =>
      event.revision >= from && (wanted === undefined || wanted.has(event.type)),
  }
}

/** A node that has failed says why there are no more events; one that was stopped has none. */
const assertNotFailed = ({ stopped }: EventFeed, signal: AbortSignal): void => {
  if (stopped !== undefined && stopped.code !== 'node-stopped' && !signal.aborted) throw stopped
}

/** The events from a revision on, as they are asked for. */
export const subscribe = <T extends PublicEventType>(
  feed: EventFeed,
  options: PacedOptions<T>,
): AsyncGenerator<PublicEventOf<T>, void, undefined> => eventsOf(feed, checked(feed, options), options.pace ?? freely)

async function* eventsOf<T extends PublicEventType>(
  feed: EventFeed,
  { from, held, signal, isWanted }: Asked<T>,
  pace: Pace,
): AsyncGenerator<PublicEventOf<T>, void, undefined> {
  await held()
  for await (const tick of feed.ticks(from, signal, pace)) {
    for (const event of pace.work(() => tick.events)) {
      if (signal.aborted) return
      if (isWanted(event)) yield event
    }
    await pace.rest()
  }
  assertNotFailed(feed, signal)
}

/** The same, handed over one after the other. Resolves when there will be no more. */
export const deliver = <T extends PublicEventType>(
  feed: EventFeed,
  options: SubscribeOptions<T>,
  take: TakeEvent<PublicEventOf<T>>,
): Promise<void> => {
  const { from, held, signal, isWanted } = checked(feed, options)
  const takeFrom = (events: readonly PublicEvent[], first: number): void | Promise<void> => {
    for (let index = first; index < events.length; index++) {
      const event = events[index]
      if (event === undefined || !isWanted(event)) continue
      if (signal.aborted) return
      const taken = take(event)
      if (taken !== undefined) return Promise.resolve(taken).then(() => takeFrom(events, index + 1))
    }
  }
  return held()
    .then(() => feed.each(from, signal, ({ events }) => takeFrom(events, 0)))
    .then(() => assertNotFailed(feed, signal))
}
