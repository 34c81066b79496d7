/** Each rule with code that it lets pass and code that it finds. */
import { RuleTester, type Rule } from 'eslint'
import { parser } from 'typescript-eslint'
import type { LintRule } from './LintRule.js'
import plugin from './plugin.js'

const tester = new RuleTester({ languageOptions: { parser } })
const javascript = new RuleTester()

/** Code, and which message it gets for what; or only code. */
type Found = { readonly code: string; readonly says: readonly (readonly [messageId: string, what?: string])[] }

const run = (
  name: string,
  valid: readonly string[],
  invalid: readonly Found[],
  options: { readonly tester?: RuleTester; readonly output?: (code: string) => string } = {},
): void => {
  const rule: LintRule | undefined = plugin.rules[name]
  if (rule === undefined) throw new Error(`There is no rule ${name}`)
  ;(options.tester ?? tester).run(name, rule as Rule.RuleModule, {
    valid: [...valid],
    invalid: invalid.map(({ code, says }) => ({
      code,
      ...(options.output === undefined ? {} : { output: options.output(code) }),
      errors: says.map(([messageId, what]) => ({ messageId, ...(what === undefined ? {} : { data: { what } }) })),
    })),
  })
}

/** A flow with this body. */
const flow = (body: string, before = ''): string =>
  `${before}\nexport const Pay = defineFlow({ name: 'shop/Pay', *run(io, { amount }) { ${body} } })`

