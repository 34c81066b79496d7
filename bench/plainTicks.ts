/**
 * Ticks that mean nothing, for benchmarks of a log alone, and how they are appended.
 */
import { createHash } from 'node:crypto'
import { isLeft } from 'fp-ts/lib/Either.js'
import { HashC, instantFromMillis } from 'carillon'
import type { EncodedTick, EventLog, Head } from 'carillon/logs'

export type TickShape = { readonly eventBytes: number; readonly eventsPerTick: number }

/** So many ticks that follow a head. */
export const plainTicks = (
  head: Head,
  count: number,
  { eventBytes, eventsPerTick }: TickShape,
): readonly EncodedTick[] => {
  const events = Array.from({ length: eventsPerTick }, (_, index) => String(index).padEnd(eventBytes, '.'))
  return Array.from({ length: count }, (_, index) => {
    const number = head.tick + 1 + index
    const hash = HashC.decode(createHash('sha256').update(`tick ${number}`).digest('hex'))
    if (isLeft(hash)) throw new Error('A SHA-256 digest in hex is not a hash for Carillon.')
    return {
      number,
      firstRevision: head.revision + 1 + index * eventsPerTick,
      at: instantFromMillis(1_767_225_600_000 + number),
      events,
      hash: hash.right,
      signature: `${'A'.repeat(86)}==`,
    }
  })
}

const headOf = (tick: EncodedTick): Head => ({
  tick: tick.number,
  revision: tick.firstRevision + tick.events.length - 1,
  hash: tick.hash,
  signature: tick.signature,
})

/** One after the other: each waits for the answer to the one before. */
export const appendAll = async (log: EventLog, from: Head, ticks: readonly EncodedTick[]): Promise<void> => {
  let head = from
  for (const tick of ticks) {
    const outcome = await log.append(head, tick)
    if (outcome.kind !== 'appended') throw new Error(`Tick ${tick.number} was ${outcome.kind}.`)
    head = headOf(tick)
  }
}
