/**
 * A checksum of every page of a database, in a file beside it. In WAL mode a page reaches the database only through a
 * checkpoint, so the checksums are noted at each one, before the write-ahead log it was taken from can begin anew. What
 * always holds: a page that is not in the write-ahead log has the checksum that was noted last, or none was ever noted.
 */
import * as fs from 'node:fs'
import { crc32 } from 'node:zlib'

/** Beside the database, under a name that nobody deletes together with it. */
export const pageNotesFile = (database: string): string => database.replace(/(?:\.db)?$/, '-pages.sum')

/** Of the file of checksums: what it is, the size of a page, and how far which write-ahead log was noted. */
export const notesHeaderBytes = 64
export const notesMagic = 0x43617253
export const notesAt = { magic: 0, pageSize: 4, firstSalt: 8, secondSalt: 12, frames: 16, stamp: 24 } as const

/** What the file system said of the database when it was last written: its size, its times and its number. */
export const stampBytes = 32

/** Of SQLite's write-ahead log. */
export const walHeaderBytes = 32
export const frameHeaderBytes = 24

/** What notes checkpoints. */
export type PageNoter = {
  /** To be called after a checkpoint has moved the first frames of the write-ahead log, as long as nothing can replace them. */
  readonly note: (frames: number) => void
  /** To be called when the database was written for the last time. */
  readonly stamp: () => void
  readonly close: () => void
}

/**
 * Also the thread that makes checkpoints runs this function, from its text: it uses nothing but what it is given.
 */
export const makePageNoter = (
  { openSync, closeSync, readSync, writeSync, fsyncSync, existsSync, statSync, rmSync }: typeof fs,
  checksum: typeof crc32,
  database: string,
  notes: string,
): PageNoter => {
  const headerBytes = 64
  const magic = 0x43617253
  const framesAtATime = 256
  const entriesPerBlock = 1_024
  let file: number | undefined
  let noted = 0
  let firstSalt = -1
  let secondSalt = -1

  /** Zero means that none was noted. */
  const sumOf = (page: Buffer): number => checksum(page) || 1

  const sumsOfFrames = (wal: number, pageSize: number, from: number, until: number): Map<number, number> => {
    const sums = new Map<number, number>()
    const frameBytes = 24 + pageSize
    const buffer = Buffer.alloc(frameBytes * framesAtATime)
    // Backwards: of a page that was written several times only the last content counts.
    for (let last = until; last > from; last -= framesAtATime) {
      const first = Math.max(from, last - framesAtATime)
      readSync(wal, buffer, 0, (last - first) * frameBytes, 32 + first * frameBytes)
      for (let place = last - first - 1; place >= 0; place--) {
        const at = place * frameBytes
        const page = buffer.readUInt32BE(at)
        if (!sums.has(page)) sums.set(page, sumOf(buffer.subarray(at + 24, at + frameBytes)))
      }
    }
    return sums
  }

  const write = (descriptor: number, sums: Map<number, number>): void => {
    const block = Buffer.alloc(entriesPerBlock * 4)
    let current = -1
    const flush = (): void => {
      if (current >= 0) writeSync(descriptor, block, 0, block.length, headerBytes + current * block.length)
    }
    for (const page of [...sums.keys()].sort((a, b) => a - b)) {
      const number = Math.floor((page - 1) / entriesPerBlock)
      if (number !== current) {
        flush()
        current = number
        block.fill(0)
        readSync(descriptor, block, 0, block.length, headerBytes + number * block.length)
      }
      block.writeUInt32LE(sums.get(page) ?? 0, ((page - 1) % entriesPerBlock) * 4)
    }
    flush()
  }

  /** What the file system says of the database: whoever writes to it later changes that. */
  const stampInto = (header: Buffer, at: number): void => {
    const { size, mtimeNs, ctimeNs, ino } = statSync(database, { bigint: true })
    for (const [place, value] of [size, mtimeNs, ctimeNs, ino].entries())
      header.writeBigUInt64LE(BigInt.asUintN(64, value), at + place * 8)
  }

  const noteFrames = (frames: number): void => {
    const walFile = `${database}-wal`
    if (frames <= 0 || !existsSync(walFile)) return
    const wal = openSync(walFile, 'r')
    try {
      const header = Buffer.alloc(32)
      if (readSync(wal, header, 0, 32, 0) < 32) return
      const pageSize = header.readUInt32BE(8)
      if (header.readUInt32BE(16) !== firstSalt || header.readUInt32BE(20) !== secondSalt) noted = 0
      if (frames <= noted) return
      const sums = sumsOfFrames(wal, pageSize, noted, frames)
      firstSalt = header.readUInt32BE(16)
      secondSalt = header.readUInt32BE(20)
      noted = frames
      file ??= openSync(notes, existsSync(notes) ? 'r+' : 'w+', 0o600)
      write(file, sums)
      const own = Buffer.alloc(headerBytes)
      own.writeUInt32LE(magic, 0)
      own.writeUInt32LE(pageSize, 4)
      own.writeUInt32LE(firstSalt, 8)
      own.writeUInt32LE(secondSalt, 12)
      own.writeUInt32LE(noted, 16)
      stampInto(own, 24)
      writeSync(file, own, 0, headerBytes, 0)
      fsyncSync(file)
    } finally {
      closeSync(wal)
    }
  }

  const close = (): void => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }

  return {
    note: (frames) => {
      try {
        noteFrames(frames)
      } catch (error) {
        // Checksums that lag behind would accuse sound pages; none accuse nobody.
        close()
        noted = 0
        rmSync(notes, { force: true })
        throw error
      }
    },
    stamp: () => {
      if (!existsSync(notes)) return
      file ??= openSync(notes, 'r+')
      const stamp = Buffer.alloc(32)
      stampInto(stamp, 0)
      writeSync(file, stamp, 0, 32, 24)
    },
    close,
  }
}

