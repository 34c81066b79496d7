/**
 * Runs the specs that execute what is changed, those next to it first, in processes of their own for each change, until one
 * of them fails or does not come to its end.
 */
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as t from 'io-ts'
import type { Mutant } from './Mutant.js'
import { runInstrumented, type Ground } from './runInstrumented.js'

/** Specs of processes see no change of the sources; those of docs, samples and tools are no tests of the rooms. */
const isSpec = (file: string): boolean =>
  /\.(unit|prop|int|sim)\.spec\.ts$/.test(file) &&
  (/^src\/(?!dashboard\/|cli\/)/.test(file) ||
    /^test\/(backup|faults|flow|heads|history|http|keys|ledger|log|network|notary|recurring|scheduler|session|standby|store|strangers|subscription|testing|timeTravel|vault)\//.test(
      file,
    ))

const HuntedC = t.type({
  found: t.union([t.string, t.null]),
  reached: t.array(t.type({ file: t.string, ids: t.array(t.string) })),
  always: t.array(t.string),
  failed: t.array(t.string),
})

/** As many as one process runs: to start it takes as long as a few of them. */
const filesAtATime = 10

const portionsOf = <A>(all: readonly A[]): readonly (readonly A[])[] =>
  Array.from({ length: Math.ceil(all.length / filesAtATime) }, (_, place) =>
    all.slice(place * filesAtATime, (place + 1) * filesAtATime),
  )

const specsIn = (sources: string, only: readonly string[] | undefined): readonly string[] =>
  ['src', 'test']
    .flatMap((root) =>
      readdirSync(join(sources, root), { recursive: true, encoding: 'utf8' }).map((file) => `${root}/${file}`),
    )
    .filter((file) => isSpec(file) && (only === undefined || only.some((beginning) => file.startsWith(beginning))))
    .sort()

const hunt = (ground: Ground, files: readonly string[], mutant?: string) =>
  runInstrumented(ground, { file: 'huntInSpecs.ts', args: files, prints: HuntedC }, mutant)

/**
 * The mutants with the spec files that execute what is changed. A file that fails without any change is left out, and told
 * of. What is changed where a module is loaded is executed by all files whose process has loaded it.
 */
export const findSpecs = async (
  ground: Ground,
  mutants: readonly Mutant[],
  only: readonly string[] | undefined,
  tell: (line: string) => void,
): Promise<readonly Mutant[]> => {
  const reachedBy = new Map<string, Set<string>>()
  const add = (id: string, files: readonly string[]): void => {
    const known = reachedBy.get(id) ?? new Set()
    for (const file of files) known.add(file)
    reachedBy.set(id, known)
  }
  const unfit = new Set<string>()
  const portions = [...portionsOf(specsIn(ground.sources, only))]
  const all = portions.length
  const work = async (): Promise<void> => {
    for (let files = portions.shift(); files !== undefined; files = portions.shift()) {
      const hunted = await hunt(ground, files)
      if (typeof hunted === 'string') {
        for (const file of files) unfit.add(file)
        tell(`Left out, because ${hunted}: ${files.join(', ')}`)
        continue
      }
      for (const file of hunted.failed) {
        unfit.add(file)
        tell(`Left out, because it fails without any change: ${file}`)
      }
      for (const { file, ids } of hunted.reached) for (const id of ids) add(id, [file])
      for (const id of hunted.always) add(id, files)
      tell(`Looked at ${all - portions.length} of ${all} portions of the specs.`)
    }
  }
  await Promise.all([work(), work()])
  return mutants.map((mutant) => ({
    ...mutant,
    coveredBy: [...(reachedBy.get(mutant.id ?? '') ?? [])].filter((file) => !unfit.has(file)),
  }))
}

/** Those next to a file come first, then those of its room, then the quick ones. */
const distance = (file: string, spec: string): number => {
  if (basename(spec).startsWith(`${basename(file, '.ts')}.`)) return 0
  if (dirname(spec) === dirname(file)) return 1
  const [, room = ''] = file.split('/')
  const far = ['unit', 'prop', 'int', 'sim'].findIndex((level) => spec.includes(`.${level}.`))
  return (spec.split('/')[1] === room ? 2 : 6) + far
}

/** What the specs said to a change: the first that failed; null when none did. */
export const runSpecs = async (ground: Ground, { id = '', file, coveredBy = [] }: Mutant): Promise<string | null> => {
  const nearest = [...coveredBy].sort((a, b) => distance(file, a) - distance(file, b))
  for (const files of portionsOf(nearest)) {
    const hunted = await hunt(ground, files, id)
    if (typeof hunted === 'string') return hunted
    if (hunted.found !== null) return hunted.found
  }
  return null
}
