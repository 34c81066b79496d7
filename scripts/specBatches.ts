/**
 * The specs in batches that take about as long as each other, the longest first, so that two can run side by side and
 * neither lane is left with a long one at the end. Neighbours stay together: those that start a server share it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export type SpecBatch = { readonly name: string; readonly files: readonly string[] }

const roots = ['samples', 'test', 'src'] as const

/** What a spec costs, by its level: one that starts processes takes as long as several that do not. */
const weights = { e2e: 8, sim: 4, int: 2, replay: 4, prop: 1, unit: 1 } as const

/** Enough that starting mocha does not count, few enough that the lanes come to their end together. */
const weightOfBatch = 40

const weightOf = (file: string): number => {
  const level = /\.(\w+)\.spec\.ts$/.exec(file)?.[1] ?? ''
  return Object.entries(weights).find(([name]) => name === level)?.[1] ?? 1
}

const specsUnder = (root: string): readonly string[] =>
  existsSync(root)
    ? readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.spec.ts'))
        .map((file) => join(root, file))
        .sort()
    : []

/** The folder that tells someone who reads the name of a batch which specs it is about. */
const roomOf = (file: string): string => file.split('/').slice(0, 2).join('/')

const nameOf = (files: readonly string[]): string => {
  const rooms = [...new Set(files.map(roomOf))]
  const [first = '', ...others] = rooms
  const last = others.at(-1)
  return last === undefined ? first : `${first} … ${last}`
}

export const specBatches = (): readonly SpecBatch[] => {
  const batches: { weight: number; readonly files: string[] }[] = []
  for (const file of roots.flatMap(specsUnder)) {
    const last = batches.at(-1)
    const weight = weightOf(file)
    if (last === undefined || last.weight + weight > weightOfBatch) batches.push({ weight, files: [file] })
    else {
      last.weight += weight
      last.files.push(file)
    }
  }
  return batches.sort((a, b) => b.weight - a.weight).map(({ files }) => ({ name: nameOf(files), files }))
}
