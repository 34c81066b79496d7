/**
 * Makes a store out of an exported log. The store is built beside its place and moved there once it is whole and
 * on disk, so an import that fails or is cut short leaves no store behind.
 */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { DomainEvent } from '../log/events.js'
import type { EncodedTick, Head } from '../log/Tick.js'
import { eventsInStoreFile, StoreBuilder } from '../storage/StoreBuilder.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'
import { instantFromMillis } from '../time/Instant.js'
import { lockFolder, storeFiles } from '../folder/StoreFolder.js'
import { syncPath } from '../folder/syncPath.js'
import { LogChecker } from './LogChecker.js'
import { importInvalid, readExport } from './readExport.js'

const removeDatabase = (file: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true })
}

/** A store that was opened but never started may be filled; one with events may not. */
const assertEmpty = (database: string, folder: string): void => {
  const events = existsSync(database) ? eventsInStoreFile(database) : 0
  if (events > 0)
    throw new CarillonError(
      'log-not-empty',
      `The store in ${folder} already holds ${events} events. Import into another folder, or move this store away first.`,
      { folder, events },
    )
}

/** A tick to be taken, and how to complain about what is wrong with it. */
export type OfferedTick = {
  readonly tick: EncodedTick
  readonly fault: (revision: number, what: string, cause?: unknown) => CarillonError
}

/** The events of a tick that holds up; otherwise an error that says what does not. */
export const soundEvents = (checker: LogChecker, { tick, fault }: OfferedTick): readonly DomainEvent[] => {
  const { events, problems } = checker.check(tick)
  const [problem] = problems
  if (problem !== undefined) {
    if (problem.cause instanceof CarillonError && problem.cause.code === 'log-too-new') throw problem.cause
    throw fault(problem.revision, problem.what, problem.cause)
  }
  return events.filter((event) => event !== undefined)
}

/** How a store is built. */
export type MakeStoreOptions = {
  /** Whether it may be older than what others have seen, and is marked so. Default false. */
  readonly isRestored?: boolean
  /** A key that must have signed the log. Default: whichever it names. */
  readonly by?: PublicKey
  readonly onProgress?: (events: number) => void
}

const build = async (
  offered: AsyncIterable<OfferedTick>,
  file: string,
  { isRestored = false, by, onProgress }: MakeStoreOptions,
): Promise<Head> => {
  const store = new StoreBuilder(file)
  try {
    const checker = new LogChecker({ decode: true, ...(by === undefined ? {} : { by }) })
    for await (const next of offered) {
      const { tick, fault } = next
      const events = soundEvents(checker, next)
      try {
        store.fold(tick, events)
      } catch (error) {
        if (error instanceof CarillonError && error.code !== 'invariant-broken') throw error
        throw fault(
          tick.firstRevision,
          `tick ${tick.number} contradicts the ticks before it (${messageOf(error)})`,
          error,
        )
      }
      store.append(tick)
      onProgress?.(checker.counts.events)
    }
    const [missing] = checker.end()
    if (missing !== undefined) throw importInvalid(1, missing.what)
    const { head } = checker
    store.finish(
      isRestored && head.revision >= 0
        ? { from: 'export', at: instantFromMillis(Date.now()), revision: head.revision }
        : undefined,
    )
    return head
  } finally {
    store.close()
  }
}

/** What the file system reports becomes a typed error; what the reader of the lines throws stays what it is. */
const onDisk = <A>(folder: string, act: () => A): A => {
  try {
    return act()
  } catch (error) {
    throw storeFailure(error, folder)
  }
}

const moveInPlace = (built: string, database: string, folder: string): void => {
  chmodSync(built, 0o600)
  syncPath(built)
  renameSync(built, database)
  syncPath(folder)
}

/**
 * Builds a store out of ticks in a folder that holds no events: log and views together, whole or not at all.
 */
export const makeStore = async (
  offered: AsyncIterable<OfferedTick>,
  folder: string,
  options: MakeStoreOptions = {},
): Promise<Head> => {
  const { database } = storeFiles(folder)
  const building = `${database}.importing`
  const isNew = !existsSync(folder)
  let done = false
  try {
    if (isNew) onDisk(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
    const unlock = onDisk(folder, () => lockFolder(folder))
    try {
      assertEmpty(database, folder)
      removeDatabase(building)
      const head = await build(offered, building, options)
      onDisk(folder, () => {
        moveInPlace(building, database, folder)
      })
      done = true
      return head
    } finally {
      if (!done) removeDatabase(building)
      unlock()
    }
  } finally {
    if (!done && isNew) rmSync(folder, { recursive: true, force: true })
  }
}

/** The ticks of an export; what is wrong with one is told by the line it stands on. */
export async function* offeredByExport(lines: AsyncIterable<string>): AsyncGenerator<OfferedTick> {
  for await (const { tick, line } of readExport(lines))
    yield {
      tick,
      fault: (revision, what, cause) =>
        importInvalid(line + Math.max(0, 1 + revision - tick.firstRevision), what, cause),
    }
}

/**
 * Imports an export into `folder`, which must hold no events, and builds log and views together. Every line is
 * checked as `verifyLog` checks it. The store can be read at once; like one from a backup, it must be compared or told to
 * go on before a node runs on it. Returns the head the store now stands at.
 */
export const importLog = (
  lines: AsyncIterable<string>,
  folder: string,
  options: Omit<MakeStoreOptions, 'isRestored'> = {},
): Promise<Head> => makeStore(offeredByExport(lines), folder, { ...options, isRestored: true })