describe('the lint rules', () => {
  run(
    'deterministic-flow',
    [
      flow('const at = yield* io.now()'),
      flow('const day = new Date(0); const due = new Date(yield* io.now())'),
      flow('const largest = Math.max(1, 2)'),
      flow('yield* io.step("charge", () => fetch("https://bank"))'),
      flow(
        'yield* io.step("charge", async ({ signal }) => { console.log(Date.now()); await fetch("https://bank", { signal }) })',
      ),
      flow('yield* io.step("charge", charge)', 'const charge = () => fetch("https://bank")'),
      flow('yield* io.step("charge", () => charge(amount))', 'const charge = () => Math.random()'),
      flow(
        'const id = hash(amount)',
        "import { createHash } from 'node:crypto'\nconst hash = (x) => createHash('sha256').update(x)",
      ),
      flow(
        'const at = DateTime.fromISO("2026-01-01"); const later = DateTime.utc(2026)',
        "import { DateTime } from 'luxon'",
      ),
      flow('const shown: Stats | undefined = undefined', "import { type Stats } from 'node:fs'"),
      flow(
        'const charge = () => fetch("https://bank"); yield* io.step("charge", charge); yield* io.step("again", () => charge())',
      ),
      flow('const Date = clock; const at = Date.now()'),
      flow('const at = order.Date.now; const performance = 1'),
      'const startedAt = Date.now(); setTimeout(() => console.log(Math.random()), 10)',
      "test('pays', async () => { const { node } = await VirtualNode.start({ app }); console.log(new Date()) })",
      'const other = { *run(input) { yield Date.now() } }',
    ],
    [
      { code: flow('const at = Date.now()'), says: [['clock', 'Date.now']] },
      {
        code: flow('const charge = () => fetch("https://bank"); yield* io.step("charge", charge); charge()'),
        says: [['world', 'fetch']],
      },
      { code: flow('const at = new Date()'), says: [['clock', 'new Date()']] },
      { code: flow('const at = Date()'), says: [['clock', 'Date()']] },
      { code: flow('const at = globalThis.Date.now()'), says: [['clock', 'Date.now']] },
      { code: flow('const at = performance.now()'), says: [['clock', 'performance.now']] },
      { code: flow('const at = process.hrtime.bigint()'), says: [['clock', 'process.hrtime']] },
      { code: flow('const at = Temporal.Now.instant()'), says: [['clock', 'Temporal.Now']] },
      {
        code: flow('const at = DateTime.now()', "import { DateTime } from 'luxon'"),
        says: [['clock', 'DateTime.now']],
      },
      {
        code: flow('const at = Clock.utc()', "import { DateTime as Clock } from 'luxon'"),
        says: [['clock', 'DateTime.utc()']],
      },
      { code: flow('const id = Math.random()'), says: [['randomness', 'Math.random']] },
      { code: flow('const id = crypto.randomUUID()'), says: [['randomness', 'crypto.randomUUID']] },
      {
        code: flow('const id = randomUUID()', "import { randomUUID } from 'node:crypto'"),
        says: [['randomness', 'randomUUID of crypto']],
      },
      {
        code: flow('const id = crypto.randomBytes(8)', "import crypto from 'crypto'"),
        says: [['randomness', 'crypto.randomBytes of crypto']],
      },
      { code: flow('const id = uuid()', "import { v4 as uuid } from 'uuid'"), says: [['randomness', 'v4 of uuid']] },
      { code: flow('setTimeout(() => undefined, 10)'), says: [['timer', 'setTimeout']] },
      {
        code: flow('sleep(10)', "import { setTimeout as sleep } from 'node:timers/promises'"),
        says: [['timer', 'setTimeout of timers/promises']],
      },
      { code: flow('const answer = fetch("https://bank")'), says: [['world', 'fetch']] },
      { code: flow('console.log(amount)'), says: [['world', 'console']] },
      { code: flow('const url = process.env.BANK'), says: [['world', 'process']] },
      {
        code: flow('const text = fs.readFileSync("a")', "import fs from 'node:fs'"),
        says: [['world', 'fs of fs']],
      },
      {
        code: flow('yield* io.finalise((tx) => tx.produce(Paid, { at: Date.now() }))'),
        says: [['clock', 'Date.now']],
      },
      {
        code: flow(
          'const at = later(amount)',
          'const soon = () => Date.now() + 1\nfunction later(n) { return soon() + n }',
        ),
        says: [['clock', 'Date.now']],
      },
      {
        code: "export const Answer = defineResponder({ name: 'shop/Answer', respondsTo: Pay, *run(it, session) { const at = Date.now() } })",
        says: [['clock', 'Date.now']],
      },
      { code: 'function* part(io) { const at = Date.now() }', says: [['clock', 'Date.now']] },
      { code: 'function* part(flow: FlowIo, at: Date) { const now = Date.now() }', says: [['clock', 'Date.now']] },
      {
        code: "const nightly = recurring({ name: 'a/B', *run(io, { payload }) { console.log(payload) } })",
        says: [['world', 'console']],
      },
    ],
  )

  run(
    'deterministic-flow',
    [flow('const at = yield* io.now()')],
    [{ code: flow('const at = Date.now()'), says: [['clock', 'Date.now']] }],
    { tester: javascript },
  )

  const state = (next: string): string =>
    `export const Loan = defineState({ type: 'a/Loan', data, participants: (loan) => [loan.library], nextScheduledActivity: ${next} })`

  run(
    'pure-state',
    [
      state('(loan, ref) => some(Remind.at(loan.dueBack, { loan: ref }))'),
      state('(loan, ref) => some(Remind.at(new Date(loan.dueBack).toISOString(), { loan: ref }))'),
      "const at = Date.now(); const Loan = defineState({ type: 'a/Loan', data, participants: (loan) => [loan.library] })",
      "const Loan = { type: 'a/Loan', data: t.strict({ at: t.number }) }; setTimeout(() => undefined, 1)",
    ],
    [
      { code: state('(loan, ref) => some(Remind.at(Date.now(), { loan: ref }))'), says: [['clock', 'Date.now']] },
      {
        code: state(
          '(loan, ref) => (loan.dueBack < new Date().toISOString() ? none : some(Remind.at(loan.dueBack, { loan: ref })))',
        ),
        says: [['clock', 'new Date()']],
      },
      {
        code: `const soon = () => Date.now()\n${state('(loan, ref) => some(Remind.at(soon(), { loan: ref }))')}`,
        says: [['clock', 'Date.now']],
      },
      {
        code: 'const kind = { nextScheduledActivity(loan, ref) { return some(Remind.at(Date.now(), { loan: ref })) } }',
        says: [['clock', 'Date.now']],
      },
      {
        code: "defineState({ type: 'a/Loan', data, participants: () => [], key: () => String(Math.random()) })",
        says: [['randomness', 'Math.random']],
      },
      {
        code: "defineContract({ name: 'a/Loan', verify: (tx) => allOf([rule('not yet', tx.window.until > Date.now())]) })",
        says: [['clock', 'Date.now']],
      },
      {
        code: "defineContract({ name: 'a/Loan', verify: (tx) => { console.log(tx); return allOf([]) } })",
        says: [['world', 'console']],
      },
    ],
  )

  run(
    'no-await-in-flow',
    [
      flow('yield* io.step("charge", async () => { await fetch("https://bank") })'),
      flow('yield* io.step("charge", () => Promise.all([charge(1), charge(2)]))'),
      flow('yield* io.step("charge", charge)', 'const charge = async () => { await fetch("https://bank") }'),
      flow('const later: Promise<void> | undefined = undefined'),
      "test('pays', async () => { await node.run(Pay, { amount: 1 }) })",
      'const other = { async *run(input) { await input } }',
    ],
    [
      {
        code: "defineFlow({ name: 'shop/Pay', async *run(io) { await fetch('https://bank') } })",
        says: [['async']],
      },
      {
        code: "defineFlow({ name: 'shop/Pay', run: async (io) => { await fetch('https://bank') } })",
        says: [['async']],
      },
      { code: flow('const answer = (async () => await fetch("https://bank"))()'), says: [['async']] },
      { code: flow('charge()', 'const charge = async () => { await fetch("https://bank") }'), says: [['async']] },
      { code: flow('const both = Promise.all([charge(1), charge(2)])'), says: [['promise']] },
      { code: 'async function* part(io) { yield* io.now() }', says: [['async']] },
    ],
  )

  run(
    'yield-star',
    [
      flow('yield* io.progress("paid")'),
      flow('const at = yield* io.now()'),
      flow('const at = plus(yield* io.now(), { days: 1 })'),
      flow('return (yield* io.finalise((tx) => tx.produce(Paid, {}))).output()'),
      flow('return yield* io.load(Paid, amount)'),
      flow('const { a, b } = yield* io.all({ a: io.now(), b: io.newId() })'),
      flow(
        'const first = yield* io.race([["a", io.now()], ["b", part(io)]])',
        'function* part(io) { return yield* io.now() }',
      ),
      flow('const asked = io.now(); const at = yield* asked'),
      flow('const asked = { at: io.now() }; yield* io.all(asked)'),
      flow('const at = yield* (amount > 1 ? io.now() : io.newId())'),
      flow('const session = yield* io.initiate(bank); yield* session.send(amount)'),
      flow('const me = io.me; const name = io.me.name.trim()'),
      flow('if (io.startedBy !== undefined) yield* part(io)', 'function* part(io) { yield* io.now() }'),
      flow('yield* io.attempt(part(io))', 'function* part(io) { yield* io.now() }'),
      'const part = (io: FlowIo) => io.now()',
      'function* numbers() { yield 1 }; const all = [...numbers()]; for (const n of numbers()) n',
      'const other = { run(io) { return undefined } }',
      'session.send(1); node.start(Pay)',
    ],
    [
      { code: flow('io.progress("paid")'), says: [['forgotten', 'io.progress']] },
      { code: flow('io.finalise((tx) => tx.produce(Paid, {}))'), says: [['forgotten', 'io.finalise']] },
      { code: flow('const at = io.now(); if (at > amount) return'), says: [['forgotten', 'io.now']] },
      { code: flow('const at = io.now()'), says: [['forgotten', 'io.now']] },
      { code: flow('const { data } = io.load(Paid, amount)'), says: [['forgotten', 'io.load']] },
      { code: flow('const data = io.load(Paid, amount).data'), says: [['forgotten', 'io.load']] },
      { code: flow('const text = `at ${io.now()}`'), says: [['forgotten', 'io.now']] },
      { code: flow('return io.load(Paid, amount)'), says: [['forgotten', 'io.load']] },
      { code: flow('yield io.sleep({ days: 1 })'), says: [['plain', 'io.sleep']] },
      { code: flow('io.progress("paid")!'), says: [['forgotten', 'io.progress']] },
      {
        code: flow('const session = yield* io.initiate(bank); session.send(amount)'),
        says: [['forgotten', 'session.send']],
      },
      {
        code: "defineResponder({ name: 'shop/Answer', respondsTo: Pay, *run(it, talk) { talk.send(1); it.progress('a') } })",
        says: [
          ['forgotten', 'talk.send'],
          ['forgotten', 'it.progress'],
        ],
      },
      { code: flow('part(io)', 'function* part(io) { yield* io.now() }'), says: [['forgotten', 'part']] },
      { code: flow('yield part(io)', 'const part = function* (io) { yield* io.now() }'), says: [['plain', 'part']] },
      { code: 'function* part(flow: FlowIo) { flow.now() }', says: [['forgotten', 'flow.now']] },
    ],
  )

  run(
    'await-node',
    [
      'await node.run(Pay, { amount: 1 })',
      'const running = node.run(Pay, { amount: 1 })',
      'void node.run(Pay, { amount: 1 })',
      'node.run(Pay, { amount: 1 }).catch(() => undefined)',
      "test('pays', () => virtual.node.run(Pay, { amount: 1 }))",
      'node.follow(() => undefined)',
      'virtual.clock.setTo(1); network.cut("A", "B")',
      'const paid = await node.tryRun(Pay, { amount: 1 })()',
      'child.run(); process.stop(); graph.node.visit()',
    ],
    [
      { code: 'node.run(Pay, { amount: 1 })', says: [['unawaited', 'run']] },
      { code: 'virtual.node.run(Pay, { amount: 1 })', says: [['unawaited', 'run']] },
      { code: "network.node('Bank').start(Pay, { amount: 1 })", says: [['unawaited', 'start']] },
      { code: 'bankNode.stop()', says: [['unawaited', 'stop']] },
      { code: 'virtual.advanceBy({ days: 1 })', says: [['unawaited', 'advanceBy']] },
      { code: "network.crash('Bank')", says: [['unawaited', 'crash']] },
      { code: 'node.tryRun(Pay, { amount: 1 })', says: [['uncalled', 'tryRun']] },
    ],
  )

  run(
    'fp-ts-paths',
    [
      "import { some } from 'fp-ts/lib/Option.js'",
      "import { option } from 'fp-ts'",
      "import * as t from 'io-ts'",
      "import { Option } from './fp-ts/Option'",
    ],
    ['fp-ts/Option', 'fp-ts/lib/Option', 'fp-ts/es6/Option', 'fp-ts/es6/Option.js', 'fp-ts/Option.js']
      .flatMap((path) => [
        `import { some } from '${path}'`,
        `import type { Option } from "${path}"`,
        `export { some } from '${path}'`,
        `export * from '${path}'`,
        `const { some } = await import('${path}')`,
      ])
      .map((code) => ({ code, says: [['path']] })),
    { output: (code) => code.replace(/fp-ts[^'"]*/, 'fp-ts/lib/Option.js') },
  )
})
