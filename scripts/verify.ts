/**
 * Everything that must hold before a change is good, in one command. Green is one line a stage; a failed stage shows
 * its whole output and the command that repeats it alone, and the other stages still run.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Outcome = { readonly passed: number; readonly failed: number; readonly note?: string }
type Run = { readonly ok: boolean; readonly output: string }
type Stage = { readonly script: string; readonly args: readonly string[]; readonly judge: (run: Run) => Outcome }

const scratch = mkdtempSync(join(tmpdir(), 'carillon-verify-'))
const countsFile = join(scratch, 'counts.json')

const runScript = (script: string, args: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', script, '--', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => resolve({ ok: false, output: error.message }))
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8').trim() }))
  })

const countsOnce = ({ ok }: Run): Outcome => (ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })

const countsTests = ({ ok }: Run): Outcome => {
  // Without counts mocha did not get as far as its last test, which is a failure of its own.
  if (!existsSync(countsFile)) return { passed: 0, failed: 1, note: 'mocha did not finish' }
  const counts = JSON.parse(readFileSync(countsFile, 'utf8')) as { passes: number; failures: number; pending: number }
  const failed = ok ? counts.failures : Math.max(counts.failures, 1)
  const skipped = counts.pending === 0 ? '' : `, ${counts.pending} skipped`
  return { passed: counts.passes, failed, note: `${counts.passes} tests${skipped}` }
}

const check = (script: string): Stage => ({ script, args: [], judge: countsOnce })

const specs: Stage = {
  script: 'specs',
  args: [
    ...['--forbid-only', '--fail-zero'],
    ...['--reporter', './scripts/QuietReporter.ts', '--reporter-option', `counts=${countsFile}`],
  ],
  judge: countsTests,
}

const hasSpecs = ['src', 'samples', 'test'].some(
  (folder) =>
    existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => String(file).endsWith('.spec.ts')),
)

const perform = async ({ script, args, judge }: Stage): Promise<Outcome> => {
  const startedMs = performance.now()
  const run = await runScript(script, args)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  const outcome = judge(run)
  const verdict = outcome.failed === 0 ? 'ok    ' : 'FAILED'
  const note = outcome.note === undefined ? '' : `  ${outcome.note}`
  const line = `${script.padEnd(12)} ${verdict} ${seconds.padStart(6)} s${note}`
  console.log(outcome.failed === 0 ? line : `${line}\n\n${run.output}\n\nrepeat it alone: npm run ${script}\n`)
  return outcome
}

const performInOrder = async (stages: readonly Stage[]): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = []
  for (const stage of stages) outcomes.push(await perform(stage))
  return outcomes
}

// Two lanes for two cores. Specs come after the build, because end-to-end specs run what was built.
const lanes = [
  [check('build'), ...(hasSpecs ? [specs] : [])],
  [check('format:check'), check('layers'), check('types'), check('lint')],
]

try {
  const outcomes = (await Promise.all(lanes.map(performInOrder))).flat()
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
  process.exitCode = failed === 0 ? 0 : 1
  console.log(`${passed} passed, ${failed} failed`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
