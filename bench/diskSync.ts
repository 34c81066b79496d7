/**
 * How long the disk takes to sync, measured in the run itself: no durable figure means anything without it.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { quantile } from './statistics.js'

export type DiskSync = { readonly p50Ms: number; readonly p99Ms: number }

export const measureDiskSync = (folder: string, count: number): DiskSync => {
  const file = openSync(join(folder, 'sync-probe'), 'w')
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
  }
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}
