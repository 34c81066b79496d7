/**
 * What takes long to make is made once and kept in a folder; a half-made one never counts. Before much of the disk is
 * needed it is said how much, and looked whether it is there.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './Workload.js'

/** So much is made in a moment, and nobody needs to hear of it. */
const worthTellingBytes = 200_000_000

export type Making = {
  readonly folder: string
  /** Told as it goes: the share that is done, from 0 to 1. */
  readonly progress: (share: number) => void
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

const assertFits = (bench: Bench, name: string, bytes: number): void => {
  const { bavail, bsize } = statfsSync(bench.keptFolder)
  if (bytes > bavail * bsize)
    throw new Error(
      `${name} needs about ${gigabytes(bytes)} in ${bench.keptFolder}, where ${gigabytes(bavail * bsize)} are free. Make room, or ask for a smaller --largest.`,
    )
}

/** Tells every tenth, and when the end is to be expected. */
const tenths = (bench: Bench): ((share: number) => void) => {
  const startedMs = performance.now()
  let told = 0
  return (share) => {
    const tenth = Math.floor(share * 10)
    if (tenth <= told || tenth >= 10) return
    told = tenth
    const leftSeconds = (((performance.now() - startedMs) / share) * (1 - share)) / 1_000
    bench.tell?.(`    ${tenth * 10} %, about ${Math.ceil(leftSeconds)} s to go`)
  }
}

/** The kept folder of a name, made first if it is not there. */
export const kept = async (
  bench: Bench,
  name: string,
  bytes: number,
  make: (making: Making) => Promise<void>,
): Promise<string> => {
  const folder = join(bench.keptFolder, name)
  if (existsSync(folder)) return folder
  mkdirSync(bench.keptFolder, { recursive: true })
  assertFits(bench, name, bytes)
  const isWorthTelling = bytes >= worthTellingBytes
  if (isWorthTelling)
    bench.tell?.(`  Making ${name} in ${bench.keptFolder}, once: about ${gigabytes(bytes)} of the disk.`)
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  await make({ folder: unfinished, progress: isWorthTelling ? tenths(bench) : () => undefined })
  renameSync(unfinished, folder)
  return folder
}
