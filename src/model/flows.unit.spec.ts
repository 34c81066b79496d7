/** The rules of a flow's waits, as logs written by hand and what the model says to them. */
import { expect } from 'chai'
import { sha256 } from '../encoding/hash.js'
import { engineLimits } from '../engine/limits.js'
import type { DomainEvent, Waiting } from '../log/events.js'
import { sessionIdOf } from '../log/SessionId.js'
import { at, HandMadeLog, me, refOf } from '../../test/model/HandMadeLog.js'

const flow = '1'.repeat(32)
const other = '2'.repeat(32)
const started = (id: string): DomainEvent => ({
  ...{ type: 'FlowStarted', flow: id, name: 'Talk', version: 1, input: null },
  origin: { kind: 'client', by: 'Ada' },
})
const ended = (id: string): DomainEvent => ({ type: 'FlowEnded', flow: id, outcome: 'completed' })
const until = (time: string) => ({ for: 'instant', kind: 'sleep', label: '', digest: '', until: at(time) }) as const

describe('A flow in the model', () => {
  let log: HandMadeLog

  beforeEach(() => {
    log = new HandMadeLog()
    log.tick('08:00', log.start())
    log.tick('08:00', started(flow), log.waits(flow, until('10:00')))
  })

  it('is not moved before its instant', () => {
    expect(log.tick('09:59', ended(flow))).to.deep.equal(['The rules refuse this event.'])
  })

  it('refuses as one that has completed, and then has no result', () => {
    const refused = { type: 'FlowEnded', flow, outcome: 'completed', refusal: { reason: 'late' } } as const
    expect(log.tick('10:00', { ...refused, result: 1 })).to.deep.equal(['The rules refuse this event.'])
    expect(log.tick('10:00', { ...refused, outcome: 'failed' })).to.include('The rules refuse this event.')
    log = new HandMadeLog()
    log.tick('08:00', log.start())
    expect(log.tick('08:00', started(other), { ...refused, flow: other })).to.deep.equal([])
  })

  it('is moved at its instant, and a tick that leaves it out is wrong', () => {
    expect(log.tick('10:00', log.produce('a'))).to.deep.equal(['A flow whose wait is over goes on.'])
  })

  it('goes on although the clock was set back since it was ready, and sleeps on when it waits for an instant', () => {
    const signal = { for: 'signal', kind: 'signal', label: '', digest: '', signal: 'Go' } as const
    const told = { type: 'SignalReceived', flow: other, seq: 1, signal: 'Go', data: null, by: 'Ada' } as const
    const setBack = (): HandMadeLog => {
      log = new HandMadeLog()
      log.tick('08:00', log.start())
      log.tick('08:00', started(flow), log.waits(flow, until('10:00')), started(other), log.waits(other, signal))
      expect(log.tick('09:00', told)).to.deep.equal([])
      return log
    }
    expect(setBack().tick('08:30', log.produce('a'))).to.deep.equal(['A flow whose wait is over goes on.'])
    expect(setBack().tick('08:30', ended(other))).to.deep.equal([])
    expect(log.tick('08:31', log.produce('a'))).to.deep.equal([])
  })

  it('goes before those whose instant came later', () => {
    log.tick('08:00', started(other), log.waits(other, until('09:00')))
    expect(log.tick('10:00', ended(flow), ended(other))).to.deep.equal(['Flows go on in order.'])
  })

  it('goes on at once when a step of one part has ended, though another part sleeps and is due after others', () => {
    const step = { for: 'step', kind: 'step', label: '', digest: 'd', attempt: 1, part: '1' } as const
    const waiting = [step, { ...until('10:01'), part: '2' }] as const
    const advanced = { type: 'FlowAdvanced', flow: other } as const
    log.tick('08:00', started(other), { ...advanced, operations: [], waiting })
    const ofStep = { kind: 'step', digest: 'd', part: '1', result: 1 } as const
    const ofSleep = { kind: 'sleep', digest: '', part: '2' } as const
    const goesOn = { ...advanced, operations: [ofStep, ofSleep], waiting: [{ for: 'turn' }] } as const
    expect(log.tick('10:02', goesOn, ended(other), ended(flow))).to.deep.equal([])
  })

  it('is killed at the end of its time once it is cancelled, also when it is held by then', () => {
    const cancelled = { type: 'FlowCancelled', flow, by: 'Ada', until: at('09:00') } as const
    const thrown = { kind: 'cancelled', digest: '', error: { code: 'flow-cancelled', message: '' } } as const
    const advanced = { type: 'FlowAdvanced', flow, operations: [thrown], waiting: [until('10:00')] } as const
    const killed = { type: 'FlowEnded', flow, outcome: 'killed', by: 'Ada' } as const
    const holds: readonly DomainEvent[] = [
      { type: 'FlowPaused', flow, by: 'Bob' },
      { type: 'FlowParked', flow, error: { code: 'flow-code-missing', message: '' } },
    ]
    for (const held of holds) {
      const cancel = (): HandMadeLog => {
        log = new HandMadeLog()
        log.tick('08:00', log.start())
        log.tick('08:00', started(flow), log.waits(flow, until('10:00')))
        expect(log.tick('08:10', cancelled, advanced, held)).to.deep.equal([])
        return log
      }
      expect(cancel().tick('08:59', log.produce('a'))).to.deep.equal([])
      expect(cancel().tick('09:00', log.produce('a'))).to.deep.equal(['A flow whose wait is over goes on.'])
      expect(cancel().tick('09:00', killed)).to.deep.equal([])
    }
  })

  it('continues as no other while it is being cancelled', () => {
    const next: DomainEvent = { type: 'FlowEnded', flow, outcome: 'continued', next: other }
    const goesOn = { ...started(other), origin: { kind: 'continued', from: flow } } as DomainEvent
    const cancelled = { type: 'FlowCancelled', flow, by: 'Ada', until: at('09:00') } as const
    expect(log.tick('08:10', cancelled, next, goesOn)).to.include('The rules refuse this event.')
  })

  it('must say what it waits for, or end, in the tick that moves it', () => {
    expect(log.tick('08:00', started(other))).to.deep.equal(['A flow ends, is held, or says what it waits for.'])
  })

  it('is not woken while it is paused, and goes on when it is resumed', () => {
    log.tick('09:00', { type: 'FlowPaused', flow, by: 'Ada' })
    expect(log.tick('10:00', log.produce('a'))).to.deep.equal([])
    log.tick('11:00', { type: 'FlowResumed', flow, by: 'Ada' })
    expect(log.tick('11:00', ended(flow))).to.deep.equal([])
  })

  it('is woken by the message it waits for, and by no other', () => {
    const end = { session: sessionIdOf(me.key, sha256('a session')), role: 'initiator' } as const
    const message = { kind: 'data', payload: null } as const
    const opened = { type: 'SessionOpened', ...end, party: me.key, flow: other } as const
    const waiting = { for: 'message', kind: 'receive', label: '', digest: '', ...end, seq: 1 } as const
    log.tick('08:00', started(other), opened, log.waits(other, waiting))
    expect(log.tick('08:01', { type: 'MessageReceived', ...end, seq: 0, message })).to.deep.equal([])
    expect(log.tick('08:01', log.waits(other, waiting))).to.deep.equal(['The rules refuse this event.'])
    expect(log.tick('08:02', { type: 'MessageReceived', ...end, seq: 1, message })).to.deep.equal([])
    expect(log.tick('08:02', ended(other))).to.deep.equal([])
  })

  it('keeps its place before those that may go on since later, whatever more comes of what it waits for', () => {
    const signal = { for: 'signal', kind: 'signal', label: '', digest: '', signal: 'Go' } as const
    const received = (id: string, seq: number): DomainEvent => ({
      ...{ type: 'SignalReceived', flow: id, seq, signal: 'Go', data: null, by: 'Ada' },
    })
    const told = (): HandMadeLog => {
      log = new HandMadeLog()
      log.tick('08:00', log.start())
      log.tick('08:00', started(other), log.waits(other, signal), started(flow), log.waits(flow, signal))
      log.tick('09:00', received(flow, 1))
      const full = { time: '09:01', bytes: engineLimits.tickBytes }
      expect(log.tickOf(full, received(other, 1), received(flow, 2))).to.deep.equal([])
      return log
    }
    expect(told().tick('09:02', ended(flow), ended(other))).to.deep.equal([])
    expect(told().tick('09:02', ended(other), ended(flow))).to.deep.equal(['Flows go on in order.'])
  })

  it('does not wait for what is there already, and nothing would wake it', () => {
    const rule = 'No flow waits for what is there already.'
    const signal = { for: 'signal', kind: 'signal', label: '', digest: '', signal: 'Go' } as const
    const received: DomainEvent = { type: 'SignalReceived', flow, seq: 1, signal: 'Go', data: null, by: 'Ada' }
    expect(log.tick('09:00', received)).to.deep.equal([])
    expect(log.tick('10:00', log.waits(flow, signal))).to.deep.equal([rule])

    const state = { for: 'state', kind: 'waitFor', label: '', digest: '', type: 'State' } as const
    const waits = (wait: Waiting): readonly string[] => {
      log = new HandMadeLog()
      log.tick('08:00', log.start())
      log.tick('08:00', log.produce('a', { key: 'a', indexed: { size: 1 } }), log.produce('b', {}, 'a'))
      log.tick('08:00', log.produce('c', { key: 'c', indexed: { size: 2 } }), started(other), ended(other))
      return log.tick('08:00', started(flow), log.waits(flow, wait))
    }
    for (const there of [
      { ...state, key: 'c' },
      { ...state, where: { size: 2 } },
      { ...state, for: 'consumption', ref: refOf('a') } as const,
      { ...state, for: 'transaction', transaction: refOf('b').transaction } as const,
      { ...state, for: 'flow', flow: other } as const,
    ])
      expect(waits(there), there.for).to.deep.equal([rule])
    for (const awaited of [
      { ...state, key: 'a' },
      { ...state, where: { size: 1 } },
      { ...state, for: 'consumption', ref: refOf('c') } as const,
      { ...state, for: 'flow', flow } as const,
    ])
      expect(waits(awaited), awaited.for).to.deep.equal([])
  })

  it('gives its locks back at its end, and shares them with nobody before', () => {
    log.tick('08:00', log.produce('a'), started(other), log.waits(other, { for: 'turn' }))
    expect(log.tick('08:00', { type: 'StatesLocked', flow: other, refs: [refOf('a')] }, ended(other))).to.deep.equal([])
    expect(log.model.locks.size).to.equal(0)
  })
})
