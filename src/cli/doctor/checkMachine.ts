/**
 * What a node stands on that is not its own: the runtime, the disk, the clock.
 */
import { existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readStore } from '../../folder/readStore.js'
import { storeFiles } from '../../folder/StoreFolder.js'
import { showSpan } from '../../agenda/why.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import type { Finding, Judge } from './Finding.js'

const leastNode = [20, 19] as const
const mebibyte = 1024 * 1024
/** Less than this, and a busy node is out of room within the hour. */
const leastFreeBytes = 512 * mebibyte
/** So little is no reason to wake anyone, and reason enough to look. */
const scarceFreeBytes = 2_048 * mebibyte

export const checkRuntime = ({ good, bad }: Judge, version: string, sqlite: string): Finding => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  const text = `Node ${version}, SQLite through ${sqlite}`
  return isEnough ? good(text) : bad(text, `install Node ${leastNode.join('.')} or later`)
}

const existingAbove = (store: string): string => {
  let folder = resolve(store)
  while (!existsSync(folder)) folder = dirname(folder)
  return folder
}

/** Free bytes of the disk a store is, or will be, on. */
export const freeBytesFor = (store: string): number => {
  const { bavail, bsize } = statfsSync(existingAbove(store))
  return bavail * bsize
}

export const checkDisk = ({ good, notice, bad }: Judge, store: string, freeBytes: number): Finding => {
  const text = `${Math.round(freeBytes / mebibyte).toLocaleString('en')} MiB free at ${existingAbove(store)}`
  if (freeBytes < leastFreeBytes)
    return bad(text, 'make room: when there is none, the node records nothing until there is')
  if (freeBytes < scarceFreeBytes) return notice(text, 'plan for more; a log only grows')
  return good(text)
}

/** A second is what clocks of machines differ by without anyone being at fault. */
const skewMs = 1_000

export const checkClock = ({ good, bad }: Judge, store: string, nowMs: number, isVirtual: boolean): Finding => {
  const now = new Date(nowMs).toISOString()
  if (!existsSync(storeFiles(store).database)) return good(now)
  const { atMs } = readStore(store, readFacts)
  const aheadMs = atMs - nowMs
  if (isVirtual)
    return good(
      `virtual time: the last tick was at ${new Date(atMs).toISOString()}, ${showSpan(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`,
    )
  return aheadMs <= skewMs
    ? good(`${now}, after the last tick`)
    : bad(
        `the last tick lies ${showSpan(aheadMs)} in the future`,
        'set the clock of this machine (timedatectl), or find out whose clock wrote that tick',
      )
}
