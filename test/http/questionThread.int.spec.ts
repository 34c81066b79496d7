/** The thread that answers questions beside the loop. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { buildSync } from 'esbuild'
import { startNode, type Node } from '../../src/index.js'
import { MemoryLog } from '../../src/entries/logs.js'
import { builtInRoutes } from '../../src/http/builtInRoutes.js'
import { httpLimits } from '../../src/http/limits.js'
import { JsonAnswer, QuestionThread } from '../../src/http/QuestionThread.js'
import { ReadBudget } from '../../src/http/ReadBudget.js'
import type { ReadableNode } from '../../src/http/Route.js'
import { VirtualNode } from '../../src/testing/index.js'
import { belfry, Hang } from './belfry.js'

const readAll = { path: '/states', params: {}, query: { status: 'all' } }
const owner = { name: 'local' }

const codeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'answered',
    (error: unknown) => (error as { readonly code?: unknown }).code,
  )

describe('A thread that answers questions', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'carillon-questions-'))
  // Below the modules of the project, so that the driver of SQLite is found.
  const built = resolve('node_modules/.cache/carillon-questions')
  const program = join(built, `${process.pid}.mjs`)
  before(() => {
    mkdirSync(built, { recursive: true })
    // A thread loads no sources, so it is given what it runs as one file.
    buildSync({
      entryPoints: ['src/http/answerQuestions.ts'],
      outfile: program,
      ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'error', conditions: ['carillon-source'] },
      banner: { js: "import { createRequire as c } from 'node:module'; const require = c(import.meta.url);" },
    })
  })
  after(() => {
    rmSync(scratch, { recursive: true })
    rmSync(program)
  })

  const written = (name: string, text: string): URL => {
    const file = join(scratch, name)
    writeFileSync(file, text)
    return pathToFileURL(file)
  }

  const threadOf = (node: Node, from = pathToFileURL(program)): QuestionThread => {
    const thread = node.openBeside((file) => new QuestionThread(file, { network: node.network, nowMs: 1e12 }, from))
    if (thread === undefined) throw new Error('the node has no file of views')
    return thread
  }

  const withNode = async (name: string, use: (node: Node) => Promise<void>, isFarLog = false): Promise<void> => {
    const store = join(scratch, name)
    const node = await startNode({
      app: belfry,
      party: 'Quasimodo',
      store,
      ...(isFarLog ? { log: new MemoryLog() } : {}),
    })
    try {
      for (const bell of ['Emmanuel', 'Marie']) await node.run(Hang, { name: bell, minutes: 10, manner: 'plain' })
      await use(node)
    } finally {
      await node.stop()
    }
    expect(existsSync(join(store, 'carillon.db-wal')), 'the store is closed as one file').to.equal(false)
  }

  for (const isFarLog of [false, true])
    it(`gives the answers of the loop, ${isFarLog ? 'with a log elsewhere' : 'with the log in the store'}`, () =>
      withNode(
        `answers-${isFarLog}`,
        async (node) => {
          const thread = threadOf(node)
          const inLoop: ReadableNode = {
            network: node.network,
            head: node.head,
            nowMs: 1e12,
            readViews: (read) => node.readViews(read),
            readLog: (from) => node.readLog(from),
          }
          const [state] = (await node.readViews((db) =>
            db.prepare('SELECT id FROM transactions ORDER BY seq').all(),
          )) as readonly { readonly id: string }[]
          const [flow] = (await node.readViews((db) =>
            db.prepare('SELECT id FROM flows ORDER BY seq').all(),
          )) as readonly { readonly id: string }[]
          let compared = 0
          for (const { path, ask, example } of builtInRoutes) {
            if (ask === undefined) continue
            const params = { ref: `${state?.id}:0`, flow: flow?.id, ...example.params }
            const question = { path, params, query: example.query ?? {} }
            const expected = await ask(inLoop, question).then(JSON.stringify, (error: unknown) => String(error))
            const found = await thread.ask(question, owner).then(
              (answer) => answer?.json,
              (error: unknown) => String(error),
            )
            expect(found, path).to.equal(expected)
            compared += 1
          }
          expect(compared).to.be.greaterThan(14)
        },
        isFarLog,
      ))

  it('refuses as the loop does', () =>
    withNode('refuses', async (node) => {
      const thread = threadOf(node)
      expect(await codeOf(thread.ask({ ...readAll, query: { status: 'gone' } }, owner))).to.equal('request-invalid')
      expect(
        await codeOf(thread.ask({ path: '/states/{ref}', params: { ref: 'ab'.repeat(32) + ':0' }, query: {} }, owner)),
      ).to.equal('state-unknown')
    }))

  it('sees at once what the caller of a flow was told', () =>
    withNode('fresh', async (node) => {
      const thread = threadOf(node)
      for (let count = 3; count < 8; count += 1) {
        await node.run(Hang, { name: `bell ${count}`, minutes: 10, manner: 'plain' })
        const { json } = (await thread.ask(readAll, owner)) ?? { json: '{"items":[]}' }
        expect((JSON.parse(json) as { readonly items: readonly unknown[] }).items).to.have.length(count)
      }
    }))

  it('takes askers in turn, and of each only so many questions', () =>
    withNode('turns', async (node) => {
      const thread = threadOf(node)
      const answered: string[] = []
      const ask = (name: string): Promise<unknown> => thread.ask(readAll, { name }).then(() => answered.push(name))
      const all = ['greedy', 'greedy', 'greedy', 'other', 'third'].map(ask)
      await Promise.all(all)
      expect(answered).to.deep.equal(['greedy', 'greedy', 'other', 'third', 'greedy'])
      const many = Array.from({ length: httpLimits.questionsWaiting + 2 }, () => codeOf(ask('greedy')))
      expect((await Promise.all(many)).filter((code) => code === 'rate-exceeded')).to.have.length(1)
    }))

  it('answers a token within its share, of what was asked at once too', () =>
    withNode('share', async (node) => {
      const reads = new ReadBudget(0.001)
      const principal = { name: 'a client', permissions: ['view'], from: '127.0.0.1', token: 'one' }
      const hosted = { node, thread: threadOf(node) }
      const refuse = (): Promise<never> => Promise.reject(new Error('the loop is not to answer'))
      const asked = Array.from({ length: 5 }, () => codeOf(reads.answer(hosted, principal, readAll, refuse)))
      expect(await Promise.all(asked)).to.deep.equal(Array.from({ length: 5 }, () => 'rate-exceeded'))
    }))

  it('keeps no tick waiting, however long it takes', () =>
    withNode('ticks', async (node) => {
      const silent = written(
        'silent.mjs',
        "import { parentPort } from 'node:worker_threads'; parentPort.postMessage('ready'); parentPort.on('message', (m) => m === 'stop' && parentPort.close())",
      )
      const thread = threadOf(node, silent)
      const asked = codeOf(thread.ask(readAll, owner))
      await node.run(Hang, { name: 'Jacqueline', minutes: 10, manner: 'plain' })
      // Who still waits when the node stops is told so.
      await node.stop()
      expect(await asked).to.equal('node-stopped')
    }))

  it('is not waited for without end when the node stops', () =>
    withNode('stuck', async (node) => {
      const stuck = written(
        'stuck.mjs',
        "import { parentPort } from 'node:worker_threads'; parentPort.postMessage('ready'); parentPort.on('message', () => { for (;;); })",
      )
      const asked = codeOf(threadOf(node, stuck).ask(readAll, owner))
      await node.stop()
      expect(await asked).to.equal('node-stopped')
    }))

  it('is begun anew when it has ended over a question, and that one is refused', () =>
    withNode('dies', async (node) => {
      const dying = written(
        'dying.mjs',
        "import { parentPort } from 'node:worker_threads'; parentPort.postMessage('ready'); parentPort.on('message', (m) => { if (m.asked?.path === '/die') process.exit(1); if (m.asked) parentPort.postMessage({ json: '{}', usedMs: 1 }); if (m === 'stop') parentPort.close() })",
      )
      const thread = threadOf(node, dying)
      const asked = [
        codeOf(thread.ask({ ...readAll, path: '/die' }, owner)),
        thread.ask(readAll, owner),
        thread.ask(readAll, owner),
      ]
      expect(await Promise.all(asked)).to.deep.equal(['node-busy', new JsonAnswer('{}'), new JsonAnswer('{}')])
    }))

  it('leaves the answer to the loop where it is not there, or cannot begin', () =>
    withNode('none', async (node) => {
      for (const from of [pathToFileURL(join(scratch, 'missing.mjs')), written('broken.mjs', 'throw new Error()')]) {
        const thread = threadOf(node, from)
        expect(await Promise.all([thread.ask(readAll, owner), thread.ask(readAll, owner)])).to.deep.equal([
          undefined,
          undefined,
        ])
      }
    }))

  it('is none in virtual time, where everything is the same twice', async () => {
    const virtual = await VirtualNode.start({ app: belfry, party: 'Quasimodo' })
    expect(virtual.node.openBeside(() => ({ close: () => Promise.resolve() }))).to.equal(undefined)
    await virtual.stop()
  })
})
