/**
 * Threads that verify signatures while the loop goes on with other things. What they find is remembered, and whoever
 * needs the answer later has it; what they could not look at is verified where it is needed. So they change how long a
 * decision takes, and never what is decided.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { spkiHeader } from '../identity/KeyPair.js'
import { isVerified, rememberVerified, type Claimed } from '../identity/verifiedSignatures.js'
import { transportLimits, type TransportLimits } from './limits.js'

// The thread's program is a text, since a bundled app has no file beside it that a thread could load.
const program = `
const { parentPort } = require('node:worker_threads')
const { createPublicKey, verify } = require('node:crypto')
const keys = new Map()
const keyOf = (hex) => {
  if (!keys.has(hex)) {
    if (keys.size >= 1000) keys.clear()
    keys.set(hex, createPublicKey({ key: Buffer.from(hex, 'hex'), format: 'der', type: 'spki' }))
  }
  return keys.get(hex)
}
const holds = ([key, text, signature]) => {
  try {
    return verify(null, Buffer.from(text, 'utf8'), keyOf(key), Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
parentPort.on('message', ({ job, claims }) => parentPort.postMessage({ job, held: claims.map(holds) }))
`

type Answer = { readonly job: number; readonly held: readonly boolean[] }
type Job = { readonly claimed: readonly Claimed[]; readonly done: () => void }
type Thread = { readonly worker: Worker; readonly jobs: Map<number, Job> }

/** Threads that verify signatures ahead of the decisions that need them. A node has its own; benchmarks make others. */
export class SignatureThreads {
  readonly #threads: Thread[] = []
  readonly #most: number
  readonly #least: number
  #nextJob = 0
  #stopped = false

  /** One core is left to the loop; a machine that has no other gains nothing by a thread. Nor do fewer signatures than the least. */
  constructor(
    limits: Partial<Pick<TransportLimits, 'signatureThreads' | 'signaturesPerThread'>> = {},
    cores = availableParallelism() - 1,
  ) {
    this.#most = Math.min(limits.signatureThreads ?? transportLimits.signatureThreads, cores)
    this.#least = limits.signaturesPerThread ?? transportLimits.signaturesPerThread
  }

  /** Whether it pays to hand over so many signatures. */
  isWorth(count: number): boolean {
    return this.#most > 0 && !this.#stopped && count >= this.#least
  }

  /** Resolves when the signatures have been looked at; those that hold are remembered. */
  verify(claimed: readonly Claimed[]): Promise<void> {
    const unknown = claimed.filter((each) => !isVerified(each))
    if (!this.isWorth(unknown.length)) return Promise.resolve()
    return new Promise((done) => {
      const { worker, jobs } = this.#idlest()
      const job = this.#nextJob++
      jobs.set(job, { claimed: unknown, done })
      const claims = unknown.map(({ by, text, signature }) => [
        spkiHeader + by.slice('ed25519:'.length),
        text,
        signature,
      ])
      worker.postMessage({ job, claims })
    })
  }

  stop(): void {
    this.#stopped = true
    for (const thread of [...this.#threads]) this.#end(thread)
  }

  #idlest(): Thread {
    const [idlest] = [...this.#threads].sort((a, b) => a.jobs.size - b.jobs.size)
    return idlest === undefined || (idlest.jobs.size > 0 && this.#threads.length < this.#most) ? this.#begin() : idlest
  }

  #begin(): Thread {
    // It needs nothing of what this process was started with.
    const worker = new Worker(program, { eval: true, execArgv: [], stdout: false, stderr: false })
    const thread: Thread = { worker, jobs: new Map() }
    worker.on('message', ({ job, held }: Answer) => {
      const taken = thread.jobs.get(job)
      thread.jobs.delete(job)
      taken?.claimed.forEach((each, index) => {
        if (held[index] === true) rememberVerified(each)
      })
      taken?.done()
    })
    worker.on('error', () => this.#end(thread))
    worker.on('exit', () => this.#end(thread))
    // It does not keep the process alive. Said after the listeners: listening to a thread says the opposite.
    worker.unref()
    this.#threads.push(thread)
    return thread
  }

  /** Whatever a thread leaves undone is verified by the decision itself. */
  #end(thread: Thread): void {
    const place = this.#threads.indexOf(thread)
    if (place >= 0) this.#threads.splice(place, 1)
    void thread.worker.terminate()
    for (const { done } of thread.jobs.values()) done()
    thread.jobs.clear()
  }
}
