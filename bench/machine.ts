/**
 * The machine a figure was measured on, and how busy it was: no figure means anything without it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureDiskSync, type DiskSync } from './diskSync.js'

export type Machine = {
  readonly at: string
  readonly node: string
  readonly cores: number
  readonly cpu: string
  readonly loadBefore: number
  readonly diskSync: DiskSync
}

const syncProbe = (quick: boolean): DiskSync => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'))
  try {
    return measureDiskSync(folder, quick ? 20 : 500)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const describeMachine = (quick: boolean): Machine => ({
  at: new Date().toISOString(),
  node: process.version,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'unknown',
  loadBefore: loadavg()[0] ?? 0,
  diskSync: syncProbe(quick),
})

export const machineText = ({ node, cores, cpu, loadBefore, diskSync }: Machine): string =>
  `Node ${node}, ${cores} cores (${cpu}), load ${loadBefore.toFixed(2)}, fdatasync p50 ${diskSync.p50Ms.toFixed(2)} ms, p99 ${diskSync.p99Ms.toFixed(2)} ms`
