import { expect } from 'chai'
import { instant, type Node } from 'carillon'
import { decodeEvent } from 'carillon/logs'
import { VirtualNode } from 'carillon/testing'
import { app, Beat, StartHeartbeat, StopHeartbeat } from './app.js'
import { Heartbeat, type Heart } from './Heartbeat.js'

const everySecond = { name: 'bell', intervalMs: 1_000, missedBeats: 'catch-up' } as const

const transactionsIn = async (node: Node): Promise<number> => {
  let transactions = 0
  for await (const tick of node.readLog())
    for (const [index, line] of tick.events.entries())
      if (decodeEvent(line, tick.firstRevision + index).type === 'TransactionRecorded') transactions += 1
  return transactions
}

const heartsOf = async (node: Node): Promise<readonly Heart[]> => (await node.states(Heartbeat)).map(({ data }) => data)

describe('a heart on a virtual clock', () => {
  for (const development of [false, true]) {
    it(`beats 3,600 times in an hour, in 3,601 transactions, on a ${development ? 'development' : 'production'} node`, async function () {
      const virtual = await VirtualNode.start({ app, development })
      await virtual.node.run(StartHeartbeat, everySecond)
      await virtual.advanceBy({ hours: 1 })
      const [heart] = await heartsOf(virtual.node)
      expect(heart).to.include({ beats: 3_600, skipped: 0, nextBeatAt: instant('2026-01-01T01:00:01Z') })
      expect(await transactionsIn(virtual.node)).to.equal(3_601)
    })
  }

  it('beats at its due instant and not a millisecond before', async () => {
    const virtual = await VirtualNode.start({ app })
    await virtual.node.run(StartHeartbeat, everySecond)
    await virtual.advanceBy({ milliseconds: 999 })
    expect((await heartsOf(virtual.node))[0]?.beats).to.equal(0)
    await virtual.advanceBy({ milliseconds: 1 })
    expect((await heartsOf(virtual.node))[0]?.beats).to.equal(1)
  })

  it('does not drift when its beats are late', async () => {
    const virtual = await VirtualNode.start({ app })
    await virtual.node.run(StartHeartbeat, everySecond)
    for (let second = 1; second <= 5; second++) {
      // The node gets to each beat 300 ms late.
      virtual.clock.setTo(virtual.clock.now() + (second === 1 ? 1_300 : 1_000))
      await virtual.advanceBy({ seconds: 0 })
    }
    expect((await heartsOf(virtual.node))[0]).to.include({ beats: 5, nextBeatAt: instant('2026-01-01T00:00:06Z') })
    const { items } = await virtual.node.flows({ name: Beat.name })
    expect(items.map(({ startedBy }) => startedBy.kind === 'activity' && startedBy.latenessMs)).to.deep.equal([
      300, 300, 300, 300, 300,
    ])
  })

  it('has company: two hearts beat each at its own pace', async () => {
    const virtual = await VirtualNode.start({ app })
    await virtual.node.run(StartHeartbeat, everySecond)
    await virtual.node.run(StartHeartbeat, { name: 'mouse', intervalMs: 100, missedBeats: 'catch-up' })
    await virtual.advanceBy({ seconds: 10 })
    const hearts = await heartsOf(virtual.node)
    expect(Object.fromEntries(hearts.map(({ name, beats }) => [name, beats]))).to.deep.equal({ bell: 10, mouse: 100 })
  })

  it('is stopped for good, and alone', async () => {
    const virtual = await VirtualNode.start({ app })
    await virtual.node.run(StartHeartbeat, everySecond)
    await virtual.node.run(StartHeartbeat, { ...everySecond, name: 'other' })
    await virtual.advanceBy({ seconds: 3 })
    expect(await virtual.node.run(StopHeartbeat, { name: 'bell' })).to.deep.equal({ beats: 3, skipped: 0 })
    await virtual.advanceBy({ seconds: 3 })
    expect((await heartsOf(virtual.node)).map(({ name, beats }) => ({ name, beats }))).to.deep.equal([
      { name: 'other', beats: 6 },
    ])
    expect((await virtual.node.agenda()).items).to.have.length(1)
  })

  it('says so when there is no heart to stop', async () => {
    const virtual = await VirtualNode.start({ app })
    const stop = virtual.node.run(StopHeartbeat, { name: 'nobody' })
    expect(await stop.catch((error: unknown) => String(error))).to.contain('There is no heart named nobody')
  })

  it('waits for its time when someone triggers a beat early', async () => {
    const virtual = await VirtualNode.start({ app })
    const { heartbeat } = await virtual.node.run(StartHeartbeat, everySecond)
    await virtual.advanceBy({ milliseconds: 200 })
    await virtual.node.trigger(heartbeat, { by: 'an impatient one' })
    await virtual.advanceBy({ milliseconds: 700 })
    expect((await heartsOf(virtual.node))[0]?.beats).to.equal(0)
    await virtual.advanceBy({ milliseconds: 2_100 })
    expect((await heartsOf(virtual.node))[0]?.beats).to.equal(3)
  })
})
