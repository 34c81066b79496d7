import { expect } from 'chai'
import { cliLimits } from './limits.js'
import type { DomainEvent } from '../log/events.js'
import { LiveLines, type LiveLine, type Untold } from './LiveLines.js'

const ended = (number: number, outcome: 'completed' | 'failed' = 'completed'): DomainEvent => ({
  type: 'FlowEnded',
  flow: number.toString(16).padStart(32, '0'),
  outcome,
})

const listen = () => {
  const told: LiveLine[] = []
  const more: Untold[] = []
  const timers: (() => void)[] = []
  const lines = new LiveLines({
    tell: (line) => told.push(line),
    tellMore: (untold) => more.push(untold),
    // Later flows are found sooner, which must not change the order of the lines.
    flow: async (id) => {
      await new Promise((resolve) => setTimeout(resolve, 5 - Math.min(5, Number.parseInt(id, 16))))
      return undefined
    },
    later: (_, callback) => {
      timers.push(callback)
      return () => timers.splice(timers.indexOf(callback), 1)
    },
  })
  return { lines, told, more, timers }
}

describe('live lines', () => {
  it('tell flows in the order in which they ended', async () => {
    const { lines, told } = listen()
    lines.hear({ events: [ended(1), ended(2)], atMs: 0 })
    lines.hear({ events: [ended(3, 'failed')], atMs: 1 })
    await lines.end()
    expect(told.map(({ flow, outcome }) => [Number(flow), outcome])).to.deep.equal([
      [1, 'completed'],
      [2, 'completed'],
      [3, 'failed'],
    ])
  })

  it('never flood: beyond so many a second they are counted', async () => {
    const { lines, told, more, timers } = listen()
    const extra = 5_000
    const events = Array.from({ length: cliLimits.liveLinesPerSecond + extra }, (_, number) => ended(number))
    lines.hear({ events: [...events, ended(1, 'failed')], atMs: 0 })
    timers[0]?.()
    await lines.end()
    expect(told).to.have.length(cliLimits.liveLinesPerSecond)
    expect(more).to.deep.equal([{ completed: extra, failed: 1 }])
  })

  it('begin anew with the next second', async () => {
    const { lines, told, more, timers } = listen()
    for (let second = 0; second < 3; second++) {
      lines.hear({
        events: Array.from({ length: cliLimits.liveLinesPerSecond }, (_, number) => ended(number)),
        atMs: 0,
      })
      timers[0]?.()
    }
    await lines.end()
    expect(told).to.have.length(3 * cliLimits.liveLinesPerSecond)
    expect(more).to.deep.equal([])
  })

  it('say who drained the node, and are silent about what goes its way unseen', async () => {
    const { lines, told } = listen()
    lines.hear({ events: [{ type: 'NodeStopped' }, { type: 'DrainingStarted', by: 'cli:ann' }], atMs: 0 })
    await lines.end()
    expect(told).to.deep.equal([{ at: '1970-01-01T00:00:00.000Z', outcome: 'draining', by: 'cli:ann' }])
  })
})
