/**
 * Changes the sources in many small ways and looks what notices: `npm run test:mutants -- --seed 7 --count 300`. The page
 * README.md beside this says how.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as t from 'io-ts'
import { decodeWith } from '../../src/encoding/decode.js'
import { copySources } from './copySources.js'
import { drawMutants, instrumentDrawn, listMutants } from './drawMutants.js'
import { decidingAndStoring, groups } from './groups.js'
import { isFoundByHistories, isFoundBySpecs, MutantC, placeOf, type Mutant } from './Mutant.js'
import { findReached, runHistories } from './runHistories.js'
import { findSpecs, runSpecs } from './runSpecs.js'

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '300' },
    histories: { type: 'string', default: '100' },
    only: { type: 'string' },
    groups: { type: 'string' },
    specs: { type: 'string', multiple: true },
    again: { type: 'boolean', default: false },
  },
})
const [seed, count, histories] = [Number(options.seed), Number(options.count), Number(options.histories)]
if (![seed, count, histories].every(Number.isInteger) || count < 1 || histories < 1)
  throw new Error('Give whole numbers: npm run test:mutants -- --seed 7 --count 300 --histories 100.')
if (options.only !== undefined && options.only !== 'specs' && options.only !== 'histories')
  throw new Error('--only takes specs or histories.')
const names = options.groups?.split(',') ?? Object.keys(groups)
if (!names.every((name) => name in groups)) throw new Error(`--groups takes some of ${Object.keys(groups).join(',')}.`)

const here = import.meta.dirname
const repository = join(here, '../..')
const folder = join(
  here,
  '.run',
  [`seed-${seed}-${count}`, options.groups?.replaceAll(',', '-') ?? []].flat().join('-'),
)
const file = join(folder, 'mutants.json')
const ground = { sources: join(folder, 'sources'), instrumented: join(folder, 'instrumented') }

if (!existsSync(join(here, 'node_modules')))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' })
if (options.again) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const kept = (): readonly Mutant[] | undefined => {
  if (!existsSync(file)) return undefined
  const decoded = decodeWith(t.array(MutantC), JSON.parse(readFileSync(file, 'utf8')))
  return decoded._tag === 'Right' ? decoded.right : undefined
}
const keep = (all: readonly Mutant[]): void => writeFileSync(file, JSON.stringify(all, undefined, 1))

copySources(repository, ground.sources)
const all = await listMutants(ground.sources)
let drawn = kept() ?? (await instrumentDrawn(ground.sources, ground.instrumented, drawMutants(all, seed, count, names)))
console.log(`${drawn.length} of ${all.length} changes, drawn by seed ${seed}.`)
keep(drawn)

const secondsEach = (beganMs: number, mutants: number): string =>
  mutants === 0
    ? 'nothing was left'
    : `${((performance.now() - beganMs) / 1_000 / mutants).toFixed(1)} s for each of ${mutants}`

/** Tries changes, two at a time, and keeps what each came to. */
const tryEach = async (
  what: string,
  isLeft: (mutant: Mutant) => boolean,
  attempt: (mutant: Mutant) => Promise<{ readonly mutant: Mutant; readonly said: string }>,
): Promise<void> => {
  const beganMs = performance.now()
  const left = drawn.filter(isLeft)
  const waiting = [...left]
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const of = mutant
      const { mutant: tried, said } = await attempt(of)
      drawn = drawn.map((each) => (each === of ? tried : each))
      keep(drawn)
      console.log(`${what} ${left.length - waiting.length}/${left.length} ${placeOf(of)} ${of.mutator}: ${said}`)
    }
  }
  await Promise.all([work(), work()])
  console.log(`${what} took ${secondsEach(beganMs, left.length)}.`)
}

if (options.only !== 'specs') {
  if (drawn.some(({ reachedBy }) => reachedBy === undefined)) {
    drawn = await findReached(ground, drawn, histories)
    keep(drawn)
  }
  console.log(`Histories reach ${drawn.filter(({ reachedBy = [] }) => reachedBy.length > 0).length} of them.`)
  await tryEach(
    'Histories',
    (mutant) => mutant.histories === undefined,
    async (mutant) => {
      const found = await runHistories(ground, mutant)
      const said = found ?? `not found by ${mutant.reachedBy?.length ?? 0}`
      return { mutant: { ...mutant, histories: found }, said }
    },
  )
}
if (options.only !== 'histories') {
  if (drawn.some(({ coveredBy }) => coveredBy === undefined)) {
    drawn = await findSpecs(ground, drawn, options.specs, console.log)
    keep(drawn)
  }
  console.log(`Specs execute ${drawn.filter(({ coveredBy = [] }) => coveredBy.length > 0).length} of them.`)
  await tryEach(
    'Specs',
    (mutant) => mutant.specs === undefined,
    async (mutant) => {
      const found = await runSpecs(ground, mutant)
      const said = found ?? `not found by ${mutant.coveredBy?.length ?? 0} files`
      return { mutant: { ...mutant, specs: found }, said }
    },
  )
}

const share = (found: number, of: number): string =>
  `${found} of ${of} (${of === 0 ? 0 : Math.round((100 * found) / of)} %)`
const isFound = (mutant: Mutant): boolean => isFoundBySpecs(mutant) || isFoundByHistories(mutant)
for (const group of names) {
  const own = drawn.filter((mutant) => mutant.group === group)
  console.log(
    `${group}: ${share(own.filter(isFound).length, own.length)} found, by specs ${own.filter(isFoundBySpecs).length}, by histories ${own.filter(isFoundByHistories).length}`,
  )
}
const core = drawn.filter(({ group }) => decidingAndStoring.includes(group))
console.log(`Together: ${share(drawn.filter(isFound).length, drawn.length)} found.`)
console.log(`Deciding and storing, by histories alone: ${share(core.filter(isFoundByHistories).length, core.length)}.`)
const missed = drawn.filter((mutant) => !isFound(mutant))
if (missed.length > 0) console.log('Nothing noticed:')
for (const mutant of missed) {
  const text = readFileSync(join(ground.sources, mutant.file), 'utf8').split('\n')[mutant.start.line] ?? ''
  console.log(`  ${placeOf(mutant)} ${mutant.mutator}: ${mutant.replacement.slice(0, 60)}\n    ${text.trim()}`)
}
