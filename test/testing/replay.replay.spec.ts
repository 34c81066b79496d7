/** What a replay finds: every way in which today's code may differ from a recorded log, and nothing where it does not. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import * as t from 'io-ts'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  allOf,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  rule,
  StateRefC,
  type App,
  type FlowBody,
} from 'carillon'
import { exportLog } from 'carillon/logs'
import { assertReplays, describeReplay, replay, VirtualNode, type ReplayProblem } from 'carillon/testing'

const Fill = defineCommand({ type: 'jars/Fill' })
const JarC = t.strict({ owner: PartyC, spoons: IntegerC, tasteAt: t.union([InstantC, t.null]) })
const JarKind = { type: 'jars/Jar', data: JarC } as const

/** What may be changed in the app between the recording and the replay. */
type Change = {
  readonly most?: number
  readonly spoons?: number
  readonly result?: string
  readonly laterMs?: number
  readonly nap?: number
  readonly throws?: boolean
  readonly without?: string
}

const jars = ({
  most = 10,
  spoons = 3,
  result = 'full',
  laterMs = 0,
  nap = 1,
  throws = false,
  without,
}: Change = {}) => {
  const Jar = defineState({
    ...JarKind,
    contract: defineContract({
      name: 'jars/Jar',
      verify: (transaction) =>
        allOf(transaction.outputsOf(JarKind).map(({ data }) => rule(`at most ${most} spoons`, data.spoons <= most))),
    }),
    participants: ({ owner }) => [owner],
    nextScheduledActivity: ({ tasteAt }, jar) =>
      tasteAt === null ? none : some(Taste.at(plus(tasteAt, { milliseconds: laterMs }), { jar })),
  })
  const FillJar = defineFlow({
    name: 'jars/Fill',
    input: t.strict({}),
    *run(io): FlowBody<string> {
      const tasteAt = plus(yield* io.now(), { hours: 1 })
      yield* io.finalise((tx) => tx.produce(Jar, { owner: io.me, spoons, tasteAt }).command(Fill, [io.me]))
      if (throws) throw new Error('spilled')
      return result
    },
  })
  const Taste = defineFlow({
    name: 'jars/Taste',
    schedulable: true,
    input: t.strict({ jar: StateRefC }),
    *run(io, { jar }): FlowBody<string> {
      const { ref, data } = yield* io.load(Jar, jar)
      yield* io.step('open the lid', () => 'open')
      yield* io.sleep({ minutes: nap })
      yield* io.finalise((tx) =>
        tx
          .consume(ref)
          .produce(Jar, { ...data, tasteAt: null })
          .command(Fill, [io.me]),
      )
      return 'sweet'
    },
  })
  const Label = defineFlow({
    name: 'jars/Label',
    input: t.strict({}),
    *run(io): FlowBody<string> {
      const id = yield* io.newId()
      return id
    },
  })
  const flows = [FillJar, Taste, Label].filter(({ name }) => name !== without)
  return { app: defineApp({ name: 'jars', states: [Jar], flows }), FillJar, Label }
}

const recorded = async (until: 'the end' | 'the nap'): Promise<VirtualNode> => {
  const { app, FillJar } = jars()
  const virtual = await VirtualNode.start({ app })
  await virtual.node.run(FillJar, {})
  await virtual.advanceBy(until === 'the end' ? { hours: 2 } : { hours: 1 })
  return virtual
}

const problemsWith = async (
  change: Change,
  until: 'the end' | 'the nap' = 'the end',
): Promise<readonly ReplayProblem[]> => (await replay((await recorded(until)).node, { app: jars(change).app })).problems

