/** Runs the specs that cover each changed line, with StrykerJS, and hears which changes they noticed. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as t from 'io-ts'
import { decodeWith } from '../../src/encoding/decode.js'
import { identityOf, type Mutant } from './Mutant.js'

/** Specs of processes see no change of the sources; those of docs, samples and tools are no tests of the rooms. */
const specFiles = [
  'src/!(dashboard|cli)/**/*.{unit,prop,int,sim}.spec.ts',
  'test/{backup,faults,flow,heads,history,http,keys,ledger,log,network,notary,recurring,scheduler,session,standby,store,strangers,subscription,timeTravel,vault}/**/*.{unit,prop,int,sim}.spec.ts',
]

const LocationC = t.type({ line: t.number, column: t.number })
const ReportC = t.type({
  files: t.record(
    t.string,
    t.type({
      mutants: t.array(
        t.intersection([
          t.type({
            status: t.string,
            mutatorName: t.string,
            location: t.type({ start: LocationC, end: LocationC }),
          }),
          t.partial({ replacement: t.string }),
        ]),
      ),
    }),
  ),
})

const rangeOf = ({ file, start, end }: Mutant): string =>
  `${file}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`

/** A report counts lines and columns from 1. */
const fromOne = ({ line, column }: t.TypeOf<typeof LocationC>): Mutant['start'] => ({
  line: line - 1,
  column: column - 1,
})

/** The mutants with what the specs said to each. `sources` stay as they are. */
export const runSpecs = (
  sources: string,
  folder: string,
  mutants: readonly Mutant[],
  only: readonly string[] = specFiles,
): readonly Mutant[] => {
  mkdirSync(folder, { recursive: true })
  const changed = join(folder, 'specs')
  rmSync(changed, { recursive: true, force: true })
  cpSync(sources, changed, { recursive: true, verbatimSymlinks: true })
  const modules = join(import.meta.dirname, 'node_modules/@stryker-mutator')
  const report = join(folder, 'specs.json')
  const config = join(folder, 'stryker.conf.json')
  writeFileSync(
    config,
    JSON.stringify({
      plugins: [join(modules, 'mocha-runner/dist/src/index.js')],
      testRunner: 'mocha',
      mochaOptions: { spec: only, 'no-config': true, 'no-package': true },
      testRunnerNodeArgs: ['--conditions=carillon-source', '--import=tsx', '--no-experimental-require-module'],
      mutate: [...new Set(mutants.map(rangeOf))],
      coverageAnalysis: 'perTest',
      ignoreStatic: false,
      // Found, not removed: what the compiler would refuse is run as well.
      checkers: [],
      // A spec looks at the text of a source file, and nothing here checks types.
      disableTypeChecks: false,
      concurrency: 2,
      timeoutMS: 10_000,
      dryRunTimeoutMinutes: 60,
      incremental: true,
      incrementalFile: join(folder, 'incremental.json'),
      reporters: ['json', 'progress-append-only'],
      jsonReporter: { fileName: report },
      // In the copy's place: StrykerJS would look for the packages only where they are no link.
      inPlace: true,
      tempDirName: join(folder, 'backup'),
      ignorePatterns: ['test/mutants'],
      allowConsoleColors: false,
    }),
  )
  const onlyDrawn = pathToFileURL(join(import.meta.dirname, 'onlyDrawn.mjs')).href
  const { status } = spawnSync(
    process.execPath,
    ['--import', onlyDrawn, join(modules, 'core/bin/stryker.js'), 'run', config],
    { cwd: changed, stdio: 'inherit', env: { ...process.env, CARILLON_DRAWN: join(folder, 'mutants.json') } },
  )
  if (status !== 0 && !existsSync(report)) throw new Error('StrykerJS has failed; what it printed says why.')
  const decoded = decodeWith(ReportC, JSON.parse(readFileSync(report, 'utf8')))
  if (decoded._tag === 'Left') throw new Error(`The report of StrykerJS has another form: ${decoded.left.join('; ')}`)
  const said = new Map(
    Object.entries(decoded.right.files).flatMap(([file, { mutants: listed }]) =>
      listed.map(({ status: specs, mutatorName, location, replacement = '' }) => [
        identityOf({
          file,
          start: fromOne(location.start),
          end: fromOne(location.end),
          mutator: mutatorName,
          replacement,
        }),
        specs,
      ]),
    ),
  )
  return mutants.map((mutant) => {
    const specs = said.get(identityOf(mutant))
    return specs === undefined ? mutant : { ...mutant, specs }
  })
}
