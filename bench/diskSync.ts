/**
 * How long the disk takes to sync, measured in the run itself: no durable figure means anything without it.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { quantile } from './statistics.js'

export type DiskSync = { readonly p50Ms: number; readonly p99Ms: number }

/** On the disk that the folder is on. */
export const measureDiskSync = (within: string, count: number): DiskSync => {
  const folder = mkdtempSync(join(within, 'carillon-sync-'))
  const file = openSync(join(folder, 'probe'), 'w')
  const block = Buffer.alloc(4_096, 1)
  const times: number[] = []
  try {
    for (let i = 0; i < count; i++) {
      const startedMs = performance.now()
      writeSync(file, block)
      fdatasyncSync(file)
      times.push(performance.now() - startedMs)
    }
  } finally {
    closeSync(file)
    rmSync(folder, { recursive: true, force: true })
  }
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}
