/**
 * Moves what SQLite's write-ahead log has gathered into the database file from a thread of its own, so that no tick
 * waits for it. Nothing depends on it: a commit is durable in the write-ahead log, and should the thread be slow or
 * missing, SQLite moves the pages itself in the middle of some commit, as it would without us.
 */
import { Worker } from 'node:worker_threads'
import { sqliteDriverName } from './openDatabase.js'

/** A checkpoint is asked for after so much was appended, or so many commits, whichever comes first. */
const bytesApart = 4 * 1_048_576
const commitsApart = 256

/** Plain JavaScript in a text, because a file of its own would be lost when an app is bundled. */
const threadSource = `
const { parentPort, workerData } = require('node:worker_threads')
const load = require('node:module').createRequire(workerData.from)
const Opened = workerData.driver === 'node:sqlite' ? load('node:sqlite').DatabaseSync : load('better-sqlite3')
const db = new Opened(workerData.file)
db.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1; PRAGMA cache_size = -512')
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
parentPort.on('message', (message) => {
  if (message === 'stop') {
    db.close()
    parentPort.close()
    return
  }
  // A disk that is full or gone is reported by the commits that meet it; here there is nobody to tell.
  try { checkpoint.get() } catch {}
  parentPort.postMessage('done')
})
`

export class BackgroundCheckpoints {
  readonly #file: string
  #worker: Worker | undefined
  /** Set once a thread could not be had: then it is not tried again. */
  #given = true
  #busy = false
  #bytes = 0
  #commits = 0

  constructor(file: string) {
    this.#file = file
  }

  /** To be called after each commit, with about how much it appended. */
  committed(bytes: number): void {
    this.#bytes += bytes
    this.#commits += 1
    if (this.#busy || !this.#given || (this.#bytes < bytesApart && this.#commits < commitsApart)) return
    this.#bytes = 0
    this.#commits = 0
    this.#busy = true
    // It is started when it is first needed: a node with little to do never has one.
    this.#worker ??= this.#start()
    this.#worker.postMessage('checkpoint')
  }

  /** Resolves when the thread has let go of the file. */
  stop(): Promise<void> {
    const worker = this.#worker
    this.#given = false
    this.#worker = undefined
    if (worker === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      worker.once('exit', () => resolve())
      worker.ref()
      worker.postMessage('stop')
    })
  }

  #start(): Worker {
    const worker = new Worker(threadSource, {
      eval: true,
      // The thread needs none of what the process was started with, such as loaders of sources.
      execArgv: [],
      workerData: { file: this.#file, driver: sqliteDriverName(), from: import.meta.url },
    })
    worker.on('message', () => {
      this.#busy = false
    })
    worker.on('error', () => {
      this.#given = false
      this.#worker = undefined
    })
    // After the listeners, which hold the process again. An unclosed store must not keep the process alive.
    worker.unref()
    return worker
  }
}
