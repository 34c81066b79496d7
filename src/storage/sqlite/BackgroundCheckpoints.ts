/**
 * Moves what SQLite's write-ahead log has gathered into the database file from a thread of its own, so that no tick
 * waits for it, and notes the checksums of the pages it moves. Nobody else makes checkpoints: a commit is durable in the
 * write-ahead log, and that log begins anew only after all of it was moved and noted.
 */
import * as fs from 'node:fs'
import { Worker } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import type { Database } from '../Database.js'
import { sqliteDriverName } from './openDatabase.js'
import { makePageNoter, pageNotesFile, removePageNotes } from './pageNotes.js'

/** A checkpoint is asked for after so much was appended, or so many commits, whichever comes first. */
const bytesApart = 4 * 1_048_576
const commitsApart = 256

/**
 * After so much the next commit waits for a checkpoint: only one that nothing is appended beside lets the write-ahead log
 * begin anew. Most of it has been moved before.
 */
const longestLogBytes = 64 * 1_048_576

/** About what a small commit appends. */
const bytesPerCommit = 32_768
const bytesPerPage = 4_096

/** No disk takes that long; then the log grows a little further. */
const longestWaitMs = 10_000

/** Plain JavaScript in a text, because a file of its own would be lost when an app is bundled. */
const threadSource = `
const { parentPort, workerData } = require('node:worker_threads')
const { file, notes, driver, from, done } = workerData
// Some compilers name functions by a helper of their own.
const __name = (named) => named
const makePageNoter = ${makePageNoter.toString()}
const load = require('node:module').createRequire(from)
const Opened = driver === 'node:sqlite' ? load('node:sqlite').DatabaseSync : load('better-sqlite3')
const db = new Opened(file)
db.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1; PRAGMA cache_size = -512; PRAGMA wal_autocheckpoint = 0')
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
// A reader keeps the log from beginning anew, and a checkpoint from going further than the reader sees.
const reader = new Opened(file)
const pin = reader.prepare('SELECT count(*) FROM sqlite_schema')
const noter = makePageNoter(require('node:fs'), require('node:zlib').crc32, file, notes)
parentPort.on('message', (message) => {
  if (message === 'stop') {
    // Nothing is written any more. Whoever still reads may keep pages from being moved; they are noted all the same.
    try {
      noter.note(checkpoint.get().log)
      Atomics.store(done, 2, 1)
    } catch {}
    noter.close()
    reader.close()
    db.close()
    parentPort.close()
    return
  }
  // A disk that is full or gone is reported by the commits that meet it; here there is nobody to tell.
  try {
    reader.exec('BEGIN')
    try {
      pin.get()
      const { log, checkpointed } = checkpoint.get()
      noter.note(checkpointed)
      Atomics.store(done, 1, log)
    } finally {
      reader.exec('COMMIT')
    }
  } catch {}
  Atomics.add(done, 0, 1)
  Atomics.notify(done, 0)
})
`

export class BackgroundCheckpoints {
  readonly #file: string
  readonly #db: Database
  /** How many checkpoints were made, how many pages the write-ahead log had at the last one, and whether all is noted. */
  readonly #done = new Int32Array(new SharedArrayBuffer(12))
  #worker: Worker | undefined
  /** Set once a thread could not be had: then it is not tried again. */
  #given = true
  #asked = 0
  #bytes = 0
  #commits = 0
  /** About how long the write-ahead log is, and from which length on a commit waits. */
  #logBytes = 0
  #waitsFromBytes = longestLogBytes
  /** The checkpoint after which its length was last looked at. */
  #looked = 0

  /** `db` is the connection of the thread that commits, or one of them. */
  constructor(file: string, db: Database) {
    this.#file = file
    this.#db = db
  }

  /** False when the process may have no threads: then SQLite itself moves pages. */
  get hasThread(): boolean {
    return this.#given
  }

