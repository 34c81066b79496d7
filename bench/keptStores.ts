/**
 * Stores that take minutes to make are made once and kept. What depends on the layout of the views is kept under a
 * digest of the program, so that a changed program never runs on a store another one made.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startNode } from 'carillon'
import { HeldClock } from './HeldClock.js'
import { kept } from './kept.js'
import { farMs, layOut, pulseApp } from './pulseApp.js'
import type { Bench } from './Workload.js'

const programDigest = (): string => {
  const folder = dirname(fileURLToPath(import.meta.resolve('carillon')))
  const hash = createHash('sha256')
  for (const file of readdirSync(folder, { recursive: true }).map(String).sort())
    if (/(?<!\.spec)\.[jt]s$/.test(file)) hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 12)
}

const forgetOthers = (bench: Bench, prefix: string, name: string): void => {
  if (!existsSync(bench.keptFolder)) return
  for (const entry of readdirSync(bench.keptFolder))
    if (entry.startsWith(prefix) && entry !== name) rmSync(join(bench.keptFolder, entry), { recursive: true })
}

/** What one takes of the disk, log and views together, as measured. */
const bytesPerPending = 1_160
const bytesPerEvent = 860

/** A copy, for this repetition alone, of a store with so many activities pending far ahead. */
export const storeWithPending = async (bench: Bench, count: number, copyTo: string): Promise<string> => {
  const prefix = `pending-${count}-`
  const name = `${prefix}${programDigest()}`
  forgetOthers(bench, prefix, name)
  const folder = await kept(bench, name, count * bytesPerPending, async ({ folder: store, progress }) => {
    const clock = new HeldClock()
    const node = await startNode({ app: pulseApp, store, clock })
    await layOut(node, { count, dueAt: clock.after(farMs), onProgress: progress })
    await node.stop()
  })
  cpSync(folder, copyTo, { recursive: true })
  return copyTo
}

/** Counts up when the history below is to be made anew. */
const historyVersion = 2

/** A store with at least so many events of fired activities: start, transaction, end. It is draining: nothing starts in it. */
export const historyStore = (bench: Bench, events: number): Promise<string> =>
  kept(bench, `history-${events}-v${historyVersion}`, events * bytesPerEvent, async ({ folder: store, progress }) => {
    const pulses = Math.min(1_000, Math.ceil(events / 30))
    const clock = new HeldClock()
    const node = await startNode({ app: pulseApp, store, clock })
    // Due again the moment they have fired, a millisecond apart: the node is always behind and never waits.
    await layOut(node, { count: pulses, dueAt: clock.after(1), everyMs: 1 })
    await new Promise<void>((resolve) => {
      const unfollow = node.follow(() => {
        progress(node.head.revision / events)
        if (node.head.revision < events) return
        unfollow()
        resolve()
      })
      clock.letGo()
    })
    await node.drain()
    await node.stop()
  })

/** The file of its log. */
export const historyLog = async (bench: Bench, events: number): Promise<string> =>
  join(await historyStore(bench, events), 'carillon.db')
