/**
 * Threads that vouch for ticks while the caller reads on. They can only save time: a tick nobody vouches for, because
 * something is wrong with it or because there is no thread, is checked by the caller.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { linesOf, type EncodedTick, type HashLink } from '../log/Tick.js'
import type { PresumedSigner, Vouch } from './vouch.js'
import type { Question, Reply } from './vouchingThread.js'

/** Batches a thread has at hand, so that it never waits for the next. */
const batchesPerThread = 2
const mostThreads = 7

/** Lies beside this file in the package. Run from its sources, or bundled into an app, there is none, and no thread. */
const ownProgram = new URL('./vouchingThread.js', import.meta.url)

export type Vouches = readonly (Vouch | undefined)[]

type Thread = { readonly worker: Worker; readonly jobs: Map<number, (vouches: Vouches) => void> }

const linkOf = ({ hash, signature }: HashLink): HashLink => ({ hash, signature })

export class VouchingThreads {
  readonly #threads: Thread[] = []
  #nextJob = 0

  /** One core is the caller's own. */
  constructor(count = Math.min(mostThreads, availableParallelism() - 1), program = ownProgram) {
    for (let index = 0; index < count; index++) this.#begin(program)
  }

  /** Hands ticks to a thread; undefined when all have enough to do. Resolves to nothing said if the thread fails. */
  ask(
    before: HashLink,
    ticks: readonly EncodedTick[],
    signers: readonly (PresumedSigner | undefined)[],
  ): Promise<Vouches> | undefined {
    const thread = this.#threads.find(({ jobs }) => jobs.size < batchesPerThread)
    if (thread === undefined) return undefined
    const job = this.#nextJob++
    const sent = ticks.map(({ events, ...tick }, index) => ({
      ...tick,
      before: linkOf(ticks[index - 1] ?? before),
      signer: signers[index],
      text: linesOf(events),
    }))
    return new Promise((resolve) => {
      thread.jobs.set(job, resolve)
      thread.worker.postMessage({ job, ticks: sent } satisfies Question)
    })
  }

  /** Until then the threads keep the process alive, since whoever waits for an answer may wait for nothing else. */
  async stop(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  #begin(program: URL): void {
    const thread: Thread = {
      worker: new Worker(program, { execArgv: [], stdout: false, stderr: false }),
      jobs: new Map(),
    }
    thread.worker.on('message', ({ job, vouches }: Reply) => {
      thread.jobs.get(job)?.(vouches)
      thread.jobs.delete(job)
    })
    thread.worker.on('error', () => undefined)
    thread.worker.on('exit', () => {
      const place = this.#threads.indexOf(thread)
      if (place >= 0) this.#threads.splice(place, 1)
      for (const resolve of thread.jobs.values()) resolve([])
      thread.jobs.clear()
    })
    this.#threads.push(thread)
  }
}
