import { expect } from 'chai'
import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import { generateKeyPair } from 'carillon/keys'
import { inWords } from '../events.js'
import type { Refusal } from '../model/Refusal.js'
import { knownExecutions, nextOnGrid, scheduleOf, type Schedule } from '../model/Task.js'
import { defaultSettings, problemWith } from '../model/Settings.js'
import { tryPush, type TimeSlot } from '../model/slots.js'
import { mock, S, start, T } from './Scene.js'

const operator = { name: 'Operator', key: generateKeyPair().publicKey }
const slot = (tasks: readonly string[], weight = 0): TimeSlot => ({ operator, at: T, tasks, weight })
const fixed = (...times: readonly number[]): Either<Refusal, Schedule> =>
  scheduleOf({ kind: 'fixed', times }, { now: start, swept: 0, settings: mock })
const recurring = (next: number, frequency: number): Either<Refusal, Schedule> =>
  scheduleOf({ kind: 'recurring', next, frequency }, { now: start, swept: 0, settings: mock })
const refusal = (result: Either<Refusal, unknown>): string => (isLeft(result) ? result.left : 'ok')

describe('a time slot', () => {
  it('[OAK-041] takes no more tasks than its count allows', () => {
    expect(refusal(tryPush(slot(['a', 'b']), 'c', 1, mock))).to.equal('TimeSlotFull')
  })

  it('[OAK-042] appends the id and adds the weight', () => {
    const pushed = tryPush(slot(['a'], 7), 'b', 5, mock)
    expect(isRight(pushed) && pushed.right).to.deep.include({ tasks: ['a', 'b'], weight: 12 })
  })
})

describe('a schedule', () => {
  it('[OAK-043] of three times has three executions left', () => {
    const schedule = fixed(T, T + S, T + 2 * S)
    expect(isRight(schedule) && schedule.right).to.include({ executionsLeft: 3 })
  })

  it('[OAK-044] has no times within a slot', () => {
    expect(refusal(fixed(T + S / 2))).to.equal('InvalidTime')
  })

  it('[OAK-046] counts its executions: all of a fixed one, one of a recurring one', () => {
    expect(
      [fixed(T, T + S, T + 2 * S), recurring(T, S)].map((made) => isRight(made) && knownExecutions(made.right)),
    ).to.deep.equal([3, 1])
  })

  it('[OAK-047] has no more times than a task may have', () => {
    expect(refusal(fixed(T, T + S, T + 2 * S, T + 3 * S))).to.equal('TooManyExecutionsTimes')
  })

  it('[OAK-048] is sorted and has each time once', () => {
    const schedule = fixed(T + S, T, T + S, T)
    expect(isRight(schedule) && schedule.right).to.deep.include({ times: [T, T + S] })
  })

  it('[OAK-049] is empty, past, off the grid, too far out, or valid', () => {
    const tooFar = start + mock.horizonSeconds + S
    expect([fixed(), fixed(start), fixed(T + 1), fixed(tooFar), fixed(T)].map(refusal)).to.deep.equal([
      'InvalidTime',
      'PastTime',
      'InvalidTime',
      'TimeTooFarOut',
      'ok',
    ])
  })

  it('[OAK-051] knows how many executions are left', () => {
    expect(knownExecutions({ kind: 'fixed', times: [T, T + S], executionsLeft: 1 })).to.equal(1)
    expect(knownExecutions({ kind: 'recurring', next: T, frequency: S })).to.equal(1)
  })

  it('[OAK-029] has a frequency of whole slots, not 4,000 s and not 0', () => {
    expect(refusal(recurring(T, 4_000))).to.equal('InvalidTime')
    expect(refusal(recurring(T, 0))).to.equal('InvalidTime')
    expect(refusal(recurring(T + 1, S))).to.equal('InvalidTime')
  })

  it('skips forward on its grid after an outage, to a time that is still to come', () => {
    expect(nextOnGrid(T, S, T + 1)).to.equal(T + S)
    expect(nextOnGrid(T, S, T + 5 * S)).to.equal(T + 6 * S)
    expect(nextOnGrid(T, 2 * S, T + 5 * S)).to.equal(T + 6 * S)
  })
})

describe('an event in words', () => {
  it('is one line, whatever an account has written', () => {
    const message = '\u001b[2J it is\nready\u0007'
    expect(inWords({ event: 'Notify', who: 'ada', message })).to.equal('Notify  ada  ·[2J it is·ready·')
  })
})

describe('the settings', () => {
  it("have the seeds' placeholders as defaults, and these make sense", () => {
    expect(defaultSettings).to.include({
      slotSeconds: 3_600,
      tasksPerSlot: 100,
      executionsPerTask: 24,
      tasksPercent: 10,
    })
    expect(problemWith(defaultSettings)).to.equal(undefined)
  })

  it('leave slots that take tasks', () => {
    expect(problemWith({ ...defaultSettings, reservedEvery: 1 })).to.match(/takes no tasks/)
    expect(problemWith({ ...defaultSettings, reservedEvery: 2 })).to.equal(undefined)
  })

  it('leave sweeps something over a full slot, so that the missed queue drains', () => {
    const capacity = (3_600 / 6) * 50_000
    expect(problemWith({ ...defaultSettings, weightPerSlot: capacity })).to.match(/missed queue/)
    expect(problemWith({ ...defaultSettings, weightPerSlot: capacity - 1 })).to.equal(undefined)
  })
})
