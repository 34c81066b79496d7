/**
 * Compares the pages of a database with the checksums that were noted of them, when it is opened and before anything is
 * decided by what it says. Pages that are in the write-ahead log are not compared: SQLite reads them from there, and checks
 * that log itself.
 */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
import { NodeFault } from '../../errors/CarillonError.js'
import { overflowsOf, childrenOf } from './pagesBelow.js'
import {
  frameHeaderBytes,
  notesAt,
  notesHeaderBytes,
  notesMagic,
  pageNotesFile,
  pageSum,
  stampBytes,
  stampOf,
  walHeaderBytes,
} from './pageNotes.js'

/** Where SQLite's index of the write-ahead log says how many frames of it count. */
const validFramesAt = 16

const chunkBytes = 1_048_576

const damaged = (file: string, what: string): NodeFault =>
  new NodeFault(
    'store-corrupt',
    `${file} is damaged: ${what} is not as it was written. Nothing was decided by it. Run "carillon log rebuild", which checks the log and builds the views anew; where the log is damaged too it says so, and then restore the store from a backup, or import an export made with "carillon log export".`,
    { file },
  )

/** Reads the beginning of a file; gives how much there was. */
const readStart = (file: string, into: Buffer): number => {
  const descriptor = openSync(file, 'r')
  try {
    return readSync(descriptor, into, 0, into.length, 0)
  } finally {
    closeSync(descriptor)
  }
}

export class PageCheck {
  readonly #database: string
  readonly #descriptor: number
  readonly #size: number
  #notes: Buffer
  /** How many frames of the write-ahead log count. */
  readonly #frames: number
  /** Where that log holds the newest content of the pages that are in it; found out when a page differs, which is rare. */
  #inLog: ReadonlyMap<number, number> | undefined

  private constructor(database: string, notes: Buffer) {
    this.#database = database
    this.#notes = notes
    this.#size = notes.readUInt32LE(notesAt.pageSize)
    this.#descriptor = openSync(database, 'r')
    try {
      this.#frames = this.#validFrames()
    } catch (error) {
      this.close()
      throw error
    }
  }

  /**
   * To be called when SQLite has opened the database, and nobody has written to it yet. Undefined for one of which nothing
   * was noted.
   */
  static of(database: string): PageCheck | undefined {
    const notes = PageCheck.#readNotes(database)
    return notes === undefined ? undefined : new PageCheck(database, notes)
  }

