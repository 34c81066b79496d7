/** What `carillon flow` shows of flows in trouble, and of one that is followed until it ends. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, type FlowBody, type FlowId } from '../../src/index.js'
import { storeFiles } from '../../src/folder/StoreFolder.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import { ask, keptInFolder, type Kept, type Said } from './inProcess.js'

let isWell = false
const Call = defineFlow({
  name: 'clinic/Call',
  input: t.strict({ attempts: t.number }),
  *run(io, { attempts }): FlowBody<string> {
    yield* io.progress('calls')
    const retry = { attempts, firstWaitMs: 60_000, longestWaitMs: 60_000, jitter: 0 }
    const answer = yield* io.step(
      'call',
      () => {
        if (!isWell) throw new Error('the line is busy')
        return 'hello'
      },
      { retry, whenExhausted: 'park' },
    )
    yield* io.progress('has an answer')
    yield* io.sleep({ hours: 1 })
    return answer
  },
})
const Rest = defineFlow({
  name: 'clinic/Rest',
  input: t.strict({}),
  *run(io): FlowBody<void> {
    yield* io.sleep({ days: 1 })
  },
})
const app = defineApp({ name: 'clinic', states: [], flows: [Call, Rest] })

const eventually = async (holds: () => boolean): Promise<void> => {
  const endMs = performance.now() + 10_000
  while (!holds()) {
    if (performance.now() > endMs) throw new Error('it never came about')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('carillon flow', function () {
  this.timeout(60_000)
  let kept: Kept
  let resting: FlowId
  let parked: FlowId
  let trying: FlowId

  const flow = (...args: readonly string[]): Promise<Said> => ask(['flow', ...args, '--store', kept.folder])
  const listed = async (...args: readonly string[]): Promise<readonly unknown[]> =>
    (await flow('list', '--json', ...args)).out.map((line) => (JSON.parse(line) as { readonly id: FlowId }).id)

  before(async () => {
    isWell = false
    kept = await keptInFolder(app)
    const { node } = kept.virtual
    resting = (await node.start(Rest, {})).id
    parked = (await node.start(Call, { attempts: 2 })).id
    await kept.virtual.advanceBy({ minutes: 5 })
    trying = (await node.start(Call, { attempts: 100 })).id
    await kept.virtual.advanceBy({ seconds: 90 })
  })
  after(() => kept.remove())

  it('list --status troubled shows those parked or tried again, newest first, each with its reason', async () => {
    expect(await listed('--status', 'troubled')).to.deep.equal([trying, parked])
    expect(await listed('--status', 'open')).to.deep.equal([trying, parked, resting])
    expect(await listed('--status', 'parked')).to.deep.equal([parked])
    expect(await listed('--name', 'clinic/Rest')).to.deep.equal([resting])
    const { out } = await flow('list', '--status', 'troubled')
    expect(out[1]).to.match(/clinic\/Call +running +api +.*waits to try step "call" again at /)
    expect(out[2]).to.match(/clinic\/Call +parked +api +step-failed: .*the line is busy/)
  })

  it('show names the lines of what went wrong, of a flow that is parked and of one that tries again', async () => {
    for (const id of [parked, trying])
      expect((await flow('show', id)).out.join('\n')).to.match(
        /Error: the line is busy\n {4}at .*flows\.int\.spec\.ts:\d+:\d+/,
      )
    const { out } = await flow('list', '--status', 'parked', '--json')
    expect(out.join('')).not.to.contain('"stack"')
  })

  it('show tells the whole history of a flow: every failed try, and who did what about it', async () => {
    const { node } = kept.virtual
    await node.pauseFlow(resting, { by: 'Ada' })
    await node.resumeFlow(resting, { by: 'Ben' })
    await node.retryFlow(parked, { by: 'Cleo' })
    await kept.virtual.advanceBy({ minutes: 5 })
    const history = async (id: FlowId): Promise<readonly string[]> =>
      (await flow('show', id)).out.filter((line) => /^\d{4}-\d\d-\d\d /.test(line))
    const told = await history(parked)
    const expected = ['failed a try', 'parked', 'retried by Cleo', 'failed a try', 'parked']
    expect(told.map((line) => expected.find((what) => line.includes(what)))).to.deep.equal(expected)
    expect(told[0]).to.contain('the line is busy')
    expect((await history(resting)).map((line) => /(paused|resumed) by \w+/.exec(line)?.[0])).to.deep.equal([
      'paused by Ada',
      'resumed by Ben',
    ])
    const [document] = (await flow('show', parked, '--json')).out.map(
      (line) => JSON.parse(line) as { readonly troubles: readonly { readonly what: string }[] },
    )
    expect(document?.troubles.map(({ what }) => what)).to.deep.equal(expected.map((what) => what.split(' by ')[0]))
  })

  it('wants to be told either which flow it is to act on or that all are meant', async () => {
    for (const odd of [['cancel'], ['cancel', resting, '--all'], ['cancel', resting, '--name', 'clinic/Rest']]) {
      const failure: unknown = await flow(...odd).catch((error: unknown) => error)
      expect(failure, odd.join(' ')).to.have.property('code', 'usage')
    }
  })

  it('watch writes a line for every change, and ends with the flow', async () => {
    const said: Said = { out: [], err: [] }
    const watching = ask(['flow', 'watch', trying, '--store', kept.folder], said)
    await eventually(() => said.out.length === 1)
    expect(said.out[0]).to.match(/^running +1 operation +calls, waits to try step "call" again at /)
    isWell = true
    await kept.virtual.advanceBy({ minutes: 2 })
    await eventually(() => said.out.length === 2)
    expect(said.out[1]).to.match(/^running +3 operations +has an answer, waits until /)
    await kept.virtual.advanceBy({ hours: 2 })
    await watching
    expect(said.out).to.have.length(3)
    expect(said.out[2]).to.match(/^completed +\d operations +"hello"$/)
  })

  it('watch of a flow that has ended says how, and of none that there is none', async () => {
    expect((await flow('watch', trying.slice(0, 12), '--json')).out).to.have.length(1)
    const failure: unknown = await flow('watch', 'ffffffffffff').catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'flow-not-found')
  })

  it('show names the part that asked and everything that is waited for, where a flow has parts', async () => {
    expect((await flow('show', trying)).out.join('\n')).to.not.include('PART')
    await kept.virtual.crash()
    const db = openDatabase(storeFiles(kept.folder).database)
    db.exec(`UPDATE flow_records SET operation = json_set(operation, '$.part', '1.2') WHERE position = 1`)
    const step = { for: 'step', kind: 'step', digest: 'd', attempt: 2, part: '2' }
    db.prepare(`UPDATE flows SET waiting = json_insert(waiting, '$[#]', json(?)) WHERE id = ?`).run(
      JSON.stringify(step),
      resting,
    )
    db.close()
    const { out } = await flow('show', trying)
    expect(out.find((line) => line.includes('PART'))).to.match(/^ *# +PART +OPERATION +WHAT +ANSWER/)
    expect(out.filter((line) => /^ *\d+ +1\.2 +step +step "call"/.test(line))).to.have.length(1)
    expect((await flow('show', resting)).out.join('\n')).to.match(/waits +until .*, or for step, try 2 \(part 2\)/)
    await kept.virtual.restart()
  })
})
