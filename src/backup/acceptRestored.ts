/**
 * Lets a restored store be written to again: because the checkpoints that others keep of its log are all in it, or because
 * someone says so. Either is recorded in the log.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { readContinuedAt } from '../storage/tables/HeadTable.js'
import { isOfLaterContinuation, type Checkpoint } from '../log/Checkpoint.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { EventLog } from '../log/EventLog.js'
import type { EventOf } from '../log/events.js'
import type { Head } from '../log/Tick.js'
import { EmbeddedStore } from '../storage/EmbeddedStore.js'
import { readKeyFile } from '../keys/KeyFile.js'
import { keptOpen } from '../logs/keptOpen.js'
import { verifyLog } from '../history/verifyLog.js'
import { commitOffline, openOfflineTick } from '../folder/OfflineOperator.js'
import { assertStore, markOf, openStoreLog, readStore } from '../folder/readStore.js'
import { lockFolder, openLogFolder, storeFiles } from '../folder/StoreFolder.js'
import type { TickStore } from '../storage/TickStore.js'

/** Who lets it go on, and a remark of theirs. */
export type Acceptance = { readonly by: string; readonly note?: string }

/** Where the log is, and who wants to hear how far its check has come. */
export type AcceptOptions = {
  /** The log, when it is not in the store. It is left open. */
  readonly log?: EventLog
  /** The node's key, which signs that the store goes on. Default: the one in its folder. */
  readonly key?: KeyPair
  readonly onProgress?: (events: number) => void
}

const assertMarked = (folder: string): void => {
  if (markOf(folder) !== undefined) return
  throw new CarillonError(
    'request-invalid',
    `The store in ${folder} was not restored from a backup or an export, or was let go on already. Nothing needs to be done.`,
    { folder },
  )
}

const record = async (
  store: TickStore,
  key: KeyPair,
  event: Omit<EventOf<'RestoreAccepted'>, 'revision'>,
): Promise<Head> => {
  const tick = openOfflineTick(store, key)
  store.begin()
  tick.emit({ ...event, revision: store.head().revision })
  await commitOffline(store, tick)
  return store.head()
}

/** Takes a marked store, or one whose log is elsewhere, for the moment it takes to let it go on. */
const holding = async (
  folder: string,
  { log, key: given }: AcceptOptions,
  letGoOn: (store: TickStore, key: KeyPair) => Promise<Head>,
): Promise<Head> => {
  if (log !== undefined) {
    const { store, key, releaseHold } = await openLogFolder(folder, keptOpen(log), { key: given, isToWrite: false })
    try {
      return await letGoOn(store, key)
    } finally {
      await releaseHold()
    }
  }
  assertStore(folder)
  const unlock = lockFolder(folder)
  try {
    assertMarked(folder)
    const files = storeFiles(folder)
    const key = given ?? readKeyFile(files.key)
    const store = EmbeddedStore.open(files.database)
    try {
      await store.assertSound()
      return await letGoOn(store, key)
    } finally {
      await store.close()
    }
  } finally {
    unlock()
  }
}

/** Records that a store may go on, compared with so many checkpoints, and takes its mark away. */
export const acceptCompared = (
  folder: string,
  checkpoints: number,
  { by, note }: Acceptance,
  options: AcceptOptions,
): Promise<Head> =>
  holding(folder, options, async (store, key) => {
    const head = await record(store, key, {
      type: 'RestoreAccepted',
      by,
      checkpoints,
      ...(note === undefined ? {} : { note }),
    })
    // After the event: whoever is interrupted in between is asked once more, and no more than that.
    store.mark?.(undefined)
    return head
  })

/**
 * Lets a restored store go on without comparing it with anything. Whoever says so knows that nothing is missing, or that
 * it is lost for good: checkpoints that the node has signed before no longer count from here on.
 */
export const acceptRestored = (folder: string, acceptance: Acceptance, options: AcceptOptions = {}): Promise<Head> =>
  acceptCompared(folder, 0, acceptance, options)

/** The checkpoints that still count: an operator may have said that what was signed before some moment is lost. */
const standing = (folder: string, checkpoints: readonly Checkpoint[]): readonly Checkpoint[] => {
  const continuedAt = readStore(folder, readContinuedAt)
  return checkpoints.filter((checkpoint) => !isOfLaterContinuation({ continuedAt }, checkpoint))
}

/** Compares a restored store with checkpoints that others keep, and lets nothing go on yet. Gives how many of them count. */
export const assertCheckpoints = async (
  folder: string,
  checkpoints: readonly Checkpoint[],
  options: AcceptOptions,
): Promise<number> => {
  if (options.log === undefined) assertMarked(folder)
  const compared = standing(folder, checkpoints)
  if (compared.length === 0)
    throw new CarillonError(
      'head-invalid',
      'There is no checkpoint to compare with. Give at least one that others keep and that was signed since the node was last told to go on.',
    )
  const log = options.log ?? openStoreLog(folder)
  const { onProgress } = options
  try {
    const { problems, head } = await verifyLog(log.read(0), {
      checkpoints: compared,
      ...(onProgress === undefined ? {} : { onProgress }),
    })
    const cut = problems.find(({ kind }) => kind === 'cut-off')
    const [problem] = problems
    if (cut !== undefined)
      throw new CarillonError(
        'store-outdated',
        `The store in ${folder} is older than what others have seen: ${cut.what}. Restore a newer backup; a node that went on from here would contradict what it has signed.`,
        { folder, revision: head.revision },
      )
    if (problem !== undefined)
      throw new CarillonError(
        'log-altered',
        `The store in ${folder} does not agree with what others have seen: ${problem.what}. Restore another backup.`,
        { folder, revision: problem.revision },
      )
  } finally {
    if (options.log === undefined) await log.close()
  }
  return compared.length
}

/**
 * Compares a restored store with checkpoints of its log that others keep, and lets it go on if it holds them all. Throws
 * `store-outdated` when someone has seen more than the store holds, and `log-altered` when someone has seen something else.
 */
export const compareRestored = async (
  folder: string,
  checkpoints: readonly Checkpoint[],
  acceptance: Acceptance,
  options: AcceptOptions = {},
): Promise<Head> => acceptCompared(folder, await assertCheckpoints(folder, checkpoints, options), acceptance, options)