  static #readNotes(database: string): Buffer | undefined {
    const file = pageNotesFile(database)
    const notes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
    if (notes.length < notesHeaderBytes) return undefined
    const magic = notes.readUInt32LE(notesAt.magic)
    // The header is written last: whoever was interrupted before has noted nothing, and the write-ahead log has it all.
    if (magic === 0) return undefined
    if (magic !== notesMagic) throw damaged(database, `the file of its checksums, ${file},`)
    return notes
  }

  get bytes(): number {
    return fstatSync(this.#descriptor).size
  }

  /** Whether, by what the file system says, nobody has written to the database but those who note what they write. */
  get isUntouched(): boolean {
    return stampOf(this.#database).equals(this.#notes.subarray(notesAt.stamp, notesAt.stamp + stampBytes))
  }

  /** Compares everything, a chunk with every step. Gives the pages that differ; none may be written meanwhile. */
  *all(): Generator<readonly number[]> {
    const size = this.#size
    const held = Math.floor(this.bytes / size)
    const noted = Math.floor((this.#notes.length - notesHeaderBytes) / 4)
    const chunk = Buffer.alloc(Math.max(chunkBytes, size))
    const perChunk = Math.floor(chunk.length / size)
    for (let first = 0; first < held; first += perChunk) {
      const count = Math.min(perChunk, held - first)
      const different: number[] = []
      readSync(this.#descriptor, chunk, 0, count * size, first * size)
      for (let place = 0; place < count; place++)
        if (!this.#isSound(first + place + 1, chunk.subarray(place * size, (place + 1) * size)))
          different.push(first + place + 1)
      yield different
    }
    for (let page = held + 1; page <= noted; page++) if (this.#noted(page) !== 0 && !this.#isInLog(page)) yield [page]
  }

  /** Compares everything at once, and throws when a page differs. */
  assertAll(): void {
    for (const different of this.all()) this.assertNone(different)
  }

  assertNone([page]: readonly number[]): void {
    if (page !== undefined) throw damaged(this.#database, `page ${page}`)
  }

  /** Whether a page that differed is by now as it was noted: it may just have been written. */
  isSoundNow(page: number): boolean {
    const notes = PageCheck.#readNotes(this.#database)
    if (notes === undefined) return true
    this.#notes = notes
    return this.#isSound(page, this.#read(this.#descriptor, (page - 1) * this.#size))
  }

  /** Compares all pages of a table or an index, from its root. */
  assertTree(root: number): void {
    const content = this.#content(root)
    if (!this.#isSound(root, content)) this.assertNone([root])
    for (const child of childrenOf(content, root)) this.assertTree(child)
    for (const first of overflowsOf(content, root))
      for (let page = first; page !== 0;) {
        const part = this.#content(page)
        if (!this.#isSound(page, part)) this.assertNone([page])
        page = part.readUInt32BE(0)
      }
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #read(descriptor: number, at: number): Buffer {
    const content = Buffer.alloc(this.#size)
    readSync(descriptor, content, 0, this.#size, at)
    return content
  }

  /** A page as SQLite sees it. */
  #content(page: number): Buffer {
    const at = this.#placeInLog(page)
    if (at === undefined) return this.#read(this.#descriptor, (page - 1) * this.#size)
    const log = openSync(`${this.#database}-wal`, 'r')
    try {
      return this.#read(log, at)
    } finally {
      closeSync(log)
    }
  }

  #noted(page: number): number {
    const at = notesHeaderBytes + (page - 1) * 4
    return at + 4 <= this.#notes.length ? this.#notes.readUInt32LE(at) : 0
  }

  #isSound(page: number, content: Uint8Array): boolean {
    const noted = this.#noted(page)
    return noted === 0 || pageSum(content) === noted || this.#isInLog(page)
  }

  #isInLog(page: number): boolean {
    return this.#placeInLog(page) !== undefined
  }

  #placeInLog(page: number): number | undefined {
    this.#inLog ??= this.#pagesInLog()
    return this.#inLog.get(page)
  }

  #pagesInLog(): ReadonlyMap<number, number> {
    const pages = new Map<number, number>()
    if (this.#frames === 0) return pages
    const log = openSync(`${this.#database}-wal`, 'r')
    try {
      const number = Buffer.alloc(4)
      for (let frame = 0; frame < this.#frames; frame++) {
        const at = walHeaderBytes + frame * (frameHeaderBytes + this.#size)
        readSync(log, number, 0, 4, at)
        pages.set(number.readUInt32BE(0), at + frameHeaderBytes)
      }
      return pages
    } finally {
      closeSync(log)
    }
  }

  /** How many frames of the write-ahead log SQLite has found to be whole. Throws when more were noted before. */
  #validFrames(): number {
    const wal = `${this.#database}-wal`
    if (!existsSync(wal)) return 0
    const header = Buffer.alloc(walHeaderBytes)
    if (readStart(wal, header) < walHeaderBytes) return 0
    const shared = Buffer.alloc(validFramesAt + 4)
    readStart(`${this.#database}-shm`, shared)
    const frames = endianness() === 'LE' ? shared.readUInt32LE(validFramesAt) : shared.readUInt32BE(validFramesAt)
    const isNoted =
      header.readUInt32BE(16) === this.#notes.readUInt32LE(notesAt.firstSalt) &&
      header.readUInt32BE(20) === this.#notes.readUInt32LE(notesAt.secondSalt)
    // What was moved into the database is newer than what is left of the log.
    if (isNoted && frames < this.#notes.readUInt32LE(notesAt.frames)) throw damaged(this.#database, `its file ${wal}`)
    return frames
  }
}
