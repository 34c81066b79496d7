import { expect } from 'chai'
import { instant, plus } from 'carillon'
import { keyPairFromSeed } from 'carillon/testing'
import { decideControl, type Control, type Verdict } from './Control.js'
import { emptyScheduler } from './schedulerFlows.js'
import type { SchedulerData } from './states.js'

const now = instant('2026-01-05T00:00:00.000Z')

const config = { intervalSeconds: 60, maxIntervalSeconds: null, taskTimeoutSeconds: 300, countFrom: 'fire' } as const
const running: SchedulerData = {
  ...emptyScheduler(
    { name: 'Me', key: keyPairFromSeed('1'.repeat(64)).publicKey },
    { choreId: 'chore', choreType: 'chore', name: 'Chore', config: { ...config, enabled: true, paused: false } },
  ),
  nextScheduledRunAt: plus(now, { seconds: 30 }),
}

const decide = (before: Partial<SchedulerData>, control: Control): Verdict =>
  decideControl({ ...running, ...before }, control, now, null)

const nextAfter = (verdict: Verdict) => (verdict.kind === 'changed' ? verdict.scheduler.nextScheduledRunAt : undefined)

describe('deciding a control', () => {
  it('[SNE-103] resumes a paused chore that has nothing stored one interval from now, without a run', () => {
    const paused = { config: { ...running.config, paused: true }, nextScheduledRunAt: null }
    const verdict = decide(paused, { verb: 'resume' })
    expect(verdict).to.include({ kind: 'changed', startsRun: false })
    expect(nextAfter(verdict)).to.equal(plus(now, { seconds: 60 }))
  })

  it('[SNE-62] books one interval from now when timers are resumed and nothing is booked', () => {
    expect(nextAfter(decide({ nextScheduledRunAt: null }, { verb: 'resume-timers' }))).to.equal(
      plus(now, { seconds: 60 }),
    )
    expect(decide({}, { verb: 'resume-timers' })).to.deep.equal({ kind: 'nothing' })
    expect(decide({ timer: 'stopped', nextScheduledRunAt: null }, { verb: 'resume-timers' }).kind).to.equal('nothing')
  })

  it('keeps a future next run when a chore is enabled, and an overdue one so that it runs at once', () => {
    const disabled = { ...running.config, enabled: false }
    for (const nextScheduledRunAt of [plus(now, { seconds: 5 }), plus(now, { seconds: -5 })])
      expect(nextAfter(decide({ config: disabled, nextScheduledRunAt }, { verb: 'enable' }))).to.equal(
        nextScheduledRunAt,
      )
  })

  it('finds nothing to do where nothing would change', () => {
    const verbs = ['enable', 'resume', 'resume-timers'] as const
    for (const verb of verbs) expect(decide({}, { verb }), verb).to.deep.equal({ kind: 'nothing' })
    expect(decide({ conductorActive: true }, { verb: 'trigger' })).to.deep.equal({ kind: 'nothing' })
    expect(decide({}, { verb: 'timeout', seconds: 300 })).to.deep.equal({ kind: 'nothing' })
  })

  it('opens the circuit breaker of a chore that lives, with a reason, and closes it by enable, start or trigger', () => {
    const broken = decide({ conductorActive: true }, { verb: 'break', reason: 'the market is closed' })
    expect(broken).to.include({ kind: 'changed', stopsRun: true })
    expect(broken.kind === 'changed' && broken.scheduler).to.include({
      timer: 'broken',
      lastError: 'Circuit breaker: the market is closed',
      lastErrorAt: now,
    })
    expect(decide({}, { verb: 'break', reason: ' ' }).kind).to.equal('refused')
    const stopped = { config: { ...running.config, enabled: false } }
    expect(decide(stopped, { verb: 'break', reason: 'x' }).kind).to.equal('refused')
    expect(decide({ timer: 'broken' }, { verb: 'resume-timers' })).to.deep.equal({ kind: 'nothing' })
    for (const verb of ['enable', 'start', 'trigger'] as const) {
      const verdict = decide({ timer: 'broken' }, { verb })
      expect(verdict.kind === 'changed' && verdict.scheduler.timer, verb).to.equal('set')
    }
  })

  it('never begins a run beside one that is active, and never ends one that is not', () => {
    for (const verb of ['start', 'resume'] as const) {
      const verdict = decide(
        { conductorActive: true, config: { ...running.config, paused: verb === 'resume' }, nextScheduledRunAt: now },
        { verb },
      )
      expect(verdict, verb).to.include({ kind: 'changed', startsRun: false })
    }
    for (const verb of ['stop', 'stop-chore', 'pause', 'cancel-timers'] as const) {
      expect(decide({}, { verb }), verb).to.include({ stopsRun: false })
      expect(decide({ conductorActive: true }, { verb }), verb).to.include({ stopsRun: true })
    }
  })
})
