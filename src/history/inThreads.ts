/**
 * Ticks with the word of whoever has vouched for them, in their order. Threads and the caller share the work: what no
 * thread has room for, the caller looks at itself.
 */
import { SignerTracker, signerEventsOf } from '../log/SignerTracker.js'
import { emptyHead, joinedLines, type EncodedTick, type HashLink } from '../log/Tick.js'
import { TickChecker } from './TickChecker.js'
import { vouchFor, type PresumedSigner, type Vouch } from './vouch.js'
import { VouchingThreads, type Vouches } from './VouchingThreads.js'

export type VouchedTick = { readonly tick: EncodedTick; readonly vouch?: Vouch | undefined }

/** About how much is handed over at a time. */
const batchBytes = 1_048_576

/** Batches that may be under way, so that a log of any length takes little memory. */
const mostUnderWay = 24

/** Ticks that nobody has looked at. */
export async function* unvouched(ticks: AsyncIterable<EncodedTick>): AsyncGenerator<VouchedTick> {
  for await (const tick of ticks) yield { tick }
}

type Batch = { readonly ticks: readonly EncodedTick[]; readonly vouches: Vouches | Promise<Vouches> }

/** What the log itself says that a tick must be signed with. Undefined when that cannot be read: the check then says why. */
const presumedSigner = (signers: SignerTracker, tick: EncodedTick): PresumedSigner | undefined => {
  try {
    const signer = signers.next(signerEventsOf(tick))
    return signer === undefined || signers.party === undefined ? undefined : { ...signer, party: signers.party }
  } catch {
    return undefined
  }
}

/** Ticks that threads have looked at, but for those of the first so many bytes. What is thrown in reading comes last. */
export async function* inThreads(
  ticks: AsyncIterable<EncodedTick>,
  afterBytes: number,
  threadsOf = (): VouchingThreads => new VouchingThreads(),
): AsyncGenerator<VouchedTick> {
  const own = new TickChecker()
  const underWay: Batch[] = []
  let threads: VouchingThreads | undefined
  const signers = new SignerTracker()
  let batch: EncodedTick[] = []
  let presumed: (PresumedSigner | undefined)[] = []
  let bytes = 0
  let seen = 0
  let before: HashLink = emptyHead
  let unreadable: { readonly error: unknown } | undefined

  const hand = (): void => {
    if (batch.length === 0) return
    threads ??= threadsOf()
    const first = before
    const vouches =
      threads.ask(first, batch, presumed) ??
      batch.map((tick, index) => vouchFor(own, batch[index - 1] ?? first, tick, presumed[index]))
    underWay.push({ ticks: batch, vouches })
    before = batch.at(-1) ?? before
    batch = []
    presumed = []
    bytes = 0
  }
  async function* take(): AsyncGenerator<VouchedTick> {
    const next = underWay.shift()
    if (next === undefined) return
    const vouches = await next.vouches
    for (const [index, tick] of next.ticks.entries()) yield { tick, vouch: vouches[index] }
  }

  const source = ticks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const read = await source.next().catch((error: unknown) => {
        unreadable = { error }
        return { done: true, value: undefined } as const
      })
      if (read.done === true) break
      const tick = read.value
      const size = joinedLines(tick.events).length
      seen += size
      const signer = presumedSigner(signers, tick)
      if (seen <= afterBytes) {
        before = tick
        yield { tick }
        continue
      }
      batch.push(tick)
      presumed.push(signer)
      bytes += size
      if (bytes >= batchBytes) hand()
      while (underWay.length >= mostUnderWay) yield* take()
    }
    hand()
    while (underWay.length > 0) yield* take()
  } finally {
    await threads?.stop()
    await source.return?.()
  }
  if (unreadable !== undefined) throw unreadable.error
}
