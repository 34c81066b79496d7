import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endRuns, runSample, type SampleRun } from '../shared/test/runSample.js'

const main = join(import.meta.dirname, 'main.ts')

type Status = { readonly head: { readonly revision: number }; readonly now: string; readonly nodes: readonly string[] }

const everyone = ['Quasimodo', 'Caretaker', 'Registrar', 'Treasurer', 'Bank A', 'Bank B', 'Oracle', 'Notary']

/** Those that move every few seconds; the others take their time. */
const moving = ['Quasimodo', 'Treasurer', 'Bank A', 'Notary']

describe('npm start', function () {
  let folder: string
  const runs: SampleRun[] = []

  const start = (...args: readonly string[]): SampleRun => {
    const run = runSample(main, '--folder', folder, '--port', '0', ...args)
    runs.push(run)
    return run
  }

  const until = async <A>(look: () => Promise<A | undefined> | A | undefined, what: string): Promise<A> => {
    for (const untilMs = Date.now() + 80_000; Date.now() < untilMs;) {
      const found = await look()
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`${what}, but never:\n${runs.at(-1)?.output() ?? ''}`)
  }

  /** Enters as a browser does, by the printed link, and gives a way to ask. */
  const enter = async (run: SampleRun): Promise<(path: string, node: string) => Promise<unknown>> => {
    const link = await until(() => /http:\S+#link=\S+/.exec(run.output())?.[0], 'a link should be printed')
    const [url = '', code = ''] = link.split('/#link=')
    const entered = await fetch(`${url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ secret: code }),
    })
    const { session } = (await entered.json()) as { readonly session: string }
    return async (path, node) => {
      const address = `${url}/api/v1/${path}${path.includes('?') ? '&' : '?'}node=${encodeURIComponent(node)}`
      return (await fetch(address, { headers: { 'carillon-session': session } })).json()
    }
  }
  const statusOf = async (ask: (path: string, node: string) => Promise<unknown>, node: string): Promise<Status> =>
    (await ask('status', node)) as Status

  /** Of each open trade, how many of its rates are fixed, such as `3 of 26`. */
  const fixingsOf = async (ask: (path: string, node: string) => Promise<unknown>, node: string) => {
    type Shown = { readonly facts?: readonly { readonly label: string; readonly value: string }[] }
    const { blocks } = (await ask('panels/swaps', node)) as { readonly blocks: readonly Shown[] }
    return blocks.flatMap(({ facts = [] }) => facts.flatMap(({ label, value }) => (label === 'Fixed' ? value : [])))
  }

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-demo-'))
  })
  afterEach(async () => {
    await endRuns(runs)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('opens eight nodes in which everything moves, survives kill -9, and stops in good order', async () => {
    const first = start()
    const ask = await enter(first)
    const before = await statusOf(ask, 'Bank A')
    expect(before.nodes).to.deep.equal(everyone)
    const heads = await Promise.all(moving.map((name) => statusOf(ask, name)))
    for (const [index, name] of moving.entries())
      await until(
        async () => (await statusOf(ask, name)).head.revision > (heads[index]?.head.revision ?? 0) || undefined,
        `${name} should go on`,
      )
    const fixed = await until(async () => {
      const shown = await fixingsOf(ask, 'Bank B')
      return shown.some((text) => !text.startsWith('0 ')) ? shown : undefined
    }, 'a rate should be fixed')
    expect(fixed).to.have.length(2)
    for (const [node, panel, word] of [
      ['Quasimodo', 'heart', 'Emmanuel'],
      ['Caretaker', 'chores', 'Refresh voting power'],
      ['Registrar', 'tasks', 'ada/bell'],
      ['Treasurer', 'signatures', 'Missing'],
      ['Bank A', 'swaps', 'Cash flows of weekly'],
      ['Oracle', 'rates', 'ICE LIBOR'],
    ] as const)
      expect(JSON.stringify(await ask(`panels/${panel}`, node)), panel).to.contain(word)
    const { now } = await statusOf(ask, 'Bank A')
    expect(Date.parse(now) - Date.parse(before.now), 'days go by in seconds').to.be.greaterThan(86_400_000)

    first.child.kill('SIGKILL')
    expect(await first.ended).to.equal('SIGKILL')
    expect(first.output()).not.to.match(/error|Error/)

    const second = start()
    const askAgain = await enter(second)
    // Rates were fixed since then. How far the clock had gone beyond the last of them depends on the machine and on the
    // days on which nothing is fixed.
    const again = Date.parse((await statusOf(askAgain, 'Bank A')).now)
    expect(again, 'it goes on where the logs end, and not where it once began').to.be.greaterThan(
      Date.parse(before.now),
    )
    expect(await fixingsOf(askAgain, 'Bank A'), 'the trades are still there').to.have.length(2)
    const { head } = await statusOf(askAgain, 'Notary')
    await until(
      async () => (await statusOf(askAgain, 'Notary')).head.revision > head.revision || undefined,
      'the market should go on',
    )
    second.child.kill('SIGINT')
    expect(await second.ended).to.equal(0)
    expect(second.output()).to.contain('Stopped in good order')
  })
})
