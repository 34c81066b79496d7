/**
 * Lets a restored store be written to again: because the heads that others keep of its log are all in it, or because
 * someone says so. Either is recorded in the log.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import type { EventOf } from '../../log/events.js'
import type { Head } from '../../log/Tick.js'
import { openWritable } from '../../sqlite/openWritable.js'
import { EmbeddedStore } from '../EmbeddedStore.js'
import { verifyLog } from '../logTools/verifyLog.js'
import { openOfflineTick } from '../OfflineOperator.js'
import { assertStore, openStoreLog, readStore } from '../readStore.js'
import type { SignedHead } from '../../heads/SignedHead.js'
import { lockFolder, storeFiles } from '../StoreFolder.js'
import { readMark, removeMark, type RestoredMark } from './RestoredMark.js'

/** Who lets it go on, and a remark of theirs. */
export type Acceptance = { readonly by: string; readonly note?: string }

const requireMark = (folder: string): RestoredMark => {
  const mark = readStore(folder, readMark)
  if (mark !== undefined) return mark
  throw new CarillonError(
    'request-invalid',
    `The store in ${folder} was not restored from a backup or an export, or was let go on already. Nothing needs to be done.`,
    { folder },
  )
}

const record = (store: EmbeddedStore, event: EventOf<'RestoreAccepted'>): Head => {
  const tick = openOfflineTick(store)
  store.begin()
  tick.emit(event)
  const outcome = store.commit(tick.seal())
  if (outcome.kind === 'appended') return store.head()
  throw outcome.kind === 'refused'
    ? new CarillonError('log-revision-conflict', 'Another process has appended to this log. Nothing was recorded.')
    : outcome.error
}

const accept = async (folder: string, heads: number, { by, note }: Acceptance): Promise<Head> => {
  assertStore(folder)
  const unlock = lockFolder(folder)
  try {
    const { revision } = requireMark(folder)
    const { database } = storeFiles(folder)
    const store = EmbeddedStore.open(database)
    let head: Head
    try {
      head = record(store, {
        type: 'RestoreAccepted',
        by,
        revision,
        heads,
        ...(note === undefined ? {} : { note }),
      })
    } finally {
      await store.close()
    }
    // After the event: whoever is interrupted in between is asked once more, and no more than that.
    const db = openWritable(database)
    try {
      removeMark(db)
    } finally {
      db.close()
    }
    return head
  } finally {
    unlock()
  }
}

/** Lets a restored store go on without comparing it with anything. Whoever says so knows that nothing is missing. */
export const acceptRestored = (folder: string, acceptance: Acceptance): Promise<Head> => accept(folder, 0, acceptance)

/**
 * Compares a restored store with heads of its log that others keep, and lets it go on if it holds them all. Throws
 * `store-outdated` when someone has seen more than the store holds, and `log-altered` when someone has seen something else.
 */
export const compareRestored = async (
  folder: string,
  heads: readonly SignedHead[],
  acceptance: Acceptance,
  onProgress?: (events: number) => void,
): Promise<Head> => {
  requireMark(folder)
  const [any] = heads
  if (any === undefined)
    throw new CarillonError('head-invalid', 'There is no head to compare with. Give at least one that others keep.')
  const log = openStoreLog(folder)
  try {
    const { problems, head } = await verifyLog(log.read(0), {
      heads,
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
    await log.close()
  }
  return accept(folder, heads.length, acceptance)
}