const lineOf = (text: string): number =>
  readFileSync(import.meta.filename, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1

describe('A replay', () => {
  it('finds no difference where there is none, and the very views the node has', async () => {
    const { node } = await recorded('the end')
    const report = await replay(node, { app: jars().app, viewsDigest: await node.viewsDigest() })
    expect(report).to.deep.include({ problems: [], transactions: 2, flows: 2, flowsUnjudged: 0, head: node.head })
    expect(report).to.deep.equal(await replay(node.readLog(), { app: jars().app }), 'the same every time')
  })

  it('finds a flow of one tick that makes another transaction: where it differs, and on which line', async () => {
    const [problem, ...others] = await problemsWith({ spoons: 4 })
    expect(others).to.deep.equal([])
    expect(problem).to.deep.include({
      kind: 'flow',
      operation: 1,
      recorded: 'a transaction with outputs.0.data.spoons 3',
      coded: 'a transaction with outputs.0.data.spoons 4',
      source: { file: import.meta.filename, line: lineOf('spoons, tasteAt }).command') },
    })
    expect(problem?.flow?.name).to.equal('jars/Fill')
  })

  it('finds a flow of one tick that ends differently', async () => {
    const [returned] = await problemsWith({ result: 'empty' })
    expect(returned).to.include({
      recorded: 'the end of the flow with "full"',
      coded: 'the end of the flow with "empty"',
    })
    const [thrown] = await problemsWith({ throws: true })
    expect(thrown).to.include({ coded: 'the failure of the flow with flow-threw: spilled' })
  })

  it('finds nothing where only texts for people were reworded: of an error, of a progress', async () => {
    const app = (words: string, nap: object = {}) => {
      const Fails = defineFlow({
        name: 'texts/Fails',
        input: t.strict({ sleeps: t.boolean }),
        *run(io, { sleeps }): FlowBody<void> {
          yield* io.progress(`${words} begins`)
          if (sleeps) yield* io.sleep({ minutes: 1, ...nap })
          throw new Error(words)
        },
      })
      return { app: defineApp({ name: 'texts', states: [], flows: [Fails] }), Fails }
    }
    const { app: first, Fails } = app('spilled')
    const virtual = await VirtualNode.start({ app: first })
    for (const sleeps of [false, true]) await virtual.node.start(Fails, { sleeps })
    await virtual.advanceBy({ minutes: 2 })
    expect((await replay(virtual.node, { app: app('dropped').app })).problems).to.deep.equal([])
    expect((await replay(virtual.node, { app: app('dropped', { hours: 1 }).app })).problems).to.have.length(1)
  })

  it('finds a flow that goes another way than its record, while it sleeps and after it has ended', async () => {
    for (const until of ['the nap', 'the end'] as const) {
      const [problem, ...others] = await problemsWith({ nap: 2 }, until)
      expect(others).to.deep.equal([])
      expect(problem).to.deep.include({
        kind: 'flow',
        operation: 2,
        recorded: 'sleep 60000 ms',
        coded: 'sleep 120000 ms, with other arguments',
        source: { file: import.meta.filename, line: lineOf('io.sleep({ minutes: nap })') },
      })
    }
  })

  it('finds a contract that has become stricter, once, and not the flow that follows from it', async () => {
    const problems = await problemsWith({ most: 2 })
    expect(problems.map(({ kind }) => kind)).to.deep.equal(['contract', 'contract'])
    expect(problems[0]?.what).to.include("today's code refuses it (contract-violated): at most 2 spoons")
  })

  it('finds a state that asks for another instant', async () => {
    const [problem, ...others] = await problemsWith({ laterMs: 5 })
    expect(others.filter(({ kind }) => kind !== 'activity')).to.deep.equal([])
    expect(problem?.what).to.match(
      /^jars\/Jar [0-9a-f]{64}:0 asked for jars\/Taste .* at 2026-01-01T01:00:00.000Z when .* gives .*:00.005Z\.$/,
    )
  })

  it('finds a flow that is gone', async () => {
    const problems = await problemsWith({ without: 'jars/Fill' })
    expect(problems.map(({ what }) => what).join()).to.include('the app has no flow of this name')
    const gone = await problemsWith({ without: 'jars/Taste' }, 'the nap')
    expect(gone.map(({ what }) => what).join()).to.include('which app jars does not define')
  })

  it('does not judge what cannot be judged: a random id that nobody wrote down', async () => {
    const { app, Label } = jars()
    const virtual = await VirtualNode.start({ app })
    await virtual.node.run(Label, {})
    expect(await replay(virtual.node, { app })).to.deep.include({ problems: [], flowsUnjudged: 1 })
  })

  it('finds other views than expected', async () => {
    const { node } = await recorded('the end')
    const { problems } = await replay(node, { app: jars().app, viewsDigest: 'a', answersDigest: 'b' })
    expect(problems.map(({ kind }) => kind)).to.deep.equal(['views', 'views'])
  })

  it('fails a test with every difference in its message', async () => {
    const { node } = await recorded('the end')
    const error: unknown = await assertReplays(node, { app: jars({ nap: 2, spoons: 9 }).app }).catch((e: unknown) => e)
    expect(String(error))
      .to.include("Today's code does not agree with the log")
      .and.to.include('sleep 120000 ms')
      .and.to.include('spoons 9')
  })

  describe('of files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-replay-'))
    after(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'jars.ndjson')

    before(async () => {
      const lines: string[] = []
      await exportLog((await recorded('the end')).node.readLog(), (line) => {
        lines.push(line)
      })
      writeFileSync(file, `${lines.join('\n')}\n`)
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)))
      writeFileSync(join(folder, 'altered.ndjson.part'), `${lines.join('\n').replace('"spoons":3', '"spoons":5')}\n`)
    })

    it('reads exports, plain and compressed', async () => {
      const app: App = jars().app
      expect(await replay(file, { app })).to.deep.equal(await replay(`${file}.gz`, { app }))
    })

    it('finds that a log was altered', async () => {
      const { problems } = await replay(join(folder, 'altered.ndjson.part'), { app: jars().app })
      expect(problems.find(({ kind }) => kind === 'log')?.what).to.include('the running hash of tick')
    })

    it('makes a test of each, with whatever runner there is', async () => {
      const made: { readonly title: string; readonly body: () => Promise<void> }[] = []
      const runner = {
        describe: (_: string, body: () => void) => {
          body()
        },
        it: (title: string, body: () => Promise<void>) => made.push({ title, body }),
      }
      describeReplay('jars', { folder, app: jars({ result: 'half' }).app }, runner)
      expect(made.map(({ title }) => title)).to.deep.equal([
        'jars is replayed without a difference',
        'jars is replayed without a difference',
      ])
      expect(String(await made[0]?.body().catch((error: unknown) => error))).to.include('"half"')
      expect(() => describeReplay('jars', { folder, app: jars().app }, {})).to.throw('needs a test runner')
    })

    it('says what is wrong with a path that leads nowhere', async () => {
      const error: unknown = await replay(join(folder, 'none'), { app: jars().app }).catch((thrown: unknown) => thrown)
      expect(String(error)).to.include('There is no file or folder')
      expect(() => describeReplay('x', { folder: join(folder, 'none'), app: jars().app })).to.throw(
        'There is no folder',
      )
    })
  })
})
