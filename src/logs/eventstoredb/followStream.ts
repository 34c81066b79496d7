/**
 * Ticks from one subscription, until it ends or fails. A subscription has no deadline of its own, so while it is idle the
 * head of the stream is read: a server that is frozen does not answer, and one that forgot the subscription has more.
 */
import { pause } from '../../engine/pause.js'
import { untilAborted } from '../../engine/untilAborted.js'
import type { EncodedTick } from '../../log/Tick.js'
import type { EventStoreDbConnection, LiveEvents } from './EventStoreDbConnection.js'
import type { StreamPiece } from './EventPieces.js'
import { StreamOrder, TickAssembler } from './StreamTicks.js'

export type FollowOptions = {
  /** After how long without an event the server is asked whether there is one. */
  readonly idleMs: number
  /** How long it may take to answer. */
  readonly proveMs: number
  readonly ended: AbortSignal
  readonly foreign: (what: string) => Error
}

/** Asked through a function, because the compiler takes a property it has seen false to be false for ever. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted

/** Events that came, or that none came for a while. */
type Heard = { readonly piece: StreamPiece } | 'nothing'

export async function* followStream(
  connection: EventStoreDbConnection,
  after: number,
  { idleMs, proveMs, ended, foreign }: FollowOptions,
): AsyncGenerator<EncodedTick> {
  if (isAborted(ended)) return
  const order = new StreamOrder(after + 1, foreign)
  const assembler = new TickAssembler(foreign)
  const subscribing = connection.subscribe(after)
  const live = await untilAborted(subscribing, ended, () => undefined)
  if (live === undefined) {
    // Confirmed too late for anyone to hear.
    subscribing.then(({ stop }) => stop()).catch(() => undefined)
    return
  }
  ended.addEventListener('abort', live.stop, { once: true })
  try {
    for (;;) {
      const piece = await nextOf(live, idleMs, ended, async () => {
        const last = await connection.last(proveMs)
        return last !== undefined && last.revision >= BigInt(order.next)
      })
      if (piece === undefined || isAborted(ended)) return
      for (const event of piece) {
        order.assertNext(event)
        const tick = assembler.add(event)
        if (tick !== undefined) yield tick
      }
    }
  } finally {
    ended.removeEventListener('abort', live.stop)
    live.stop()
  }
}

/** The next events; undefined when the subscription has ended, or has twice not given what is there. */
const nextOf = async (
  live: LiveEvents,
  idleMs: number,
  ended: AbortSignal,
  isBehind: () => Promise<boolean>,
): Promise<StreamPiece> => {
  const coming = live.next().then((piece): Heard => ({ piece }))
  // Asked for again below, or not at all once the follower has gone.
  coming.catch(() => undefined)
  for (let timesBehind = 0; timesBehind < 2;) {
    const heard = await within(coming, idleMs, ended)
    if (heard !== 'nothing') return heard.piece
    if (ended.aborted) return undefined
    timesBehind = (await untilAborted(isBehind(), ended, () => false)) ? timesBehind + 1 : 0
  }
  return undefined
}

const within = async (coming: Promise<Heard>, ms: number, ended: AbortSignal): Promise<Heard> => {
  const heard = new AbortController()
  try {
    const silence = pause(ms, AbortSignal.any([ended, heard.signal])).then((): Heard => 'nothing')
    return await Promise.race([coming, silence])
  } finally {
    heard.abort()
  }
}
