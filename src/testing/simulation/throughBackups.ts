/**
 * What becomes of a log on its way through a backup, a backup of that backup, a store that is restored from it, and a rebuild
 * of its views: the same log, and the same views. Files are real here, and gone afterwards.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backupStore, restoreStore } from '../../backup/backupStore.js'
import { assertInvariant } from '../../errors/CarillonError.js'
import { openStoreLog, readStore } from '../../folder/readStore.js'
import { offeredByLog } from '../../history/copyLog.js'
import { makeStore } from '../../history/importLog.js'
import { rebuildViews } from '../../history/rebuildViews.js'
import type { EncodedTick } from '../../log/Tick.js'
import type { TickStore } from '../../storage/TickStore.js'
import { readMark } from '../../storage/readMark.js'

/** The ticks as the last store has them, and the digest of its views. */
export type CameBack = { readonly ticks: readonly EncodedTick[]; readonly viewsDigest: string }

export const throughBackups = async (store: Pick<TickStore, 'head' | 'read'>): Promise<CameBack> => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-simulation-'))
  const at = (name: string): string => join(folder, name)
  const [lost, backup, second, back] = [at('lost'), at('backup'), at('second'), at('back')]
  try {
    await makeStore(offeredByLog({ read: (from) => store.read(from), head: () => Promise.resolve(store.head()) }), lost)
    const backedUp = await backupStore(lost, backup)
    await backupStore(backup, second)
    const [first, mark] = [readStore(backup, readMark), readStore(second, readMark)]
    assertInvariant(
      mark?.at === first?.at && mark?.revision === backedUp.revision,
      'a backup of a backup is as old as the first',
    )
    await restoreStore(second, back)
    const { before, after } = await rebuildViews(back)
    assertInvariant(before === after, 'the views of a restored store are those that its log gives')
    const log = openStoreLog(back)
    try {
      const ticks: EncodedTick[] = []
      for await (const tick of log.read(0)) ticks.push(tick)
      return { ticks, viewsDigest: after }
    } finally {
      await log.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
