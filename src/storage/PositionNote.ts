/**
 * The position of an embedded log, noted in a small file beside the store after every commit. The store cannot tell by
 * itself that its end was cut off, or that its files were copied from below a running node; this file can. It is never
 * ahead of the log, and nothing but a warning depends on it: a store without one is taken as it is.
 */
import { closeSync, constants, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { HashC } from '../encoding/hash.js'
import type { Head } from '../log/Tick.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'

const NotedPositionC = t.strict({
  tick: t.number,
  revision: t.number,
  hash: HashC,
  /** Which file held the log: its number in the file system, which a copy does not share. */
  file: t.string,
  /** Whether the writer had not closed the store. */
  isOpen: t.boolean,
})

type Noted = t.TypeOf<typeof NotedPositionC>

/** What was noted, and when. */
export type NotedPosition = Noted & { readonly at: Instant }

/** Beside the database, under a name that nobody deletes together with it. */
export const positionFile = (database: string): string => database.replace(/(?:\.db)?$/, '-position.json')

/** The number of a file in its file system. */
const fileNumber = (file: string): string => String(statSync(file, { bigint: true }).ino)

/** What was noted last; undefined when nothing was, or when it cannot be read. */
export const readPosition = (database: string): NotedPosition | undefined => {
  const file = positionFile(database)
  if (!existsSync(file)) return undefined
  try {
    const decoded = NotedPositionC.decode(JSON.parse(readFileSync(file, 'utf8')))
    if (isLeft(decoded)) return undefined
    return { ...decoded.right, at: instantFromMillis(Math.floor(statSync(file).mtimeMs)) }
  } catch {
    // The power may go in the middle of writing it, and then it says nothing.
    return undefined
  }
}

/** Whether a database is the very file that the note was written beside. */
export const isNotedFile = (database: string, { file }: Noted): boolean => file === fileNumber(database)

/** Every note has the same length, so that a shorter one leaves nothing of a longer one behind. */
const noteLength = 255

const writeNote = (descriptor: number, { tick, revision, hash, file, isOpen }: Noted): void => {
  writeSync(descriptor, `${JSON.stringify({ tick, revision, hash, file, isOpen }).padEnd(noteLength)}\n`, 0)
}

const openNote = (database: string): number =>
  openSync(positionFile(database), constants.O_WRONLY | constants.O_CREAT, 0o600)

export class PositionNote {
  readonly #database: string
  #descriptor: number | undefined
  #file: string | undefined
  #last: Head | undefined

  constructor(database: string) {
    this.#database = database
  }

  /** Notes where the log ends, once that is durable. */
  committed(head: Head): void {
    this.#last = head
    this.#write(head, true)
  }

  /** Notes that the store was closed in good order. A store that was only looked at keeps its note. */
  close(): void {
    if (this.#last !== undefined) this.#write(this.#last, false)
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #write({ tick, revision, hash }: Head, isOpen: boolean): void {
    try {
      this.#file ??= fileNumber(this.#database)
      this.#descriptor ??= openNote(this.#database)
      writeNote(this.#descriptor, { tick, revision, hash, file: this.#file, isOpen })
    } catch {
      // What is committed stays committed. An older note is true as well, and says less.
    }
  }
}

/** The log was moved into another file, which holds the same ticks. */
export const moveNote = (database: string): void => {
  const noted = readPosition(database)
  if (noted === undefined) return
  const descriptor = openNote(database)
  try {
    writeNote(descriptor, { ...noted, file: fileNumber(database) })
  } finally {
    closeSync(descriptor)
  }
}
