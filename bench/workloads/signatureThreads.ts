/**
 * From how many signatures on it pays to verify them in a thread, and what the loop is spared.
 */
import { generateKeyPair, verifySignature } from 'carillon/keys'
import { SignatureThreads, type Claimed } from 'carillon/testing'
import { median } from '../statistics.js'
import { context, less, noSeed, type Figure, type Workload } from '../Workload.js'

const key = generateKeyPair()
let made = 0

/** Signatures that nobody has verified yet: what was verified once is remembered. */
const fresh = (count: number): readonly Claimed[] =>
  Array.from({ length: count }, () => {
    const text = `bench ${made++}`
    return { by: key.publicKey, text, signature: key.sign(text) }
  })

/** What a decision does with them. */
const decide = (claimed: readonly Claimed[]): void => {
  for (const { by, text, signature } of claimed)
    if (!verifySignature(by, text, signature)) throw new Error('a signature does not hold')
}

type Cost = { readonly wholeMs: number; readonly loopMs: number }

const inLoop = (count: number): Cost => {
  const claimed = fresh(count)
  const startedMs = performance.now()
  decide(claimed)
  const wholeMs = performance.now() - startedMs
  return { wholeMs, loopMs: wholeMs }
}

/** The loop works while it hands over and while it takes answers; in between it is free for others. */
const inThread = async (threads: SignatureThreads, count: number): Promise<Cost> => {
  const claimed = fresh(count)
  const before = performance.eventLoopUtilization()
  const startedMs = performance.now()
  await threads.verify(claimed)
  decide(claimed)
  const wholeMs = performance.now() - startedMs
  // What is idle within the span is the loop's own time; the rest it was busy with this.
  const { idle } = performance.eventLoopUtilization(before)
  return { wholeMs, loopMs: Math.max(0, wholeMs - idle) }
}

const show = (count: number): string => count.toLocaleString('en')

const of = (costs: readonly Cost[], part: keyof Cost): number => median(costs.map((cost) => cost[part]))

export const signatureThreads: Workload = {
  name: 'signature-threads',
  measures:
    'Signatures verified by the loop itself, and handed to a thread that runs already: until all are verified, and how much of that the loop was busy.',
  doesNotMeasure: 'Beginning a thread, which happens once. More than one thread at a time. Decoding what was signed.',
  durability: 'none: nothing is written',
  seed: noSeed,
  repetitions: 1,
  run: async ({ quick }) => {
    const figures: Record<string, Figure> = {}
    const threads = new SignatureThreads({ signaturesPerThread: 1 }, 1)
    // A thread does not keep the process alive; a node's connections do.
    const alive = setInterval(() => undefined, 60_000)
    try {
      // The first one begins the thread, and both ways are compiled.
      for (let round = 0; round < (quick ? 1 : 20); round++) {
        await inThread(threads, 100)
        inLoop(100)
      }
      let paysFrom: number | undefined
      for (const count of quick ? [10, 100] : [2, 5, 10, 20, 50, 100, 1_000, 10_000]) {
        const rounds = quick ? 2 : Math.max(3, Math.min(51, Math.trunc(5_000 / count)))
        const own: Cost[] = []
        const handed: Cost[] = []
        for (let round = 0; round < rounds; round++) {
          own.push(inLoop(count))
          handed.push(await inThread(threads, count))
        }
        const spared = of(own, 'loopMs') - of(handed, 'loopMs')
        if (spared > 0) paysFrom ??= count
        else paysFrom = undefined
        figures[`${show(count)} in the loop`] = less(of(own, 'wholeMs'), 'ms')
        figures[`${show(count)} in a thread`] = less(of(handed, 'wholeMs'), 'ms')
        figures[`${show(count)} in a thread, loop busy`] = less(of(handed, 'loopMs'), 'ms')
      }
      figures['the loop is spared from'] = context(paysFrom ?? 0, 'signatures')
      return figures
    } finally {
      clearInterval(alive)
      threads.stop()
    }
  },
}
