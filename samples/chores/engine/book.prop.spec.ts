import { expect } from 'chai'
import fc from 'fast-check'
import { instant, instantFromMillis, millisBetween, plus } from 'carillon'
import { bookAfterFire, pickInterval } from './Control.js'

const base = { enabled: true, paused: false, taskTimeoutSeconds: 300 }
const due = instant('2026-01-05T00:00:00.000Z')

describe('booking the next run', () => {
  it('[SNE-106] draws whole seconds between minimum and maximum, both included, the same for the same seed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 50 }), fc.string(), (min, extra, seed) => {
        const interval = { intervalSeconds: min, maxIntervalSeconds: min + extra }
        const picked = pickInterval(interval, seed)
        expect(Number.isInteger(picked)).to.equal(true)
        expect(picked).to.be.within(min, min + extra)
        expect(pickInterval(interval, seed)).to.equal(picked)
      }),
    )
  })

  it('[SNE-106] reaches every second of the range', () => {
    const picked = Array.from({ length: 400 }, (_, seed) =>
      pickInterval({ intervalSeconds: 5, maxIntervalSeconds: 10 }, String(seed)),
    )
    expect([...new Set(picked)].toSorted((a, b) => a - b)).to.deep.equal([5, 6, 7, 8, 9, 10])
  })

  it('is one interval after the fire, or the first instant on the grid of the due instant that is still to come', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 0, max: 10_000_000 }), (seconds, lateMs) => {
        const now = instantFromMillis(Date.parse(due) + lateMs)
        const config = { ...base, intervalSeconds: seconds, maxIntervalSeconds: null }
        expect(bookAfterFire(due, now, { ...config, countFrom: 'fire' }, null)).to.equal(plus(now, { seconds }))
        const onGrid = bookAfterFire(due, now, { ...config, countFrom: 'due' }, null) ?? due
        expect(millisBetween(due, onGrid) % (seconds * 1000)).to.equal(0)
        expect(millisBetween(now, onGrid)).to.be.within(1, seconds * 1000)
      }),
    )
  })
})
