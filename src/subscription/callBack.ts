/**
 * A subscription that calls back: one event at a time, the next one when the call before has returned.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { PublicEvent } from '../log/PublicEvent.js'

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

/** Calls back with each event of a source, which ends when the signal that it is given does. */
export const callBack = <E extends PublicEvent>(
  source: (signal: AbortSignal) => AsyncIterable<E>,
  given: AbortSignal | undefined,
  on: (event: E) => void | Promise<void>,
  onFailure: (error: CarillonError) => void,
): Subscription => {
  const closing = new AbortController()
  const signal = given === undefined ? closing.signal : AbortSignal.any([given, closing.signal])
  const events = source(signal)
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
