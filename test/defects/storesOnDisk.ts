/**
 * What becomes of a party's log in a store on disk: built out of ticks, written tick by tick, closed and opened, damaged,
 * and rebuilt. Files are real here, and gone afterwards.
 */
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Invariant } from 'carillon/testing'
import { messageOf } from '../../src/errors/CarillonError.js'
import { decodeEvent } from '../../src/log/decodeEvent.js'
import { emptyHead, headAfter, type EncodedTick } from '../../src/log/Tick.js'
import { buildStore, moveInPlace } from '../../src/storage/buildStore.js'
import { digestViews } from '../../src/storage/digest.js'
import { EmbeddedStore } from '../../src/storage/EmbeddedStore.js'
import type { LogFold } from '../../src/storage/LogFold.js'
import type { StorageLimits } from '../../src/storage/limits.js'
import { readPosition } from '../../src/storage/PositionNote.js'
import { rebuildStore } from '../../src/storage/rebuildStore.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import { Chance } from '../../src/testing/simulation/Chance.js'

/** A disk in memory where there is one: what is looked at here is not whether a disk keeps what it was told. */
const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

const expectThat = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what)
}

const toFold = (tick: EncodedTick) => ({
  tick,
  fold: (fold: LogFold) => {
    fold.fold(tick)
  },
})

/** Lets the views follow a tick, as deciding it has done. */
const follow = (store: EmbeddedStore, { events, firstRevision, at }: EncodedTick): void => {
  const atMs = Date.parse(at)
  for (const [index, line] of events.entries())
    store.views.fold(decodeEvent(line, firstRevision + index), firstRevision + index, atMs)
}

/** Writes a tick as a node does: some are given up first, some are handed over. */
const write = (store: EmbeddedStore, tick: EncodedTick, chance: Chance): void => {
  for (let tries = chance.oneIn(5) ? 1 : 0; tries > 0; tries--) {
    store.begin()
    follow(store, tick)
    store.rollback()
  }
  store.begin()
  follow(store, tick)
  const { kind } = store.handOver(tick)?.outcome() ?? store.commit(tick)
  expectThat(kind === 'appended', `tick ${tick.number} is ${kind}`)
}

/** Opens a store, waits until all its pages are known to be sound, and looks whether it holds what it should. */
const expectWhole = async (
  file: string,
  ticks: readonly EncodedTick[],
  digest: string,
  limits: Partial<StorageLimits>,
) => {
  const store = EmbeddedStore.open(file, { usesThread: false, limits })
  try {
    await store.assertSound()
    const [head, last] = [store.head(), ticks.at(-1)]
    expectThat(head.hash === (last === undefined ? emptyHead : headAfter(last)).hash, 'the store ends elsewhere')
    expectThat(digestViews(store.reader) === digest, 'the views on disk are others')
    let count = 0
    for await (const { hash } of store.read(0)) expectThat(hash === ticks[count++]?.hash, `tick ${count} is another`)
    expectThat(count === ticks.length, `there are ${count} ticks of ${ticks.length}`)
  } finally {
    await store.close()
  }
}

/** Turns one bit of a file, and gives what turns it back. */
const flip = (file: string, chance: Chance): (() => void) => {
  const [at, mask] = [chance.below(statSync(file).size), 1 << chance.below(8)]
  const turn = (): void => {
    const descriptor = openSync(file, 'r+')
    const byte = Buffer.alloc(1)
    readSync(descriptor, byte, 0, 1, at)
    writeSync(descriptor, Buffer.of((byte[0] ?? 0) ^ mask), 0, 1, at)
    closeSync(descriptor)
  }
  turn()
  return turn
}

const expectRefused = async (file: string, limits: Partial<StorageLimits>): Promise<void> => {
  let store: EmbeddedStore | undefined
  try {
    store = EmbeddedStore.open(file, { usesThread: false, limits })
    await store.assertSound()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return
    throw error
  } finally {
    await store?.close()
  }
  throw new Error('a store was opened of which a bit was turned')
}

/** All of it, with one log. */
const live = async (folder: string, ticks: readonly EncodedTick[], digest: string, chance: Chance): Promise<void> => {
  const file = join(folder, 'store.db')
  const limits = (): Partial<StorageLimits> => ({
    pagesCheckedAtOnceBytes: chance.pick([1, 1e9]),
    pagesAlwaysAwaitedBytes: chance.pick([1, 1e9]),
    rowsKept: chance.pick([1, 128]),
  })
  const built = chance.below(ticks.length)
  if (built > 0) {
    await buildStore(`${file}.new`, ticks.slice(0, built).map(toFold), {})
    moveInPlace(`${file}.new`, file)
  }
  const store = EmbeddedStore.open(file, { usesThread: false, limits: limits() })
  try {
    await store.assertSound()
    for (const tick of ticks.slice(built)) write(store, tick, chance)
    const noted = readPosition(file)
    expectThat(noted?.isOpen === true && noted.tick === ticks.length, 'no note says where the log ends')
  } finally {
    await store.close()
  }
  expectThat(readPosition(file)?.isOpen === false, 'a store that is closed has no note of it')
  expectThat(!existsSync(`${file}-wal`), 'a store that is closed has a write-ahead log')
  await expectWhole(file, ticks, digest, limits())
  for (let flips = 0; flips < 3; flips++) {
    const turnBack = flip(file, chance)
    await expectRefused(file, limits())
    turnBack()
  }
  await expectWhole(file, ticks, digest, limits())
  // Whoever changes a row by other means is found out, and the log gives the row as it was.
  const db = openDatabase(file)
  db.exec('UPDATE flows SET version = version + 1; UPDATE states SET attempt = attempt + 1')
  db.close()
  await expectRefused(file, limits())
  const { after } = await rebuildStore(file)
  expectThat(after === digest, 'a rebuild gives other views')
  await expectWhole(file, ticks, digest, limits())
}

/** A store on disk holds what its log gives, and damage to it is found. */
export const storesOnDisk: Invariant = {
  name: 'a store on disk holds what its log gives, and damage to it is found',
  violations: async ({ parties, plan }) => {
    const chance = new Chance(`disk ${plan.seed}`)
    const { name, inspect, replayed } = chance.pick(parties)
    const ticks: EncodedTick[] = []
    for await (const tick of inspect.ticks()) ticks.push(tick)
    if (!chance.oneIn(2) || ticks.length === 0 || replayed.problems.length > 0) return []
    const folder = mkdtempSync(join(scratch, 'carillon-disk-'))
    try {
      await live(folder, ticks, replayed.viewsDigest, chance)
      return []
    } catch (error) {
      return [`${name}: ${messageOf(error)}`]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
