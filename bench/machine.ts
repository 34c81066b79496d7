/**
 * The machine a figure was measured on, and how busy it was: no figure means anything without it.
 */
import { availableParallelism, cpus, loadavg } from 'node:os'
import { measureDiskSync, type DiskSync } from './diskSync.js'

export type Machine = {
  readonly at: string
  readonly node: string
  readonly cores: number
  readonly cpu: string
  readonly loadBefore: number
  readonly diskSync: DiskSync
}

export type Terms = {
  readonly quick: boolean
  /** A folder on the disk that is measured. */
  readonly folder: string
}

export const describeMachine = ({ quick, folder }: Terms): Machine => ({
  at: new Date().toISOString(),
  node: process.version,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'unknown',
  loadBefore: loadavg()[0] ?? 0,
  diskSync: measureDiskSync(folder, quick ? 20 : 500),
})

export const machineText = ({ node, cores, cpu, loadBefore, diskSync }: Machine): string =>
  `Node ${node}, ${cores} cores (${cpu}), load ${loadBefore.toFixed(2)}, fdatasync p50 ${diskSync.p50Ms.toFixed(2)} ms, p99 ${diskSync.p99Ms.toFixed(2)} ms`
