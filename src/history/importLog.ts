/**
 * Makes a store out of an exported log. The store is built beside its place and moved there once it is whole and
 * on disk, so an import that fails or is cut short leaves no store behind.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { DomainEvent } from '../log/events.js'
import type { EncodedTick, Head } from '../log/Tick.js'
import { buildStore, eventsInStoreFile, moveInPlace, removeDatabase, type TickToFold } from '../storage/buildStore.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'
import { instantFromMillis } from '../time/Instant.js'
import type { RestoredMark } from '../engine/RestoredMark.js'
import { lockFolder, storeFiles } from '../folder/StoreFolder.js'
import { LogChecker } from './LogChecker.js'
import { importInvalid, readExport } from './readExport.js'

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
  /** @internal The mark of a store that may be older than what others have seen. Default: none. */
  readonly markAt?: (head: Head) => RestoredMark | undefined
  /** A key that must have signed the log. Default: whichever it names. */
  readonly by?: PublicKey
  readonly onProgress?: (events: number) => void
}

/** The ticks of a log or an export, each checked before it is folded. */
async function* checked(
  offered: AsyncIterable<OfferedTick>,
  checker: LogChecker,
  onProgress?: (events: number) => void,
): AsyncGenerator<TickToFold> {
  let complain: OfferedTick['fault'] = (_revision, what) => importInvalid(1, what)
  for await (const next of offered) {
    const { tick, fault } = next
    complain = fault
    const events = soundEvents(checker, next)
    yield {
      tick,
      fold: (fold) => {
        try {
          fold.foldEvents(tick, events)
        } catch (error) {
          if (error instanceof CarillonError && error.code !== 'invariant-broken') throw error
          throw fault(
            tick.firstRevision,
            `tick ${tick.number} contradicts the ticks before it (${messageOf(error)})`,
            error,
          )
        }
      },
    }
    onProgress?.(checker.counts.events)
  }
  const [missing] = checker.end()
  if (missing !== undefined) throw complain(missing.revision, missing.what, missing.cause)
}

/** What the file system reports becomes a typed error; what the reader of the lines throws stays what it is. */
const onDisk = <A>(folder: string, act: () => A): A => {
  try {
    return act()
  } catch (error) {
    throw storeFailure(error, folder)
  }
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
      const { by, onProgress, markAt } = options
      const checker = new LogChecker({ decode: true, ...(by === undefined ? {} : { by }) })
      const built = await buildStore(
        building,
        checked(offered, checker, onProgress),
        markAt === undefined ? {} : { markAt },
      )
      onDisk(folder, () => {
        moveInPlace(building, database)
      })
      done = true
      return built.head
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
  options: Omit<MakeStoreOptions, 'markAt'> = {},
): Promise<Head> =>
  makeStore(offeredByExport(lines), folder, {
    ...options,
    markAt: ({ revision }) =>
      revision < 0 ? undefined : { from: 'export', at: instantFromMillis(Date.now()), revision },
  })
