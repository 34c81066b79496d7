/**
 * The program of a thread that vouches for ticks; {@link VouchingThreads} starts it and talks to it.
 */
import { parentPort } from 'node:worker_threads'
import { eventsOf, type EncodedTick, type HashLink } from '../log/Tick.js'
import { TickChecker } from './TickChecker.js'
import { vouchFor, type PresumedSigner, type Vouch } from './vouch.js'

/** A tick on its way to a thread: its events as one text, which is the quickest thing to hand over. */
export type SentTick = Omit<EncodedTick, 'events'> & {
  readonly before: HashLink
  readonly signer: PresumedSigner | undefined
  readonly text: string
}
export type Question = { readonly job: number; readonly ticks: readonly SentTick[] }
export type Reply = { readonly job: number; readonly vouches: readonly (Vouch | undefined)[] }

const checker = new TickChecker()

parentPort?.on('message', ({ job, ticks }: Question) => {
  const vouches = ticks.map(({ before, signer, text, ...tick }) =>
    vouchFor(checker, before, { ...tick, events: eventsOf(text) }, signer),
  )
  parentPort?.postMessage({ job, vouches } satisfies Reply)
})
