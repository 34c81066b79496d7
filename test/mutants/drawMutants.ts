/** Lists every change that StrykerJS can make in the rooms, and draws some of them by a seed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Chance } from '../../src/testing/simulation/Chance.js'
import { groupOf, groups } from './groups.js'
import type { Mutant } from './Mutant.js'

type Place = Mutant['start']
type Listed = {
  readonly fileName: string
  readonly location: { readonly start: Place; readonly end: Place }
  readonly mutatorName: string
  readonly replacement: string
}
type Instrumenting = {
  readonly Instrumenter: new (logger: object) => {
    readonly instrument: (
      files: readonly { readonly name: string; readonly mutate: boolean; readonly content: string }[],
      options: object,
    ) => Promise<{ readonly mutants: readonly Listed[] }>
  }
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, isDebugEnabled: () => false }

/** Every change that can be made, in the order of the files. */
export const listMutants = async (repository: string): Promise<readonly Mutant[]> => {
  const entry = join(import.meta.dirname, 'node_modules/@stryker-mutator/instrumenter/dist/src/index.js')
  const { Instrumenter } = (await import(pathToFileURL(entry).href)) as Instrumenting
  const files = readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => /(?<!\.spec|\.d)\.ts$/.test(file) && groupOf(file) !== undefined)
    .sort()
  const { mutants } = await new Instrumenter(silent).instrument(
    files.map((name) => ({ name, mutate: true, content: readFileSync(join(repository, name), 'utf8') })),
    { plugins: null, excludedMutations: [], ignorers: [], noHeader: true },
  )
  return mutants.map(({ fileName, location, mutatorName, replacement }) => ({
    group: groupOf(fileName) ?? '',
    file: fileName,
    start: location.start,
    end: location.end,
    mutator: mutatorName,
    replacement,
  }))
}

/** As many of each group, all different. */
export const drawMutants = (all: readonly Mutant[], seed: number, count: number): readonly Mutant[] => {
  const names = Object.keys(groups)
  return names.flatMap((name, place) => {
    const own = all.filter(({ group }) => group === name)
    const share = Math.floor(count / names.length) + (place < count % names.length ? 1 : 0)
    return new Chance(`mutants ${seed} ${name}`).some(own, share)
  })
}
