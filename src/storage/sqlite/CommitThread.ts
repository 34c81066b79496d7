/**
 * Carries out the writes of a transaction in a thread with a connection of its own, synced to the disk like any other,
 * while the thread that gathered them goes on. One transaction is under way at a time; whoever needs to know what became
 * of it can wait for that without giving way to anything else.
 */
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { NodeFault } from '../../errors/CarillonError.js'
import type { CommitWorker, Guard, WorkerGone, WorkerOutcome, Write } from './CommitWorker.js'
import { sqliteDriverName } from './openDatabase.js'
import { writableSettings } from './openWritable.js'

/** No disk takes that long to sync a tick. */
const longestCommitMs = 60_000

/** Plain JavaScript in a text, because a file of its own would be lost when an app is bundled. */
const threadSource = `
const { workerData } = require('node:worker_threads')
const { file, driver, from, settings, port, done } = workerData
const load = require('node:module').createRequire(from)
const isNodes = driver === 'node:sqlite'
const Opened = isNodes ? load('node:sqlite').DatabaseSync : load('better-sqlite3')
const db = new Opened(file)
for (const setting of settings) db.exec(setting)
const texts = []
const statements = []
const guards = new Map()
const first = (sql) => {
  if (!guards.has(sql)) guards.set(sql, db.prepare(sql))
  const row = guards.get(sql).get()
  return row === undefined ? undefined : Object.values(row)[0]
}
const carryOut = ({ sqls, guard, places, values }) => {
  // All of them, before one is found that cannot be prepared: their places must stay those of the list.
  texts.push(...sqls)
  db.exec('BEGIN IMMEDIATE')
  try {
    if (first(guard.sql) !== guard.expected) {
      db.exec('ROLLBACK')
      return { kind: 'refused' }
    }
    for (let i = 0; i < places.length; i++) {
      const place = places[i]
      const statement = (statements[place] ??= db.prepare(texts[place]))
      if (isNodes) statement.run(...values[i])
      else statement.run(values[i])
    }
    db.exec('COMMIT')
    return { kind: 'committed' }
  } catch (error) {
    try { db.exec('ROLLBACK') } catch {}
    throw error
  }
}
let stopped = false
port.on('message', (message) => {
  // A port that is closed may still bring what was sent to it before.
  if (stopped) return
  if (message === 'stop') {
    stopped = true
    db.close()
    port.close()
    return
  }
  let outcome
  try {
    outcome = carryOut(message)
  } catch (error) {
    const { message, code, errcode } = error
    outcome = { kind: 'failed', error: { message, code, errcode } }
  }
  // The answer first: whoever sees the number change finds it in the port.
  port.postMessage(outcome)
  Atomics.add(done, 0, 1)
  Atomics.notify(done, 0)
})
// Whoever waits would else wait for a thread that is gone.
process.on('exit', () => {
  Atomics.add(done, 0, 1)
  Atomics.notify(done, 0)
})
port.postMessage('ready')
`

/** An error as the thread could send it. */
const revived = (error: unknown): unknown => {
  const { message, code, errcode } = error as Readonly<Record<string, unknown>>
  return Object.assign(new Error(String(message)), { code, errcode })
}

export class CommitThread implements CommitWorker {
  readonly #file: string
  readonly #done = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #port: MessagePort | undefined
  /** Set once a thread could not be had, or is gone: then it is not tried again. */
  #given = true
  #ready = false
  #asked = 0
  /** How many of its statements the thread has been told. */
  #told = 0
  #whenDone: ((outcome: WorkerOutcome | WorkerGone) => void) | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** Whether it can take a transaction at once. The first time this is asked the thread is started. */
  isReady(): boolean {
    if (this.#worker === undefined && this.#given) this.#start()
    return this.#ready
  }

  /** Whether it is there and has carried out all it was given, be its last answer read or not. */
  isWriterIdle(): boolean {
    return this.#ready && Atomics.load(this.#done, 0) >= this.#asked
  }

  /** Begins to carry out writes. `statements` are all that were ever prepared, in order. */
  carryOut(
    guard: Guard,
    writes: readonly Write[],
    statements: readonly string[],
    whenDone: (outcome: WorkerOutcome | WorkerGone) => void,
  ): void {
    this.#asked += 1
    this.#whenDone = whenDone
    // Until it has answered the process must not end for want of anything else to do.
    this.#port?.ref()
    this.#port?.postMessage({
      sqls: statements.slice(this.#told),
      guard,
      places: writes.map(({ statement }) => statement),
      values: writes.map(({ values }) => values),
    })
    this.#told = statements.length
  }

  /** Waits, without giving way, until the transaction under way has its outcome. */
  await(): void {
    // The number may be higher than what was asked for: a thread that ends counts that too.
    for (let done = Atomics.load(this.#done, 0); done < this.#asked; done = Atomics.load(this.#done, 0)) {
      if (Atomics.wait(this.#done, 0, done, longestCommitMs) === 'timed-out')
        throw new NodeFault(
          'store-not-writable',
          `A commit to ${this.#file} has not ended in ${longestCommitMs / 1_000} s. Check the disk, and start the node again; it goes on from what the log holds.`,
          { file: this.#file },
        )
    }
    const answer = this.#port === undefined ? undefined : receiveMessageOnPort(this.#port)
    this.#answered(answer === undefined ? { kind: 'gone' } : (answer.message as WorkerOutcome))
  }

  /** Resolves when the thread has let go of the file. */
  stop(): Promise<void> {
    // Undefined also when it has ended by itself, or never began.
    const worker = this.#worker
    this.#given = false
    this.#ready = false
    if (worker === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      worker.once('exit', () => resolve())
      worker.ref()
      this.#port?.postMessage('stop')
    })
  }

  #answered(outcome: WorkerOutcome | WorkerGone): void {
    this.#port?.unref()
    const tell = this.#whenDone
    this.#whenDone = undefined
    tell?.(outcome.kind === 'failed' ? { kind: 'failed', error: revived(outcome.error) } : outcome)
  }

  #start(): void {
    try {
      this.#begin()
    } catch {
      // A process that may have no threads commits everything by itself.
      this.#given = false
    }
  }

  #begin(): void {
    const { port1, port2 } = new MessageChannel()
    const worker = new Worker(threadSource, {
      eval: true,
      // The thread needs none of what the process was started with, such as loaders of sources.
      execArgv: [],
      workerData: {
        file: this.#file,
        driver: sqliteDriverName(),
        from: import.meta.url,
        // Checkpoints are made, and noted, by another thread.
        settings: [...writableSettings, 'PRAGMA wal_autocheckpoint = 0'],
        port: port2,
        done: this.#done,
      },
      transferList: [port2],
    })
    this.#worker = worker
    this.#port = port1
    port1.on('message', (message: 'ready' | WorkerOutcome) => {
      if (message === 'ready') this.#ready = this.#given
      else this.#answered(message)
    })
    // An error is followed by the exit; without a listener it would end the process.
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      this.#given = false
      this.#ready = false
      this.#worker = undefined
      this.#answered({ kind: 'gone' })
      port1.close()
    })
    // After the listeners, which hold the process again. An unclosed store must not keep the process alive.
    port1.unref()
    worker.unref()
  }
}