/** The stamp of a database as it is now. */
export const stampOf = (database: string): Buffer => {
  const { size, mtimeNs, ctimeNs, ino } = fs.statSync(database, { bigint: true })
  const stamp = Buffer.alloc(stampBytes)
  for (const [place, value] of [size, mtimeNs, ctimeNs, ino].entries())
    stamp.writeBigUInt64LE(BigInt.asUintN(64, value), place * 8)
  return stamp
}

/** The checksum of a page as it is noted. */
export const pageSum = (page: Uint8Array): number => crc32(page) || 1

const chunkBytes = 1_048_576

/** Notes all pages of a database that was just made, and that has no write-ahead log. */
export const noteWholeDatabase = (database: string): void => {
  const from = fs.openSync(database, 'r')
  try {
    const header = Buffer.alloc(100)
    if (fs.readSync(from, header, 0, 100, 0) < 100) return
    const shortSize = header.readUInt16BE(16)
    const pageSize = shortSize === 1 ? 65_536 : shortSize
    const pages = Math.floor(fs.fstatSync(from).size / pageSize)
    const notes = Buffer.alloc(notesHeaderBytes + pages * 4)
    notes.writeUInt32LE(notesMagic, notesAt.magic)
    notes.writeUInt32LE(pageSize, notesAt.pageSize)
    const chunk = Buffer.alloc(Math.max(chunkBytes, pageSize))
    const perChunk = Math.floor(chunk.length / pageSize)
    for (let first = 0; first < pages; first += perChunk) {
      const count = Math.min(perChunk, pages - first)
      fs.readSync(from, chunk, 0, count * pageSize, first * pageSize)
      for (let place = 0; place < count; place++)
        notes.writeUInt32LE(
          pageSum(chunk.subarray(place * pageSize, (place + 1) * pageSize)),
          notesHeaderBytes + (first + place) * 4,
        )
    }
    stampOf(database).copy(notes, notesAt.stamp)
    const to = fs.openSync(pageNotesFile(database), 'w', 0o600)
    try {
      fs.writeSync(to, notes)
      fs.fsyncSync(to)
    } finally {
      fs.closeSync(to)
    }
  } finally {
    fs.closeSync(from)
  }
}

export const removePageNotes = (database: string): void => {
  fs.rmSync(pageNotesFile(database), { force: true })
}
