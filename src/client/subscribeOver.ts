/**
 * A subscription to a node in another process: each public event once and in order, over as many connections as it takes.
 */
import { pause } from '../engine/pause.js'
import { CarillonError } from '../errors/CarillonError.js'
import { revisionAfter, type TakenEvent } from '../log/holdsEvent.js'
import type { PublicEvent, PublicEventType } from '../log/PublicEvent.js'
import type { PublicEventOf, SubscribeFrom, SubscribeOptions } from '../subscription/subscribe.js'
import { jsonIn } from './errorIn.js'
import { isPassing, pauseMsBefore } from './isPassing.js'
import { isGivenUp, type NodeConnection } from './NodeConnection.js'

const isEvent = (value: unknown): value is PublicEvent =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'revision' in value &&
  typeof value.revision === 'number' &&
  'hash' in value &&
  typeof value.hash === 'string'

const eventIn = (data: string): PublicEvent => {
  const event = jsonIn(data)
  if (isEvent(event)) return event
  throw new CarillonError('request-invalid', 'The stream has sent something that is not an event. Is it a node?')
}

const lastRevision = async (connection: NodeConnection, signal: AbortSignal): Promise<number> => {
  const { head } = (await connection.request('GET', '/status', { signal })) as {
    readonly head: { readonly revision: number }
  }
  return head.revision
}

/**
 * The revision to begin with. What comes next, and what is to come later, are made definite here, so that nothing is missed
 * when the first connection breaks before it has sent an event.
 */
const firstRevision = async (
  connection: NodeConnection,
  from: Exclude<SubscribeFrom, object>,
  wait: boolean,
  signal: AbortSignal,
): Promise<number> => {
  if (from === 'start') return 0
  if (from !== 'present' && (!Number.isSafeInteger(from) || from < 0))
    throw new CarillonError(
      'request-invalid',
      `A subscription begins at a revision, a whole number from 0 on, at 'start' or at 'present'; ${String(from)} was given.`,
    )
  if (from !== 'present' && !wait) return from
  const next = (await lastRevision(connection, signal)) + 1
  return from === 'present' ? next : Math.min(from, next)
}

/** Before a stream that has ended is asked for again. */
const reconnectMs = 50

/** The events from a revision on, as they are asked for, until the signal ends it. */
export async function* subscribeOver<T extends PublicEventType>(
  connection: NodeConnection,
  { from, types, wait = true, signal = new AbortController().signal }: SubscribeOptions<T>,
): AsyncGenerator<PublicEventOf<T>, void, undefined> {
  let first: number
  try {
    first = typeof from === 'object' ? revisionAfter(from.after) : await firstRevision(connection, from, wait, signal)
  } catch (error) {
    if (signal.aborted) return
    throw error
  }
  const wantedFrom = typeof from === 'number' ? from : first
  let seen: TakenEvent | undefined = typeof from === 'object' ? from.after : undefined
  let firstFailedMs: number | undefined
  const state = { hasBegun: false, failures: 0 }
  while (!signal.aborted) {
    try {
      const stream = connection.listen('/events', {
        query: { from: first, types: types?.join(',') },
        ...(seen === undefined ? {} : { lastEventId: `${seen.revision}:${seen.hash}` }),
        signal,
        onBegun: () => {
          state.hasBegun = true
          state.failures = 0
        },
      })
      for await (const { data } of stream) {
        const event = eventIn(data)
        if (seen !== undefined && event.revision <= seen.revision) continue
        seen = { revision: event.revision, hash: event.hash }
        if (event.revision < wantedFrom) continue
        yield event as PublicEventOf<T>
        if (isGivenUp(signal)) return
      }
    } catch (error) {
      // Whoever once was connected waits for the node to come back; who never was may have the wrong address.
      if (!isPassing(error)) throw error
      firstFailedMs ??= performance.now()
      if (!state.hasBegun && performance.now() - firstFailedMs >= connection.retryForMs) throw error
      state.failures += 1
      await pause(pauseMsBefore(state.failures, error), signal)
      continue
    }
    // A stream that ends as soon as it has begun must not be asked for again without a pause.
    await pause(reconnectMs, signal)
  }
}
