/**
 * The rules of an activity, one by one, each as a log written by hand and what the model says to it. Read it as
 * documentation: an empty list of findings means that the tick is as it must be.
 */
import { expect } from 'chai'
import { engineLimits } from '../engine/limits.js'
import { asks, at, error, HandMadeLog, refOf } from '../../test/model/HandMadeLog.js'

describe('The rules of an activity', () => {
  let log: HandMadeLog

  beforeEach(() => {
    log = new HandMadeLog()
    log.tick('08:00', log.start())
  })

  describe('1. A state has one activity', () => {
    it('which leaves the agenda when the state is consumed, before the one of its successor enters it', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      expect(log.agenda('a', 'b')).to.equal('a')
      log.tick('08:00', log.produce('b', asks('09:00'), 'a'))
      expect(log.agenda('a', 'b')).to.equal('b')
    })

    it('and is never due when the state is produced and consumed within one tick', () => {
      const found = log.tick('08:00', log.produce('a', asks('07:00')), log.produce('b', {}, 'a'))
      expect(found).to.deep.equal([])
      expect(log.agenda()).to.equal('')
      expect(log.state('a').consumed?.by).to.equal(refOf('b').transaction)
    })

    it('so a state that is consumed, or that the node does not hold, cannot be consumed', () => {
      log.tick('08:00', log.produce('a'))
      log.tick('08:00', log.produce('b', {}, 'a'))
      expect(log.tick('08:00', log.produce('c', {}, 'a'))).to.deep.equal(['The rules refuse this event.'])
      expect(log.tick('08:00', log.produce('d', {}, 'z'))).to.deep.equal(['The rules refuse this event.'])
    })
  })

  describe('2. Only relevant states are scheduled', () => {
    it('so an observer must not put a state on its agenda', () => {
      const found = log.tick('08:00', log.produce('a', { ...asks('10:00'), relevant: false }))
      expect(found).to.deep.equal(['The rules refuse this event.'])
    })
  })

  describe('3. A state can name who runs its activity', () => {
    beforeEach(() => {
      log.tick('08:00', log.produce('a', { ...asks('10:00'), actsAt: at('10:05') }))
    })

    it('and a party that is not the first acts when its own turn comes', () => {
      expect(log.tick('10:00', log.runs('10:00', 'a'))).to.include('An attempt needs a turn.')
    })

    it('with its lateness counted from the due instant', () => {
      const [started, ended] = log.runs('10:05', 'a')
      expect(started).to.have.nested.property('origin.latenessMs', 5 * 60_000)
      expect(log.tick('10:05', started, ended)).to.deep.equal([])
    })
  })

  describe('4. The order is due instant, log order, output index', () => {
    beforeEach(() => {
      log.tick('08:00', log.produce('a', asks('10:00')), log.produce('b', asks('09:00')))
      log.tick('08:00', log.produce('c', asks('09:00')))
    })

    it('for the agenda', () => {
      expect(log.agenda('a', 'b', 'c')).to.equal('bca')
    })

    it('and for the starts', () => {
      const [a, b, c] = [log.runs('10:00', 'a'), log.runs('10:00', 'b'), log.runs('10:00', 'c')]
      const inOrder = new HandMadeLog()
      inOrder.tick('08:00', inOrder.start())
      inOrder.tick('08:00', log.produce('a', asks('10:00')), log.produce('b', asks('09:00')))
      inOrder.tick('08:00', log.produce('c', asks('09:00')))
      expect(inOrder.tick('10:00', b, c, a)).to.deep.equal([])
      expect(log.tick('10:00', c, b, a)).to.deep.equal([
        'What is due is taken in order: due instant, log order, output index.',
      ])
    })
  })

  describe('5. Due means at or before now, and the state is asked once more', () => {
    beforeEach(() => {
      log.tick('08:00', log.produce('a', asks('10:00')))
    })

    it('so nothing starts a millisecond early, and everything that is due starts', () => {
      expect(log.tick('09:59:59.999', log.runs('09:59:59.999', 'a'))).to.include('An attempt needs a turn.')
    })

    it('and a tick that leaves it out is wrong', () => {
      expect(log.tick('10:00', log.produce('b'))).to.deep.equal(['What is due is attempted.'])
    })

    it('not for a state that was consumed a moment before, in the same tick', () => {
      const consumed = log.produce('b', {}, 'a')
      expect(log.tick('10:00', consumed, log.runs('10:00', 'a'))).to.include('An attempt needs a turn.')
    })

    it('and its answer moves the activity, to be settled at once when the new instant has come too', () => {
      const moved = { type: 'ActivityMoved', ref: refOf('a'), activity: asks('09:30').activity! } as const
      const started = log.begins('10:00', 'a', 'due', [moved])
      const ended = { type: 'FlowEnded', flow: started.flow, outcome: 'completed' } as const
      expect(log.tick('10:00', moved, started, ended)).to.deep.equal([])
      expect(log.state('a').attempts[0]).to.deep.include({ due: at('09:30'), latenessMs: 30 * 60_000 })
    })

    it('in the turn that it had before it was moved', () => {
      log.tick('08:00', log.produce('b', asks('10:00')), log.produce('c', asks('09:00')))
      const moved = { type: 'ActivityMoved', ref: refOf('c'), activity: asks('10:00').activity! } as const
      const started = log.begins('10:00', 'c', 'due', [moved])
      const ended = { type: 'FlowEnded', flow: started.flow, outcome: 'completed' } as const
      const later = [log.runs('10:00', 'a'), log.runs('10:00', 'b')].flat()
      expect(log.tick('10:00', moved, started, ended, ...later)).to.deep.equal([])
    })

    it('and what makes it due again after its attempt is for the next tick', () => {
      const failed = {
        type: 'ActivityStartFailed',
        ...{ ref: refOf('a'), due: at('10:00'), attempt: 1, latenessMs: 0 },
        ...{ error: error('flow-unknown'), retryAt: at('10:00:01') },
      } as const
      const triggered = { type: 'ActivityTriggered', ref: refOf('a'), by: 'api' } as const
      expect(log.tick('10:00', failed, triggered)).to.deep.equal([])
      expect(log.tick('10:00', log.produce('b'))).to.deep.equal(['What is due is attempted.'])
    })

    it('or removes it', () => {
      expect(log.tick('10:00', { type: 'ActivityRemoved', ref: refOf('a') })).to.deep.equal([])
      expect(log.state('a').activity.standing).to.equal('none')
    })
  })

  describe('6. A start is one fact', () => {
    it('whose flow id follows from state ref, due instant and attempt', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      const [started, ended] = log.runs('10:00', 'a')
      const other = { ...started, flow: '0'.repeat(32) }
      expect(log.tick('10:00', other, { ...ended, flow: other.flow })).to.deep.equal([
        'A start follows from the state ref, the due instant, the attempt and the clock.',
      ])
    })

    it('that cannot be recorded twice', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      const [started, ended] = log.runs('10:00', 'a')
      expect(log.tick('10:00', started, ended)).to.deep.equal([])
      expect(log.tick('10:00', started)).to.include('The rules refuse this event.')
    })
  })

  describe('7. Missed means later than the tolerance', () => {
    it('and runs the flow for that case instead', () => {
      const onMissed = { name: 'Apologise', input: null }
      log.tick('08:00', log.produce('a', asks('10:00', { toleranceMs: 60_000, onMissed })))
      const [started, ended] = log.runs('10:02', 'a')
      expect(started).to.deep.include({ name: 'Apologise' })
      expect(started).to.have.nested.property('origin.cause', 'missed')
      expect(log.tick('10:02', started, ended)).to.deep.equal([])
    })

    it('or, where there is none, is recorded and needs an operator', () => {
      log.tick('08:00', log.produce('a', asks('10:00', { toleranceMs: 60_000 })))
      const attempt = { ref: refOf('a'), due: at('10:00'), attempt: 1 }
      expect(log.tick('10:02', { type: 'ActivityMissed', ...attempt, latenessMs: 120_000 })).to.deep.equal([])
      expect(log.state('a').activity.standing).to.equal('missed')
    })

    it('while exactly the tolerance is in time', () => {
      log.tick('08:00', log.produce('a', asks('10:00', { toleranceMs: 60_000 })))
      const attempt = { ref: refOf('a'), due: at('10:00'), attempt: 1 }
      expect(log.tick('10:01', { type: 'ActivityMissed', ...attempt, latenessMs: 60_000 })).to.deep.equal([
        'Missed means later than the tolerance.',
      ])
    })

    it('and without a tolerance nothing is ever missed: it runs at once', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      expect(log.tick('23:00', log.runs('23:00', 'a'))).to.deep.equal([])
    })
  })

  describe('8. A start of the node attempts again what ended and is overdue', () => {
    beforeEach(() => {
      log.tick('08:00', log.produce('a', asks('09:00')))
      log.tick('09:00', log.runs('09:00', 'a', 'due', 'failed'))
    })

    it('with the next number', () => {
      log.tick('10:00', log.start())
      expect(log.tick('10:00', log.runs('10:00', 'a', 'restart'))).to.deep.equal([])
      expect(log.outcomes('a')).to.deep.equal(['failed', 'completed'])
    })

    it('and must do so', () => {
      log.tick('10:00', log.start())
      expect(log.tick('10:00', log.produce('b'))).to.deep.equal(['A start attempts again what ended before it.'])
    })

    it('but once a start, and never in between', () => {
      expect(log.tick('10:00', log.runs('10:00', 'a', 'restart'))).to.include('An attempt needs a turn.')
    })

    it('and not after a takeover', () => {
      log.tick('10:00', log.start('takeover'))
      expect(log.tick('10:00', log.produce('b'))).to.deep.equal([])
      expect(log.tick('10:00', log.runs('10:00', 'a', 'restart'))).to.include('An attempt needs a turn.')
    })

    it('nor what an operator has dismissed, what was killed, or what is declared once', () => {
      log.tick('09:10', { type: 'ActivityDismissed', ref: refOf('a'), by: 'Ada' })
      log.tick('09:10', log.produce('b', asks('09:20')), log.produce('c', asks('09:20', { once: true })))
      log.tick('09:20', log.runs('09:20', 'b', 'due', 'killed'), log.runs('09:20', 'c', 'due', 'failed'))
      log.tick('10:00', log.start())
      expect(log.tick('10:00', log.produce('d'))).to.deep.equal([])
      expect(['a', 'b', 'c'].map((letter) => log.state(letter).activity.standing)).to.deep.equal([
        'closed',
        'closed',
        'closed',
      ])
    })
  })

  describe('9. A start that fails is tried again with back-off, then parked', () => {
    const attempt = (number: number, latenessMs: number) => ({
      ...{ ref: refOf('a'), due: at('10:00'), attempt: number, latenessMs },
      error: error('flow-unknown'),
    })

    it('after one second, two, four and eight; the fifth failure parks it', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      const times = ['10:00:00', '10:00:01', '10:00:03', '10:00:07', '10:00:15']
      times.slice(0, 4).forEach((time, index) => {
        const failed = attempt(index + 1, at(time) < at('10:00:01') ? 0 : (2 ** index - 1) * 1_000)
        const retryAt = at(times[index + 1] ?? '')
        expect(log.tick(time, { type: 'ActivityStartFailed', ...failed, retryAt })).to.deep.equal([])
      })
      expect(log.tick('10:00:15', { type: 'ActivityParked', ...attempt(5, 15_000) })).to.deep.equal([])
      expect(log.state('a').activity.standing).to.equal('parked')
    })

    it('while an error that cannot pass parks it at once', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      const failed = { ...attempt(1, 0), error: error('activity-threw') }
      expect(log.tick('10:00', { type: 'ActivityParked', ...failed })).to.deep.equal([])
    })

    it('and it never holds up others', () => {
      log.tick('08:00', log.produce('a', asks('10:00')), log.produce('b', asks('10:00')))
      const failed = { type: 'ActivityStartFailed', ...attempt(1, 0), retryAt: at('10:00:01') } as const
      expect(log.tick('10:00', failed)).to.deep.equal(['What is due is attempted.'])
    })
  })

  describe('10. An error of nextScheduledActivity', () => {
    it('parks the activity; the transaction is recorded, and an operator can have the state asked again', () => {
      expect(log.tick('08:00', log.produce('a', { failure: error('activity-threw') }))).to.deep.equal([])
      expect(log.state('a').activity.standing).to.equal('parked')
      log.tick('09:00', { type: 'ActivityRetried', ref: refOf('a'), by: 'Ada' })
      const moved = { type: 'ActivityMoved', ref: refOf('a'), activity: asks('10:00').activity! } as const
      expect(log.tick('09:00', moved)).to.deep.equal([])
      expect(log.agenda('a')).to.equal('a')
    })
  })

  describe('11. Every attempt has exactly one outcome', () => {
    it('and attempts are numbered without a gap', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      const [started, ended] = log.runs('10:00', 'a')
      const origin = {
        kind: 'activity',
        ref: refOf('a'),
        due: at('10:00'),
        attempt: 2,
        latenessMs: 0,
        cause: 'due',
      } as const
      expect(log.tick('10:00', { ...started, origin }, ended)).to.include(
        'A start follows from the state ref, the due instant, the attempt and the clock.',
      )
    })

    it('which a flow that is running does not have yet', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      const started = log.begins('10:00', 'a')
      log.tick('10:00', started, log.waits(started.flow, { for: 'turn' }))
      expect(log.outcomes('a')).to.deep.equal(['running'])
      log.tick('10:00', { type: 'FlowEnded', flow: started.flow, outcome: 'completed' })
      expect(log.outcomes('a')).to.deep.equal(['completed'])
      expect(log.tick('10:00', { type: 'FlowEnded', flow: started.flow, outcome: 'failed' })).to.deep.equal([
        'The rules refuse this event.',
      ])
    })
  })

  describe('12. Draining starts nothing and forgets nothing', () => {
    beforeEach(() => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      log.tick('09:00', { type: 'DrainingStarted', by: 'Ada' })
    })

    it('also after a restart', () => {
      log.tick('10:00', log.start())
      expect(log.tick('10:00', log.produce('b'))).to.deep.equal([])
      expect(log.tick('10:00', log.runs('10:00', 'a'))).to.include('The rules refuse this event.')
    })

    it('and ends like an outage', () => {
      log.tick('11:00', { type: 'DrainingEnded', by: 'Ada' })
      expect(log.tick('11:00', log.runs('11:00', 'a'))).to.deep.equal([])
    })
  })

  describe('12. The end of draining after a start', () => {
    it('attempts again what had ended before that start, in the same tick or in the next', () => {
      log.tick('08:00', log.produce('a', asks('08:30')))
      log.tick('08:30', log.runs('08:30', 'a'))
      log.tick('09:00', { type: 'DrainingStarted', by: 'Ada' })
      log.tick('10:00', log.start())
      expect(log.tick('11:00', { type: 'DrainingEnded', by: 'Ada' })).to.deep.equal([])
      expect(log.tick('11:00', log.produce('b'))).to.deep.equal(['A start attempts again what ended before it.'])
    })
  })

  describe('13. The clock may be set', () => {
    it('back: what was started is not started again, and what waits keeps its instant', () => {
      log.tick('08:00', log.produce('a', asks('10:00')), log.produce('b', asks('10:30')))
      log.tick('10:00', log.runs('10:00', 'a'))
      expect(log.tick('09:00', log.produce('c'))).to.deep.equal([])
      expect(log.tick('09:00', log.runs('09:00', 'b'))).to.include('An attempt needs a turn.')
    })

    it('forward: everything that it passes starts, in order, in the next tick', () => {
      log.tick('08:00', log.produce('a', asks('10:00')), log.produce('b', asks('09:00')))
      expect(log.tick('23:00', log.runs('23:00', 'b'), log.runs('23:00', 'a'))).to.deep.equal([])
    })
  })

  describe('An operator', () => {
    it('pauses, resumes and triggers; what is paused does not start', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      log.tick('08:00', { type: 'ActivityPaused', ref: refOf('a'), by: 'Ada' })
      expect(log.tick('10:00', log.produce('b'))).to.deep.equal([])
      log.tick('10:10', { type: 'ActivityTriggered', ref: refOf('a'), by: 'Ada' })
      expect(log.tick('10:10', log.runs('10:10', 'a', 'trigger'))).to.deep.equal([])
    })

    it('cannot trigger what is running', () => {
      log.tick('08:00', log.produce('a', asks('10:00')))
      const started = log.begins('10:00', 'a')
      log.tick('10:00', started, log.waits(started.flow, { for: 'turn' }))
      log.tick('10:00', log.waits(started.flow, { for: 'turn', retryAt: at('11:00') }))
      expect(log.tick('10:00', { type: 'ActivityTriggered', ref: refOf('a'), by: 'Ada' })).to.deep.equal([
        'The rules refuse this event.',
      ])
    })
  })

  describe('Bounds', () => {
    beforeEach(() => {
      log.tick('08:00', log.produce('a', asks('10:00')), log.produce('b', asks('10:00')))
    })

    it('let a full tick take a part, but only the first part', () => {
      expect(log.tickOf({ time: '10:00', bytes: engineLimits.idleTickBytes }, log.runs('10:00', 'a'))).to.deep.equal([])
      expect(log.tick('10:00', log.runs('10:00', 'b'))).to.deep.equal([])
    })

    it('do not let it take a later one first', () => {
      expect(log.tickOf({ time: '10:00', bytes: engineLimits.idleTickBytes }, log.runs('10:00', 'b'))).to.deep.equal([
        'What is due is taken in order: due instant, log order, output index.',
      ])
    })

    it('keep the tick that records a start from starting anything', () => {
      expect(log.tick('10:00', log.start())).to.deep.equal([])
      expect(log.tick('10:00', log.start(), log.runs('10:00', 'a'))).to.include(
        'A tick that starts or stops the node attempts nothing.',
      )
    })
  })
})
