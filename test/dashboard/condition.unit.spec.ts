import { expect } from 'chai'
import { attentionCount, hindrances } from '../../src/dashboard/condition.js'
import type { AgendaEntry, Live } from '../../src/http/answers.js'
import { instant } from '../../src/index.js'

const nowMs = Date.parse('2026-01-31T12:00:00.000Z')
const none = { parked: 0, missed: 0, failed: 0, unconsumed: 0, scheduled: 0, paused: 0 }
const well = {
  stopped: false,
  draining: false,
  activities: none,
  flows: { open: 0, parked: 0, paused: 0, superseded: 0 },
  hangingSteps: 0,
} as unknown as Live
const entry = (at: string): AgendaEntry => ({ actsAt: instant(at) }) as AgendaEntry

describe('How a node is', () => {
  it('is well when nothing hinders it', () => {
    expect(hindrances(well, undefined, nowMs)).to.deep.equal([])
    expect(hindrances(well, entry('2026-01-31T12:00:01.000Z'), nowMs)).to.deep.equal([])
    expect(hindrances(well, entry('2026-01-31T11:59:58.000Z'), nowMs), 'a start takes a moment').to.deep.equal([])
  })

  for (const [what, live, next, said] of [
    ['stopped', { ...well, stopped: true }, undefined, /stopped/],
    ['in trouble', { ...well, trouble: { code: 'disk-full', message: 'There is no room.' } }, undefined, /no room/],
    ['draining', { ...well, draining: true }, undefined, /drains/],
    ['overdue', well, entry('2026-01-31T11:50:00.000Z'), /overdue: the oldest was due 10 min ago/],
    ['holding an activity back', { ...well, activities: { ...none, paused: 1 } }, undefined, /1 activity is paused/],
    ['holding flows back', { ...well, flows: { ...well.flows, paused: 2 } }, undefined, /2 flows are paused/],
  ] as const)
    it(`is not well while it is ${what}`, () => {
      const told = hindrances(live, next, nowMs)
      expect(told).to.have.lengthOf(1)
      expect(told[0]).to.match(said)
    })

  it('counts each thing that needs attention once', () => {
    const live = {
      ...well,
      activities: { ...none, parked: 1, missed: 2, failed: 4, unconsumed: 8, scheduled: 100, paused: 100 },
      flows: { open: 100, parked: 16, paused: 100, superseded: 32 },
      hangingSteps: 64,
    }
    expect(attentionCount(live)).to.equal(127)
  })
})
