import { expect } from 'chai'
import * as fc from 'fast-check'
import { DateTime, IANAZone } from 'luxon'
import {
  instant,
  instantFromMillis,
  InstantC,
  latestInstantMs,
  millisBetween,
  plus,
  toDateTime,
  toMillis,
} from './Instant.js'

const earliestMs = Date.parse('0000-01-01T00:00:00.000Z')
const epochs = fc.oneof(
  fc.integer({ min: earliestMs, max: latestInstantMs }),
  fc.integer({ min: earliestMs, max: earliestMs + 1_000_000 }),
  fc.integer({ min: latestInstantMs - 1_000_000, max: latestInstantMs }),
)
const instants = epochs.map(instantFromMillis)
const refusal = (make: () => unknown): void => {
  expect(make).to.throw().with.property('code', 'instant-invalid')
}

describe('an instant', () => {
  it('has one spelling, which every way of making it agrees on', () => {
    fc.assert(
      fc.property(epochs, (ms) => {
        const at = instantFromMillis(ms)
        expect(at).to.have.length(24)
        expect(toMillis(at)).to.equal(ms)
        expect(instant(at)).to.equal(at)
        expect(InstantC.is(at)).to.equal(true)
        expect(instant(toDateTime(at))).to.equal(at)
        expect(instant(`${at.slice(0, 16)}Z`)).to.equal(`${at.slice(0, 16)}:00.000Z`)
        expect(instant(`${at.slice(0, 19)}Z`)).to.equal(`${at.slice(0, 19)}.000Z`)
        expect(instant(`${at.slice(0, 22)}Z`)).to.equal(`${at.slice(0, 22)}0Z`)
      }),
    )
  })

  it('is the same in whatever zone a DateTime shows it', () => {
    fc.assert(
      fc.property(epochs, fc.constantFrom('Europe/Zurich', 'America/New_York', 'Asia/Kathmandu', 'utc'), (ms, zone) => {
        expect(zone === 'utc' || IANAZone.isValidZone(zone)).to.equal(true)
        expect(instant(DateTime.fromMillis(ms, { zone }))).to.equal(instantFromMillis(ms))
      }),
    )
  })

  it('sorts as text in the order of time', () => {
    fc.assert(
      fc.property(epochs, epochs, (one, other) => {
        const [a, b] = [instantFromMillis(one), instantFromMillis(other)]
        expect(a < b).to.equal(one < other)
        expect(a === b).to.equal(one === other)
        expect(millisBetween(a, b)).to.equal(other - one)
      }),
    )
  })

  const unitMs = {
    milliseconds: 1,
    seconds: 1_000,
    minutes: 60_000,
    hours: 3_600_000,
    days: 86_400_000,
    weeks: 604_800_000,
  }

  it('moves by exactly the length of fixed units, and refuses to leave the calendar', () => {
    fc.assert(
      fc.property(
        instants,
        fc.constantFrom('milliseconds', 'seconds', 'minutes', 'hours', 'days', 'weeks'),
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        (at, unit, amount) => {
          const expected = toMillis(at) + amount * unitMs[unit]
          if (expected < earliestMs || expected > latestInstantMs) refusal(() => plus(at, { [unit]: amount }))
          else expect(toMillis(plus(at, { [unit]: amount }))).to.equal(expected)
        },
      ),
    )
  })

  it('moves by months on the UTC calendar, to the last day where the month is shorter', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: -600, max: 600 }), (at, months) => {
        const [year, month, day] = [Number(at.slice(0, 4)), Number(at.slice(5, 7)), Number(at.slice(8, 10))]
        const target = year * 12 + (month - 1) + months
        const [targetYear, targetMonth] = [Math.floor(target / 12), (((target % 12) + 12) % 12) + 1]
        if (targetYear < 0 || targetYear > 9999) {
          refusal(() => plus(at, { months }))
          return
        }
        const isLeap = (targetYear % 4 === 0 && targetYear % 100 !== 0) || targetYear % 400 === 0
        const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        const date = [
          String(targetYear).padStart(4, '0'),
          String(targetMonth).padStart(2, '0'),
          String(Math.min(day, lengths[targetMonth - 1]!)).padStart(2, '0'),
        ].join('-')
        expect(plus(at, { months })).to.equal(`${date}${at.slice(10)}`)
      }),
    )
  })

  it('does not exist for days and times that are not on the calendar', () => {
    const two = (value: number): string => String(value).padStart(2, '0')
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9999 }),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 0, max: 70 }),
        (year, month, day, hour, minute) => {
          const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:00.000Z`
          const monthDays = month < 1 || month > 12 ? 0 : DateTime.utc(year, month).daysInMonth
          const exists = day >= 1 && day <= (monthDays ?? 0) && hour < 24 && minute < 60
          expect(InstantC.is(text), text).to.equal(exists)
          if (exists) expect(instant(text)).to.equal(text)
          else refusal(() => instant(text))
        },
      ),
    )
  })

  it('is never made of fractions, of years beyond the calendar, or of text in another form', () => {
    fc.assert(
      fc.property(epochs, fc.double({ min: 0.001, max: 0.999, noNaN: true }), (ms, fraction) => {
        fc.pre(!Number.isInteger(ms + fraction))
        refusal(() => instantFromMillis(ms + fraction))
      }),
    )
    for (const ms of [Number.NaN, Infinity, latestInstantMs + 1, earliestMs - 1, 8.64e15 + 1])
      refusal(() => instantFromMillis(ms))
    fc.assert(
      fc.property(instants, fc.constantFrom('', '+00:00', '+01:00', 'z', ' Z', 'Z '), (at, ending) => {
        refusal(() => instant(`${at.slice(0, -1)}${ending}`))
      }),
    )
    for (const text of [
      '',
      '2026-01-01',
      '2026-01-01T00Z',
      '+002026-01-01T00:00:00.000Z',
      '2026-01-01 00:00:00Z',
      '2026-1-1T00:00:00Z',
    ])
      refusal(() => instant(text))
    refusal(() => instant(DateTime.invalid('test')))
  })
})
