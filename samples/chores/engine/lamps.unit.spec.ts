import { expect } from 'chai'
import { instant, plus } from 'carillon'
import { freshStatus } from '../test/freshStatus.js'
import { lampOf, worstLamp, type ChoreStatus, type Lamp } from './index.js'

const now = instant('2026-01-05T12:00:00.000Z')

const running: ChoreStatus = {
  ...freshStatus,
  ...{ lifecycle: 'Running', enabled: true, schedulerStatus: 'Scheduled' },
  nextScheduledRunAt: plus(now, { minutes: 30 }),
  lastCompletedRunAt: plus(now, { minutes: -30 }),
  ...{ totalRunCount: 1, totalSuccessCount: 1 },
}

const active = (minutes: number): Partial<ChoreStatus> => ({
  conductorStatus: 'Polling',
  conductorStartedAt: plus(now, { minutes: -minutes }),
})

describe('the lamp of a chore', () => {
  const rules: readonly (readonly [what: string, change: Partial<ChoreStatus>, lamp: Lamp])[] = [
    ['is stopped', { lifecycle: 'Stopped', nextScheduledRunAt: null }, 'Off'],
    ['is paused', { lifecycle: 'Paused', schedulerStatus: 'Idle' }, 'Off'],
    ['runs as it should', {}, 'OK'],
    ['is at work', active(10), 'Active'],
    ['is at work although stopped, run once', { lifecycle: 'Stopped', ...active(10) }, 'Active'],
    ['should have begun exactly five minutes ago', { nextScheduledRunAt: plus(now, { minutes: -5 }) }, 'OK'],
    ['should have begun more than five minutes ago', { nextScheduledRunAt: plus(now, { minutes: -6 }) }, 'Overdue'],
    ['has not succeeded for three intervals', { lastCompletedRunAt: plus(now, { hours: -3 }) }, 'OK'],
    ['has not succeeded for longer', { lastCompletedRunAt: plus(now, { hours: -3, seconds: -1 }) }, 'Overdue'],
    ['has failed since its last success', { lastError: 'x', lastErrorAt: plus(now, { minutes: -1 }) }, 'Error'],
    ['has succeeded since its last failure', { lastError: 'x', lastErrorAt: plus(now, { minutes: -40 }) }, 'OK'],
    ['has never succeeded', { lastCompletedRunAt: null, lastError: 'x', lastErrorAt: now }, 'Error'],
    ['has been at work for an hour', active(60), 'Active'],
    ['has been at work for longer', active(61), 'Error'],
    ['was stopped by its circuit breaker', { circuitBroken: true, lastError: 'x', lastErrorAt: now }, 'CircuitBreaker'],
    ['is at work but overdue', { ...active(10), lastCompletedRunAt: plus(now, { hours: -4 }) }, 'Overdue'],
  ]
  for (const [what, change, lamp] of rules)
    it(`[SNE-109] shows ${lamp} when it ${what}`, () => {
      expect(lampOf({ ...running, ...change }, now)).to.equal(lamp)
    })

  it('[SNE-109] shows the worst of several', () => {
    const order: readonly Lamp[] = ['Off', 'OK', 'Active', 'Overdue', 'CircuitBreaker', 'Error']
    for (const [place, worst] of order.entries())
      for (const better of order.slice(0, place + 1)) {
        expect(worstLamp([better, worst])).to.equal(worst)
        expect(worstLamp([worst, better])).to.equal(worst)
      }
    expect(worstLamp([])).to.equal('Off')
  })
})
