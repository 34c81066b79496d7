/**
 * A subscription that calls back: one event at a time, the next one when the call before has returned.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { sentenceOf } from '../errors/sentenceOf.js'
import type { PublicEvent } from '../log/PublicEvent.js'
import type { TakeEvent } from './subscribe.js'

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

/** Calls back with each event that is delivered, until the signal that the delivery is given ends it. */
export const callBack = <E extends PublicEvent>(
  deliver: (signal: AbortSignal, take: TakeEvent<E>) => Promise<void>,
  given: AbortSignal | undefined,
  on: (event: E) => void | Promise<void>,
  onFailure: (error: CarillonError) => void,
): Subscription => {
  const closing = new AbortController()
  const signal = given === undefined ? closing.signal : AbortSignal.any([given, closing.signal])
  let revision: number | undefined
  const threw = (event: E, error: unknown): CarillonError =>
    new CarillonError(
      'subscriber-threw',
      `A subscriber threw at event ${event.revision} (${event.type}): ${sentenceOf(error)} The subscription has ended; subscribe again from that revision when it is mended.`,
      { revision: event.revision, type: event.type },
      error,
    )
  const taken = (event: E): void => {
    ;({ revision } = event)
  }
  const delivered = deliver(signal, (event) => {
    let answer: void | Promise<void>
    try {
      answer = on(event)
    } catch (error) {
      throw threw(event, error)
    }
    if (answer === undefined) return taken(event)
    return Promise.resolve(answer).then(
      () => taken(event),
      (error: unknown) => Promise.reject(threw(event, error)),
    )
  })
  // A callback that never returns must not keep those waiting who have closed the subscription.
  const closed = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const ended = Promise.race([delivered, closed])
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
