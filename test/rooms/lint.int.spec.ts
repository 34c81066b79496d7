/** The linter of the test command finds what is planted: a rule that no longer looks would be missed by nobody. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')

/** Each file, and the rules that it breaks. */
const planted: readonly (readonly [file: string, text: string, ...rules: readonly string[]])[] = [
  [
    'src/node/promise.ts',
    'const work = async (): Promise<void> => { await Promise.resolve() }\nwork()',
    'typescript(no-floating-promises)',
  ],
  [
    'src/node/promises.ts',
    'const work = async (): Promise<void> => { await Promise.resolve() }\n;[1].forEach(work)',
    'typescript(no-misused-promises)',
  ],
  ['src/node/any.ts', 'export const any: any = 1', 'typescript(no-explicit-any)'],
  [
    'src/node/unsafe.ts',
    'export const size: number = JSON.parse("1").size',
    'typescript(no-unsafe-assignment)',
    'typescript(no-unsafe-member-access)',
  ],
  ['src/node/passed.ts', 'export const at = Math.abs(JSON.parse("1"))', 'typescript(no-unsafe-argument)'],
  ['src/node/thrown.ts', 'export const fail = (): never => { throw "no error" }', 'typescript(only-throw-error)'],
  [
    'src/node/switch.ts',
    'export const say = (kind: "a" | "b"): void => { switch (kind) { case "a": break } }',
    'typescript(switch-exhaustiveness-check)',
  ],
  [
    'src/node/needless.ts',
    'export const isThere = (text: string): boolean => text !== undefined',
    'typescript(no-unnecessary-condition)',
  ],
  [
    'src/node/cast.ts',
    'export const cast = (text: string): string => text as string',
    'typescript(no-unnecessary-type-assertion)',
  ],
  [
    'src/node/sure.ts',
    'export const first = (all: readonly string[]): string => all[0]!',
    'typescript(no-non-null-assertion)',
  ],
  [
    'src/node/text.ts',
    'export const text = (it: object): string => `${it}`',
    'typescript(no-base-to-string)',
    'typescript(restrict-template-expressions)',
  ],
  [
    'src/node/type.ts',
    'import { Node } from "./other.js"\nexport type Other = Node',
    'typescript(consistent-type-imports)',
  ],
  ['src/node/other.ts', 'export type Node = string'],
  ['src/node/unused.ts', 'const unused = 1\nexport const used = 2', 'eslint(no-unused-vars)'],
  ['src/node/default.ts', 'export default 1', 'import(no-default-export)'],
  ['src/node/equal.ts', 'export const isEqual = (a: unknown): boolean => a == 1', 'eslint(eqeqeq)'],
  ['src/node/console.ts', 'console.log("said")', 'eslint(no-console)'],
  ['src/cli/console.ts', 'console.log("said")'],
  ['src/node/todo.ts', '// todo: later\nexport const later = 1', 'eslint(no-warning-comments)'],
  ['src/node/bare.ts', '// oxlint-disable-next-line no-console\nconsole.log("said")', 'carillon(reasoned-exception)'],
  ['src/node/all.ts', '// oxlint-disable-next-line -- a reason\nconsole.log("said")', 'carillon(reasoned-exception)'],
  ['src/node/reasoned.ts', '// oxlint-disable-next-line no-console -- a reason\nconsole.log("said")'],
  [
    'src/node/idle.ts',
    '// oxlint-disable-next-line no-console -- a reason\nexport const idle = 1',
    'Unused oxlint-disable directive (no problems were reported).',
  ],
  ['src/node/clock.ts', 'export const at = Date.now() + new Date().getTime()'],
  ['src/agenda/clock.ts', 'export const at = Date.now()', 'carillon(inputs-only)'],
  ['src/agenda/date.ts', 'export const at = new Date()', 'carillon(inputs-only)'],
  ['src/agenda/text.ts', 'export const at = Date()', 'carillon(inputs-only)'],
  [
    'src/agenda/zone.ts',
    'import { DateTime } from "luxon"\nexport const at = DateTime.local()',
    'carillon(inputs-only)',
  ],
  ['src/agenda/random.ts', 'export const at = Math.random()', 'carillon(inputs-only)'],
  ['src/agenda/timer.ts', 'setTimeout(() => undefined, 1)', 'carillon(inputs-only)'],
  [
    'src/agenda/host.ts',
    'export const host = [process.pid, performance.now(), crypto, globalThis, fetch]',
    ...Array.from({ length: 5 }, () => 'carillon(inputs-only)'),
  ],
  ['src/agenda/given.ts', 'export const at = (ms: number): Date => new Date(ms)'],
  ['src/agenda/clock.unit.spec.ts', 'export const at = Date.now()'],
  [
    'samples/shop/flow.ts',
    `type Io = { progress(text: string): Iterable<string> }
declare const defineFlow: (flow: { name: string; run(io: Io): Generator<number, number> }) => unknown
export const Pay = defineFlow({ name: 'Pay', *run(io) { io.progress('paid'); yield 1; return Date.now() } })`,
    'carillon(yield-star)',
    'carillon(deterministic-flow)',
  ],
]

type Diagnostic = { readonly filename: string; readonly code?: string; readonly message: string }

/** What is found in each file. */
const findings = (): ReadonlyMap<string, readonly string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-lint-'))
  try {
    for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json', 'scripts/lint', 'src/lint'])
      cpSync(join(root, name), join(folder, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const [file, text] of planted) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), `${text}\n`)
    }
    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
    const { stdout } = spawnSync(process.execPath, [oxlint, '--format', 'json', 'src', 'samples'], {
      cwd: folder,
      encoding: 'utf8',
    })
    const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] }
    const rules = (file: string): readonly string[] =>
      diagnostics.filter(({ filename }) => filename === file).map(({ code, message }) => code ?? message)
    return new Map(planted.map(([file]) => [file, rules(file)]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('A breach that is planted', () => {
  it('is found by the linter, and what keeps the rule is not', () => {
    const found = findings()
    for (const [file, , ...rules] of planted) expect(found.get(file), file).to.have.members(rules)
  })
})
