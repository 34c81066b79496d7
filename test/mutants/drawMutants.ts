/** Lists every change that StrykerJS can make in the rooms, draws some of them by a seed, and puts those into the sources. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Chance } from '../../src/testing/simulation/Chance.js'
import { groupOf } from './groups.js'
import { identityOf, type Mutant } from './Mutant.js'

type Place = Mutant['start']
type Listed = {
  readonly id: string
  readonly fileName: string
  readonly location: { readonly start: Place; readonly end: Place }
  readonly mutatorName: string
  readonly replacement: string
}
type Instrumented = {
  readonly files: readonly { readonly name: string; readonly content: string }[]
  readonly mutants: readonly Listed[]
}
type Instrumenting = {
  readonly Instrumenter: new (logger: object) => {
    readonly instrument: (
      files: readonly {
        readonly name: string
        readonly mutate: boolean | readonly Listed['location'][]
        readonly content: string
      }[],
      options: object,
    ) => Promise<Instrumented>
  }
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, isDebugEnabled: () => false }

const instrument = async (
  sources: string,
  files: ReadonlyMap<string, boolean | readonly Listed['location'][]>,
): Promise<Instrumented> => {
  const entry = join(import.meta.dirname, 'node_modules/@stryker-mutator/instrumenter/dist/src/index.js')
  const { Instrumenter } = (await import(pathToFileURL(entry).href)) as Instrumenting
  return new Instrumenter(silent).instrument(
    [...files].map(([name, mutate]) => ({ name, mutate, content: readFileSync(join(sources, name), 'utf8') })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  )
}

const mutantOf = ({ fileName, location, mutatorName, replacement }: Listed): Mutant => ({
  group: groupOf(fileName) ?? '',
  file: fileName,
  start: location.start,
  end: location.end,
  mutator: mutatorName,
  replacement,
})

/** Every change that can be made, in the order of the files. */
export const listMutants = async (sources: string): Promise<readonly Mutant[]> => {
  const files = readdirSync(join(sources, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => /(?<!\.spec|\.d)\.ts$/.test(file) && groupOf(file) !== undefined)
    .sort()
  const { mutants } = await instrument(sources, new Map(files.map((file) => [file, true])))
  return mutants.map(mutantOf)
}

/** As many of each group that is named, all different. */
export const drawMutants = (
  all: readonly Mutant[],
  seed: number,
  count: number,
  names: readonly string[],
): readonly Mutant[] => {
  return names.flatMap((name, place) => {
    const own = all.filter(({ group }) => group === name)
    const share = Math.floor(count / names.length) + (place < count % names.length ? 1 : 0)
    return new Chance(`mutants ${seed} ${name}`).some(own, share)
  })
}

/** Writes the files that are changed, with every drawn change behind a switch. Gives the mutants with the ids of these. */
export const instrumentDrawn = async (
  sources: string,
  to: string,
  drawn: readonly Mutant[],
): Promise<readonly Mutant[]> => {
  const files = new Map(
    drawn.map(({ file }) => [
      file,
      drawn.filter((other) => other.file === file).map(({ start, end }) => ({ start, end })),
    ]),
  )
  const { files: written, mutants } = await instrument(sources, files)
  for (const { name, content } of written) {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    writeFileSync(join(to, name), content)
  }
  const ids = new Map(mutants.map((listed) => [identityOf(mutantOf(listed)), listed.id]))
  return drawn.map((mutant) => ({ ...mutant, id: ids.get(identityOf(mutant)) ?? '' }))
}
