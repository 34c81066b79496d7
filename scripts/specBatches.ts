/**
 * The specs in batches, the longest first, so that several run side by side and no lane is left with a long one at the end.
 * Neighbours stay together: those that start a server share it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export type SpecBatch = {
  readonly name: string
  readonly files: readonly string[]
  /** Whether each node in it is held against the model, tick by tick. */
  readonly isWatched: boolean
}

/** What a batch may cost, by where its specs are, in seconds of processor time. Small ones come last and fill the lanes. */
const secondsOfBatch = { samples: 60, test: 60, src: 20 } as const

/** What a spec costs, by its level: one that starts processes takes as long as several that do not. */
const secondsOfLevel = { e2e: 4, sim: 2, int: 1, replay: 0.5, prop: 0.6, unit: 0.3 } as const

/** Those that cost far more than others of their level, as measured. */
const secondsOf: Readonly<Record<string, number>> = {
  'src/time/recurrence/hostile.prop.spec.ts': 10,
  'test/bench/bench.int.spec.ts': 35,
  'test/cli/newApp.e2e.spec.ts': 18,
  'test/compilers/app.e2e.spec.ts': 18,
  'test/crash/crash.e2e.spec.ts': 60,
  'test/defects/defects.unit.spec.ts': 17,
  'test/docs/docs.e2e.spec.ts': 25,
  'test/log/onEachLog.e2e.spec.ts': 20,
  'test/network/network.sim.spec.ts': 35,
  'test/standby/processes.e2e.spec.ts': 12,
  'test/store/damagedPages.int.spec.ts': 12,
  'test/strangers/adversary.sim.spec.ts': 18,
  'test/testing/boundaries.sim.spec.ts': 17,
}

/** The specs of the scheduler and of flows: what they make a node do is held against the model. */
const isWatched = (file: string): boolean =>
  /^test\/(scheduler|flow|recurring)\/[^/]+\.(int|sim)\.spec\.ts$/.test(file.replaceAll('\\', '/'))

const weightOf = (file: string): number => {
  const level = /\.(\w+)\.spec\.ts$/.exec(file)?.[1] ?? ''
  return secondsOf[file] ?? Object.entries(secondsOfLevel).find(([name]) => name === level)?.[1] ?? 1
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
  const batches: { weight: number; readonly root: string; readonly isWatched: boolean; readonly files: string[] }[] = []
  for (const root of ['samples', 'test', 'src'] as const) {
    const specs = specsUnder(root)
    for (const watched of [true, false])
      for (const file of specs.filter((each) => isWatched(each) === watched)) {
        const last = batches.at(-1)
        const weight = weightOf(file)
        const fits = last?.root === root && last.isWatched === watched && last.weight + weight <= secondsOfBatch[root]
        if (fits) {
          last.weight += weight
          last.files.push(file)
        } else batches.push({ weight, root, isWatched: watched, files: [file] })
      }
  }
  return batches
    .sort((a, b) => b.weight - a.weight)
    .map(({ files, ...batch }) => ({ name: nameOf(files), files, isWatched: batch.isWatched }))
}