  /** To be called after each commit, with about how much it appended, and while no other is under way. */
  committed(bytes: number): void {
    this.#bytes += bytes
    this.#commits += 1
    if (!this.#given) return
    this.#measure(bytes)
    const isLong = this.#logBytes > this.#waitsFromBytes
    if (!isLong && (this.#isBusy() || (this.#bytes < bytesApart && this.#commits < commitsApart))) return
    this.#ask()
    if (!isLong) return
    this.#wait()
    // Whoever reads for long keeps the log from beginning anew; then it may grow by as much again before the next wait.
    this.#waitsFromBytes = this.#logBytes + longestLogBytes
  }

  #measure(bytes: number): void {
    // The views are written too, and whole pages each time.
    this.#logBytes += 2 * bytes + bytesPerCommit
    const done = Atomics.load(this.#done, 0)
    if (done === this.#looked) return
    this.#looked = done
    const measured = Atomics.load(this.#done, 1) * bytesPerPage
    if (measured < this.#logBytes / 2) this.#waitsFromBytes = longestLogBytes
    this.#logBytes = measured
  }

  /** Moves and notes everything. Nothing may be written to the database any more. */
  async stop(): Promise<void> {
    const worker = this.#worker
    const wasGiven = this.#given
    this.#given = false
    this.#worker = undefined
    if (worker !== undefined)
      await new Promise<void>((resolve) => {
        worker.once('exit', () => resolve())
        worker.ref()
        worker.postMessage('stop')
      })
    if (wasGiven) this.#finish(Atomics.load(this.#done, 2) === 1)
  }

  /** To be called when the database is closed. */
  closed(): void {
    const noter = this.#noter()
    try {
      noter.stamp()
    } catch {
      // Without it the next start takes a little longer.
    } finally {
      noter.close()
    }
  }

  #noter(): ReturnType<typeof makePageNoter> {
    return makePageNoter(fs, crc32, this.#file, pageNotesFile(this.#file))
  }

  /** Empties the write-ahead log, after all of it was noted. */
  #finish(isNoted: boolean): void {
    const noter = this.#noter()
    try {
      if (!isNoted) noter.note(Number(this.#db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()?.['log']))
      noter.close()
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // The disk is full or gone. What closing the file still moves could not be noted; no checksums are better than old ones.
      removePageNotes(this.#file)
    }
  }

  #isBusy(): boolean {
    return Atomics.load(this.#done, 0) < this.#asked
  }

  #ask(): void {
    this.#bytes = 0
    this.#commits = 0
    try {
      // It is started when it is first needed: a node with little to do never has one.
      this.#worker ??= this.#start()
    } catch {
      this.#doWithout()
      return
    }
    this.#asked += 1
    this.#worker.postMessage('checkpoint')
  }

  #wait(): void {
    for (let done = Atomics.load(this.#done, 0); this.#given && done < this.#asked; done = Atomics.load(this.#done, 0))
      if (Atomics.wait(this.#done, 0, done, longestWaitMs) === 'timed-out') return
  }

  /** A process that may have no threads lets SQLite move pages in the middle of commits, and nobody notes them. */
  #doWithout(): void {
    if (!this.#given) return
    this.#given = false
    this.#worker = undefined
    removePageNotes(this.#file)
    this.#db.exec('PRAGMA wal_autocheckpoint = 16000')
  }

  #start(): Worker {
    const worker = new Worker(threadSource, {
      eval: true,
      // The thread needs none of what the process was started with, such as loaders of sources.
      execArgv: [],
      workerData: {
        file: this.#file,
        notes: pageNotesFile(this.#file),
        driver: sqliteDriverName(),
        from: import.meta.url,
        done: this.#done,
      },
    })
    worker.on('error', () => {
      this.#doWithout()
    })
    // After the listeners, which hold the process again. An unclosed store must not keep the process alive.
    worker.unref()
    return worker
  }
}
