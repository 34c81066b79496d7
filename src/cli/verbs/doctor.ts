/**
 * `carillon doctor`: whether what a node stands on is sound, here and now: runtime, store, node, log, disk, clock. Each check
 * says what it found and, if need be, what to do; exit code 1 when one of them failed.
 */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Option, type Command } from 'commander'
import { CarillonError, messageOf } from '../../errors/CarillonError.js'
import { holderOf } from '../../node/folderHolder.js'
import { readLogPlace } from '../../node/logPlace.js'
import { openLog } from '../../node/openLog.js'
import { readStore } from '../../node/readStore.js'
import { storeFiles } from '../../node/StoreFolder.js'
import { sqliteDriverName } from '../../sqlite/openDatabase.js'
import { readFacts } from '../../views/NodeFacts.js'
import { conditionOf } from '../conditionOf.js'
import { printable, type Terminal, type Tone } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'

type Finding = { readonly check: string; readonly state: 'good' | 'notice' | 'bad'; readonly text: string }
type Options = StoreOptions & { readonly log?: string }

const good = (check: string, text: string): Finding => ({ check, state: 'good', text })
const notice = (check: string, text: string): Finding => ({ check, state: 'notice', text })
const bad = (check: string, text: string): Finding => ({ check, state: 'bad', text })

const leastNode = [20, 19] as const
/** Less than this, and a busy node is out of room within the hour. */
const leastFreeBytes = 512 * 1024 * 1024

const checkRuntime = (): Finding => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isEnough = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  const text = `Node ${process.versions.node}, SQLite through ${sqliteDriverName()}`
  return isEnough ? good('runtime', text) : bad('runtime', `${text}; Node ${leastNode.join('.')} or later is needed`)
}

const checkStore = (store: string): Finding => {
  const { database } = storeFiles(store)
  if (!existsSync(database)) return notice('store', `there is none in ${store} yet`)
  const facts = readStore(store, readFacts)
  accessSync(database, constants.W_OK)
  const holder = holderOf(store)
  const by = holder === undefined ? 'no process holds it' : `held by process ${holder.pid} on ${holder.host}`
  return good('store', `${facts.partyName ?? 'nobody'}, up to revision ${facts.head.revision}; ${by}`)
}

/** What only the node itself can tell: whether it gets its ticks written. */
const checkNode = async (store: string): Promise<Finding> => {
  const condition = await conditionOf(store)
  if (condition === undefined)
    return holderOf(store) === undefined
      ? good('node', 'none runs here')
      : notice('node', 'the process that holds the store does not answer: it starts, stops, or stands by')
  const { trouble, draining } = condition
  if (trouble !== undefined) return bad('node', `${trouble.code}: ${trouble.message} It goes on trying by itself.`)
  return draining ? notice('node', 'runs and drains: nothing new is started') : good('node', 'runs and records')
}

const checkLog = async (store: string, address: string | undefined): Promise<Finding> => {
  const place = readLogPlace(storeFiles(store).logPlace)
  if (address === undefined)
    return place === undefined
      ? good('log', 'in the store')
      : notice('log', `kept at ${place}; give its address with --log to see whether it answers`)
  const startedMs = performance.now()
  const log = await openLog(address)
  try {
    const head = await log.head()
    const tookMs = Math.round(performance.now() - startedMs)
    const answered = `${log.where ?? address} answers in ${tookMs} ms and ends at revision ${head.revision}`
    if (!existsSync(storeFiles(store).database)) return good('log', answered)
    const here = readStore(store, readFacts).head.revision
    return here > head.revision
      ? bad('log', `${answered}, but the views here stand at ${here}: something was lost, or it is another log`)
      : good('log', answered)
  } finally {
    await log.close()
  }
}

const checkDisk = (store: string): Finding => {
  let folder = resolve(store)
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const text = `${Math.round(free / 1024 / 1024).toLocaleString('en')} MiB free at ${folder}`
  return free < leastFreeBytes ? bad('disk', `${text}; make room before the log has none`) : good('disk', text)
}

const checkClock = (store: string): Finding => {
  if (!existsSync(storeFiles(store).database)) return good('clock', new Date().toISOString())
  const { atMs } = readStore(store, readFacts)
  const aheadMs = atMs - Date.now()
  return aheadMs > 1_000
    ? bad(
        'clock',
        `the last tick lies ${Math.round(aheadMs / 1_000)} s in the future: this clock, or that of the last leader, is wrong`,
      )
    : good('clock', `${new Date().toISOString()}, after the last tick`)
}

const examine = async (check: string, look: () => Finding | Promise<Finding>): Promise<Finding> => {
  try {
    return await look()
  } catch (error) {
    return bad(check, error instanceof CarillonError ? `${error.code}: ${error.message}` : messageOf(error))
  }
}

const tones: Readonly<Record<Finding['state'], Tone>> = { good: 'green', notice: 'yellow', bad: 'red' }

export const doctor = (terminal: Terminal): Command =>
  verb('doctor', 'check what a node stands on: runtime, store, node, log, disk, clock', [
    'doctor',
    'doctor --store /var/lib/app --log postgres://node@db.example/app',
  ])
    .addOption(new Option('--log <address>', 'where the log is kept, when not in the store').env('CARILLON_LOG'))
    .action(async ({ store, json, log }: Options) => {
      const findings = [
        await examine('runtime', checkRuntime),
        await examine('store', () => checkStore(store)),
        await examine('node', () => checkNode(store)),
        await examine('log', () => checkLog(store, log)),
        await examine('disk', () => checkDisk(store)),
        await examine('clock', () => checkClock(store)),
      ]
      if (json === true) terminal.out(JSON.stringify({ findings }))
      else
        for (const { check, state, text } of findings)
          terminal.out(`${check.padEnd(8)} ${terminal.tone(tones[state], state.padEnd(6))} ${printable(text)}`)
      if (findings.some(({ state }) => state === 'bad')) process.exitCode = 1
    })
