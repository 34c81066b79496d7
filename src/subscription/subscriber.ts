/**
 * The two ways to take the events of a subscription: one after the other as they are asked for, or called back with.
 */
import type { CarillonError } from '../errors/CarillonError.js'
import type { PublicEventType } from '../log/PublicEvent.js'
import { callBack, type Subscription } from './callBack.js'
import type { PublicEventOf, SubscribeOptions } from './subscribe.js'

type CalledBack<T extends PublicEventType> = {
  readonly on: (event: PublicEventOf<T>) => void | Promise<void>
}

/** Subscribes: with `on` the events are called back with, one after the other; without it they are an async iterator. */
export type Subscribe = {
  <T extends PublicEventType = PublicEventType>(options: SubscribeOptions<T> & CalledBack<T>): Subscription
  <T extends PublicEventType = PublicEventType>(
    options: SubscribeOptions<T>,
  ): AsyncGenerator<PublicEventOf<T>, void, undefined>
}

/** Whoever has events, from a node of this process or of another one. */
type Source = <T extends PublicEventType>(
  options: SubscribeOptions<T>,
) => AsyncGenerator<PublicEventOf<T>, void, undefined>

/** Subscriptions to a source; `onFailure` is told why one that calls back has ended. */
export const subscriber = (source: Source, onFailure: (error: CarillonError) => void): Subscribe => {
  function subscribe<T extends PublicEventType>(options: SubscribeOptions<T> & CalledBack<T>): Subscription
  function subscribe<T extends PublicEventType>(
    options: SubscribeOptions<T>,
  ): AsyncGenerator<PublicEventOf<T>, void, undefined>
  function subscribe<T extends PublicEventType>({
    on,
    ...options
  }: SubscribeOptions<T> & Partial<CalledBack<T>>): AsyncGenerator<PublicEventOf<T>, void, undefined> | Subscription {
    if (on === undefined) return source(options)
    return callBack((signal) => source({ ...options, signal }), options.signal, on, onFailure)
  }
  return subscribe
}
