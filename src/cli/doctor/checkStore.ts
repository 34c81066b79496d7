/**
 * The store, the node that runs on it, and the log behind it.
 */
import { accessSync, constants, existsSync } from 'node:fs'
import { explainCommand } from '../errorPage.js'
import { healthOf } from '../healthOf.js'
import { storeHint } from '../verb.js'
import { readMark } from '../../storage/readMark.js'
import { holderOf } from '../../folder/folderHolder.js'
import { readLogPlace } from '../../folder/logPlace.js'
import { openLog } from '../../logs/openLog.js'
import { openStoreLog, readStore } from '../../folder/readStore.js'
import { storeFiles } from '../../folder/StoreFolder.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import type { Finding, Judge } from './Finding.js'
import { openToOthers } from './openToOthers.js'

export const checkStore = ({ good, notice, bad }: Judge, store: string): readonly Finding[] | Finding => {
  const { database } = storeFiles(store)
  if (!existsSync(database))
    return notice(`there is none in ${store} yet`, `make one with: carillon run <app-module>${storeHint(store)}`)
  const { facts, restored } = readStore(store, (db) => ({ facts: readFacts(db), restored: readMark(db) }))
  try {
    accessSync(database, constants.W_OK)
  } catch {
    return bad(`${database} cannot be written by this user`, `run as its owner, or: chown the folder ${store}`)
  }
  const holder = holderOf(store)
  const by = holder === undefined ? 'no process holds it' : `held by process ${holder.pid} on ${holder.host}`
  return [
    good(`${facts.partyName ?? 'nobody'}, up to revision ${facts.head.revision}; ${by}`),
    ...(restored === undefined
      ? []
      : [
          notice(
            `it came out of ${restored.from === 'backup' ? 'a backup' : 'an export'} and is only read`,
            `compare it with heads that others keep: carillon backup compare <file>${storeHint(store)}; or: carillon backup go-on${storeHint(store)}`,
          ),
        ]),
    ...(openToOthers(store)
      ? [notice(`${store} can be entered by other users of this machine`, `chmod 700 ${store}`)]
      : []),
  ]
}

/** What only the node itself can tell: whether it gets its ticks written. */
export const checkNode = async ({ good, notice, bad }: Judge, store: string): Promise<Finding> => {
  const health = await healthOf({ store })
  if (health === undefined)
    return holderOf(store) === undefined
      ? good('none runs here')
      : notice(
          'the process that holds the store does not answer: it starts, stops, or stands by',
          'wait a moment and look again',
        )
  const { trouble, draining } = health
  if (trouble !== undefined)
    return bad(`${trouble.code}: ${trouble.message} It goes on trying by itself.`, explainCommand(trouble.code))
  return draining
    ? notice('runs and drains: nothing new is started', `end it with: carillon drain end${storeHint(store)}`)
    : good('runs and records')
}

/** The log of a store without a server: what the views were folded from must be there, to the last event. */
const checkOwnLog = async ({ good, bad }: Judge, store: string): Promise<Finding> => {
  if (!existsSync(storeFiles(store).database)) return good('will be in the store')
  // Views first: what is recorded between the two looks makes the log longer, never shorter.
  const { head } = readStore(store, readFacts)
  const log = openStoreLog(store)
  try {
    const end = await log.head()
    if (end.revision < head.revision || (end.revision === head.revision && end.hash !== head.hash))
      return bad(
        `the log ends at revision ${end.revision}, but the views stand at ${head.revision}`,
        `find out what is missing: carillon log verify${storeHint(store)}; then restore a backup, or: carillon log rebuild${storeHint(store)}`,
      )
    return good(
      `in the store, ${(end.revision + 1).toLocaleString('en')} events; all of it is proved by: carillon log verify`,
    )
  } finally {
    await log.close()
  }
}

export const checkLog = async (judge: Judge, store: string, address: string | undefined): Promise<Finding> => {
  const { good, notice, bad } = judge
  const place = readLogPlace(storeFiles(store).logPlace)
  if (address === undefined)
    return place === undefined
      ? checkOwnLog(judge, store)
      : notice(`kept at ${place}`, 'give its address with --log to see whether it answers')
  const startedMs = performance.now()
  const log = await openLog(address)
  try {
    const head = await log.head()
    const tookMs = Math.round(performance.now() - startedMs)
    const answered = `${log.where ?? 'the log'} answers in ${tookMs} ms and ends at revision ${head.revision}`
    if (!existsSync(storeFiles(store).database)) return good(answered)
    const here = readStore(store, readFacts).head.revision
    return here > head.revision
      ? bad(
          `${answered}, but the views here stand at ${here}: something was lost, or it is another log`,
          'see that the address is right; if it is, compare with a backup before any node runs',
        )
      : good(answered)
  } finally {
    await log.close()
  }
}
