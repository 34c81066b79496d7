/**
 * The two ways to take the events of a subscription: one after the other as they are asked for, or called back with.
 */
import type { CarillonError } from '../errors/CarillonError.js'
import type { PublicEventType } from '../log/PublicEvent.js'
import { callBack, type Subscription } from './callBack.js'
import type { PublicEventOf, SubscribeOptions, TakeEvent } from './subscribe.js'

/** What takes events one after the other; the next comes when what it returned has resolved. */
export type CalledBack<T extends PublicEventType> = {
  readonly on: (event: PublicEventOf<T>) => void | Promise<void>
}

/** Subscribes: with `on` the events are called back with, one after the other; without it they are an async iterator. */
export type Subscribe = {
  <T extends PublicEventType = PublicEventType>(options: SubscribeOptions<T> & CalledBack<T>): Subscription
  <T extends PublicEventType = PublicEventType>(
    options: SubscribeOptions<T>,
  ): AsyncGenerator<PublicEventOf<T>, void, undefined>
}

/** Whoever has events, of a node in this process or in another one. */
export type SubscriptionSource = {
  readonly events: <T extends PublicEventType>(
    options: SubscribeOptions<T>,
  ) => AsyncGenerator<PublicEventOf<T>, void, undefined>
  /** Hands them over, the next one when the one before was taken. Resolves when there will be no more. */
  readonly deliver: <T extends PublicEventType>(
    options: SubscribeOptions<T>,
    take: TakeEvent<PublicEventOf<T>>,
  ) => Promise<void>
  /** Hears why a subscription that calls back has ended. */
  readonly onFailure: (error: CarillonError) => void
}

/** Subscriptions to a source. */
export const subscriber = ({ events, deliver, onFailure }: SubscriptionSource): Subscribe => {
  function subscribe<T extends PublicEventType>(options: SubscribeOptions<T> & CalledBack<T>): Subscription
  function subscribe<T extends PublicEventType>(
    options: SubscribeOptions<T>,
  ): AsyncGenerator<PublicEventOf<T>, void, undefined>
  function subscribe<T extends PublicEventType>({
    on,
    ...options
  }: SubscribeOptions<T> & Partial<CalledBack<T>>): AsyncGenerator<PublicEventOf<T>, void, undefined> | Subscription {
    if (on === undefined) return events(options)
    return callBack((signal, take) => deliver({ ...options, signal }, take), options.signal, on, onFailure)
  }
  return subscribe
}
