/**
 * Everything that must hold before a change is good, in one command. Green is one line a stage; a failed stage shows
 * its whole output and the command that repeats it alone, and the other stages still run.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { specBatches, type SpecBatch } from './specBatches.js'

type Outcome = { readonly passed: number; readonly failed: number; readonly note?: string }
type Run = { readonly ok: boolean; readonly output: string }
type Stage = {
  readonly name: string
  readonly command: readonly [program: string, ...args: readonly string[]]
  /** How someone repeats it alone. */
  readonly repeat: string
  readonly judge: (run: Run) => Outcome
}

const scratch = mkdtempSync(join(tmpdir(), 'carillon-verify-'))

const run = ([program, ...args]: Stage['command']): Promise<Run> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => resolve({ ok: false, output: error.message }))
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8').trim() }))
  })

const check = (script: string): Stage => ({
  name: script,
  command: ['npm', 'run', '--silent', script],
  repeat: `npm run ${script}`,
  judge: ({ ok }) => (ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }),
})

/** What the reporter has counted. */
type Counts = {
  readonly passes: number
  readonly failures: number
  readonly pending: number
  readonly skipped: readonly string[]
}

const countsTests = ({ ok }: Run, countsFile: string, name: string): Outcome => {
  // Without counts mocha did not get as far as its last test, which is a failure of its own.
  if (!existsSync(countsFile)) return { passed: 0, failed: 1, note: `${name}: mocha did not finish` }
  const counts = JSON.parse(readFileSync(countsFile, 'utf8')) as Counts
  const failed = ok ? counts.failures : Math.max(counts.failures, 1)
  const skipped = counts.pending === 0 ? '' : `, ${counts.pending} skipped`
  const names = counts.skipped.map((title) => `\n    skipped: ${title}`).join('')
  return { passed: counts.passes, failed, note: `${counts.passes} tests${skipped}: ${name}${names}` }
}

/** Loaded before specs that are watched: it holds every node against the model, after each tick. */
const watching = ['--require', 'test/model/watchNodes.ts']

const specs = ({ name, files, isWatched }: SpecBatch, index: number): Stage => {
  const countsFile = join(scratch, `counts.${index}.json`)
  const chosen = [...(isWatched ? watching : []), ...files]
  return {
    name: 'specs',
    command: [
      ...([process.execPath, 'node_modules/mocha/bin/mocha.js', '--forbid-only', '--fail-zero'] as const),
      ...['--reporter', './scripts/QuietReporter.ts', '--reporter-option', `counts=${countsFile}`],
      ...chosen,
    ],
    repeat: `npx mocha ${chosen.join(' ')}`,
    judge: (done) => countsTests(done, countsFile, isWatched ? `${name}, held against the model` : name),
  }
}

const perform = async ({ name, command, repeat, judge }: Stage): Promise<Outcome> => {
  const startedMs = performance.now()
  const done = await run(command)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  const outcome = judge(done)
  const verdict = outcome.failed === 0 ? 'ok    ' : 'FAILED'
  const note = outcome.note === undefined ? '' : `  ${outcome.note}`
  const line = `${name.padEnd(12)} ${verdict} ${seconds.padStart(6)} s${note}`
  console.log(outcome.failed === 0 ? line : `${line}\n\n${done.output}\n\nrepeat it alone: ${repeat}\n`)
  return outcome
}

/** Takes stages from the front of a list that others take from too, until none is left. */
const performFrom = async (stages: Stage[]): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = []
  for (let stage = stages.shift(); stage !== undefined; stage = stages.shift()) outcomes.push(await perform(stage))
  return outcomes
}

// What needs no build goes beside it. The rest comes after it, because end-to-end specs run what was built.
const beside = ['lint', 'types', 'layers', 'format:check', 'unused'].map(check)
const after = [check('package'), check('api'), ...specBatches().map(specs)]

/** One more than there are cores: some specs mostly wait, for another process or for a lease to lapse. */
const lanes = availableParallelism() + 1

try {
  const building = performFrom([check('build')])
  const specsOnceBuilt = (): Promise<readonly Outcome[]> => building.then(() => performFrom(after))
  const checksThenSpecs = async (): Promise<readonly Outcome[]> => [
    ...(await performFrom(beside)),
    ...(await specsOnceBuilt()),
  ]
  const others = Array.from({ length: lanes - 1 }, checksThenSpecs)
  const outcomes = (await Promise.all([building, specsOnceBuilt(), ...others])).flat()
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
  process.exitCode = failed === 0 ? 0 : 1
  console.log(`${passed} passed, ${failed} failed`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
