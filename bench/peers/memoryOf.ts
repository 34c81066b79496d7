/**
 * The memory of processes as Linux tells it, in MB; not a number on a system that does not tell.
 */
import { readdirSync, readFileSync } from 'node:fs'

const kilobytes = 1_024

const fieldMB = (file: string, field: string): number => {
  const [, kB = '0'] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8')) ?? []
  return Number(kB) / kilobytes
}

const parents = (): ReadonlyMap<number, number> =>
  new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name): [number, number][] => {
        try {
          // The name of the program may hold anything, but what follows its last bracket is fixed.
          const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
          return [[Number(name), Number(fields?.[1])]]
        } catch {
          return [] // It has just ended.
        }
      }),
  )

/** One process: what of it is in memory. */
export const residentMB = (pid: number): number =>
  process.platform === 'linux' ? fieldMB(`/proc/${pid}/status`, 'VmRSS') : Number.NaN

/** A process and all below it, the pages they share counted once. */
export const memoryOf = (pid: number): number => {
  if (process.platform !== 'linux') return Number.NaN
  const all = parents()
  const isBelow = (each: number): boolean => each === pid || (all.has(each) && isBelow(all.get(each) ?? 0))
  return [...all.keys()].filter(isBelow).reduce((sum, each) => sum + fieldMB(`/proc/${each}/smaps_rollup`, 'Pss'), 0)
}
