import { expect } from 'chai'
import { instant, type Node } from 'carillon'
import { decodeEvent } from 'carillon/logs'
import { VirtualNode } from 'carillon/testing'
import { app, StartHeartbeat } from './app.js'
import { flowNames, Heartbeat, type Heart } from './Heartbeat.js'

type Start = { readonly name: string; readonly due: string; readonly latenessMs: number; readonly cause: string }

/** Every flow that an activity has started, in the order of the log. */
const startsIn = async (node: Node): Promise<readonly Start[]> => {
  const starts: Start[] = []
  for await (const tick of node.readLog())
    for (const [index, line] of tick.events.entries()) {
      const event = decodeEvent(line, tick.firstRevision + index)
      if (event.type !== 'FlowStarted' || event.origin.kind !== 'activity') continue
      const { due, latenessMs, cause } = event.origin
      starts.push({ name: event.name, due: due.slice(17, 23), latenessMs, cause })
    }
  return starts
}

const heartOf = async (node: Node): Promise<Heart | undefined> => (await node.states(Heartbeat))[0]?.data

const begin = async (missedBeats: Heart['missedBeats']): Promise<VirtualNode> => {
  const virtual = await VirtualNode.start({ app })
  await virtual.node.run(StartHeartbeat, { name: 'bell', intervalMs: 1_000, missedBeats })
  await virtual.advanceBy({ seconds: 2 })
  return virtual
}

describe('a heart whose node was away', () => {
  for (const way of ['stop', 'crash'] as const) {
    it(`makes up for each missed beat, in order, and the log says how late each was, after a ${way}`, async () => {
      const virtual = await begin('catch-up')
      await virtual[way]()
      await virtual.advanceBy({ milliseconds: 4_500 })
      await virtual.restart()

      expect((await startsIn(virtual.node)).slice(2)).to.deep.equal([
        { name: flowNames.beat, due: '03.000', latenessMs: 3_500, cause: 'due' },
        { name: flowNames.beat, due: '04.000', latenessMs: 2_500, cause: 'due' },
        { name: flowNames.beat, due: '05.000', latenessMs: 1_500, cause: 'due' },
        { name: flowNames.beat, due: '06.000', latenessMs: 500, cause: 'due' },
      ])
      expect(await heartOf(virtual.node)).to.include({ beats: 6, nextBeatAt: instant('2026-01-01T00:00:07Z') })
    })
  }

  it('is on time again after it has caught up', async () => {
    const virtual = await begin('catch-up')
    await virtual.crash()
    await virtual.advanceBy({ minutes: 1 })
    await virtual.restart()
    await virtual.advanceBy({ seconds: 3 })
    expect((await startsIn(virtual.node)).slice(-3).map(({ latenessMs }) => latenessMs)).to.deep.equal([0, 0, 0])
    expect(await heartOf(virtual.node)).to.include({ beats: 65, skipped: 0 })
  })

  it('skips what it has missed when it is told to, and stays on its grid', async () => {
    const virtual = await begin('skip')
    await virtual.crash()
    await virtual.advanceBy({ milliseconds: 4_500 })
    await virtual.restart()
    await virtual.advanceBy({ seconds: 1 })

    expect((await startsIn(virtual.node)).slice(2)).to.deep.equal([
      { name: flowNames.skipMissed, due: '03.000', latenessMs: 3_500, cause: 'missed' },
      { name: flowNames.beat, due: '07.000', latenessMs: 0, cause: 'due' },
    ])
    expect(await heartOf(virtual.node)).to.include({
      beats: 3,
      skipped: 4,
      nextBeatAt: instant('2026-01-01T00:00:08Z'),
    })
  })

  it('does not skip a beat that is less than an interval late', async () => {
    const virtual = await begin('skip')
    await virtual.stop()
    await virtual.advanceBy({ milliseconds: 2_000 })
    await virtual.restart()
    expect((await startsIn(virtual.node)).slice(2)).to.deep.equal([
      { name: flowNames.beat, due: '03.000', latenessMs: 1_000, cause: 'due' },
      { name: flowNames.beat, due: '04.000', latenessMs: 0, cause: 'due' },
    ])
  })

  it('waits while the node drains, and is then late, not lost', async () => {
    const virtual = await begin('catch-up')
    await virtual.node.drain()
    await virtual.advanceBy({ seconds: 3 })
    expect((await heartOf(virtual.node))?.beats).to.equal(2)
    await virtual.node.endDraining()
    await virtual.runUntilQuiet()
    expect((await heartOf(virtual.node))?.beats).to.equal(5)
  })

  it('can explain itself', async () => {
    const virtual = await begin('catch-up')
    const before = (await virtual.node.states(Heartbeat))[0]!.ref
    await virtual.crash()
    await virtual.advanceBy({ seconds: 90 })
    await virtual.restart()
    const { story, now } = await virtual.node.why(before)
    expect(story.join('\n')).to.match(/It asked for heartbeat\/Beat at .*\n.*started heartbeat\/Beat, 1 min late/)
    expect(now).to.match(/It is consumed/)
  })
})
