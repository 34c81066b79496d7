import { expect } from 'chai'
import * as fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { instantFromMillis, toMillis, type Instant } from '../Instant.js'
import type { LocalDate, LocalTime, TimeOfDay } from '../LocalTime.js'
import type { Zone } from '../Zone.js'
import type { DstPolicy } from './DstPolicy.js'
import { allBetween, checkRecurrence, nextAfter, preview, previousBefore } from './occurrences.js'
import { RecurrenceC, type Recurrence, type RecurrenceRule } from './Recurrence.js'

const from = Date.parse('2024-01-01T00:00:00Z')
const until = Date.parse('2028-01-01T00:00:00Z')

const anInstant: fc.Arbitrary<Instant> = fc.integer({ min: from, max: until }).map(instantFromMillis)

/** Instants near the days on which clocks change, where mistakes are made. */
const aTransition: fc.Arbitrary<Instant> = fc
  .tuple(
    fc.constantFrom(
      ...['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z', '2026-03-08T07:00:00Z', '2026-11-01T06:00:00Z'],
      ...['2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z', '2011-12-30T10:00:00Z'],
    ),
    fc.integer({ min: -30 * 3_600_000, max: 30 * 3_600_000 }),
  )
  .map(([at, shift]) => instantFromMillis(Date.parse(at) + shift))

const aMoment = fc.oneof(anInstant, aTransition)

const aZone = fc.constantFrom(
  ...['UTC', 'Europe/London', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'],
  ...['Pacific/Apia', 'Africa/Casablanca', 'America/St_Johns'],
) as fc.Arbitrary<Zone>

const dst: fc.Arbitrary<DstPolicy> = fc.record({
  gap: fc.constantFrom('skip', 'shift-forward', 'shift-back'),
  overlap: fc.constantFrom('first', 'second', 'both'),
})

const two = (value: number): string => String(value).padStart(2, '0')
const aTime = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${two(hour)}:${two(minute)}` as TimeOfDay)
const aDate = fc
  .integer({ min: Date.parse('2010-01-01'), max: Date.parse('2026-12-31') })
  .map((ms) => new Date(ms).toISOString().slice(0, 10) as LocalDate)

const aRule: fc.Arbitrary<RecurrenceRule> = fc.oneof(
  fc.record({ kind: fc.constant('instants' as const), at: fc.array(aMoment, { minLength: 1, maxLength: 8 }) }),
  fc.record({
    kind: fc.constant('interval' as const),
    everyMs: fc.integer({ min: 60_000, max: 1_000_000_000 }),
    phase: anInstant,
  }),
  fc.record({
    kind: fc.constant('cron' as const),
    expression: fc.constantFrom(
      ...['*/15 * * * *', '30 1 * * *', '0 30 2 * * *', '15,45 0-3 * * SUN', '0 0 L * *', '0 9 * * MON#2'],
      ...['0 12 29 2 *', '20 */10 2 * * *', '@weekly'],
    ),
    zone: aZone,
    dst,
  }),
  fc.record({
    kind: fc.constant('rrule' as const),
    rule: fc.constantFrom(
      ...['FREQ=DAILY', 'FREQ=MONTHLY;BYDAY=-1FR', 'FREQ=HOURLY;INTERVAL=5', 'FREQ=WEEKLY;BYDAY=SU;BYHOUR=1,2,3'],
      ...['FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', 'FREQ=DAILY;COUNT=40', 'FREQ=DAILY;UNTIL=20260401'],
    ),
    start: fc.tuple(aDate, aTime).map(([date, time]) => `${date}T${time}:00` as LocalTime),
    zone: aZone,
    dst,
  }),
  fc.record({
    kind: fc.constant('repetition' as const),
    iso: fc
      .tuple(fc.constantFrom('R', 'R7'), aDate, aTime, fc.constantFrom('P1M', 'P1D', 'PT90M', 'P1Y', 'P2W', 'P1M3D'))
      .map(([count, date, time, step]) => `${count}/${date}T${time}/${step}`),
    zone: aZone,
    dst,
  }),
  fc.record({
    kind: fc.constant('calendar' as const),
    every: fc.integer({ min: 1, max: 6 }),
    unit: fc.constantFrom('day', 'week', 'month', 'year'),
    first: aDate,
    time: aTime,
    zone: aZone,
    calendar: fc.subarray(['London', 'NewYork', 'TARGET'] as const),
    roll: fc.constantFrom('following', 'modified-following', 'previous', 'modified-previous', 'none'),
    endOfMonth: fc.boolean(),
    dst,
  }),
)

const without = <A extends object>(value: A): A =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as A

/** The last Sunday of March at two o'clock, where there is none, comes in no year: it is refused, and no law holds of it. */
const isFound = (recurrence: Recurrence): boolean => {
  try {
    checkRecurrence(recurrence)
  } catch (error) {
    return !String(error).includes('is not found within')
  }
  return true
}

const aRecurrence: fc.Arbitrary<Recurrence> = fc
  .record({
    rule: aRule,
    from: fc.option(anInstant, { nil: undefined }),
    until: fc.option(anInstant, { nil: undefined }),
    count: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
    jitter: fc.option(fc.record({ seed: fc.string(), upToMs: fc.integer({ min: 1, max: 7_200_000 }) }), {
      nil: undefined,
    }),
  })
  .map((recurrence) => without(recurrence) as Recurrence)
  .filter(({ rule, from: start, count }) => count === undefined || rule.kind !== 'cron' || start !== undefined)
  .filter(isFound)

describe('a recurrence', function () {
  it('comes back to where it started when it is walked forwards and then backwards', () => {
    fc.assert(
      fc.property(aRecurrence, aMoment, (recurrence, moment) => {
        const ahead = preview(recurrence, moment, 6)
        ahead.forEach((at, index) => {
          expect(at > moment).to.equal(true)
          if (index > 0) {
            expect(previousBefore(recurrence, at)).to.equal(ahead[index - 1])
            expect(nextAfter(recurrence, ahead[index - 1]!)).to.equal(at)
          }
        })
        const first = ahead[0]
        if (first !== undefined) {
          const behind = previousBefore(recurrence, first)
          expect(behind === undefined || behind <= moment).to.equal(true)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('comes back to where it started when it is walked backwards and then forwards', () => {
    fc.assert(
      fc.property(aRecurrence, aMoment, (recurrence, moment) => {
        let at: Instant | undefined = previousBefore(recurrence, moment)
        for (let steps = 0; steps < 5 && at !== undefined; steps++) {
          expect(at < moment).to.equal(true)
          const earlier: Instant | undefined = previousBefore(recurrence, at)
          if (earlier !== undefined) expect(nextAfter(recurrence, earlier)).to.equal(at)
          at = earlier
        }
      }),
      { numRuns: 400 },
    )
  })

  it('lists between two instants exactly what walking from one to the other meets', () => {
    fc.assert(
      fc.property(aRecurrence, aMoment, fc.integer({ min: 0, max: 3 * 86_400_000 }), (recurrence, moment, length) => {
        const end = instantFromMillis(toMillis(moment) + length)
        const walked: Instant[] = []
        let at = previousBefore(recurrence, instantFromMillis(toMillis(end) + 1))
        while (at !== undefined && at >= moment) {
          walked.unshift(at)
          at = previousBefore(recurrence, at)
        }
        expect(allBetween(recurrence, moment, end)).to.deep.equal(walked)
      }),
      { numRuns: 200 },
    )
  })

  it('survives its codec: what is read back means the same instants', () => {
    fc.assert(
      fc.property(aRecurrence, aMoment, (recurrence, moment) => {
        const read = RecurrenceC.decode(JSON.parse(JSON.stringify(RecurrenceC.encode(recurrence))))
        expect(isRight(read)).to.equal(true)
        if (isRight(read)) expect(preview(read.right, moment, 3)).to.deep.equal(preview(recurrence, moment, 3))
      }),
      { numRuns: 100 },
    )
  })

  it('has no more occurrences than its count, and none outside its bounds', () => {
    // Every sixth year so many times stays within the years of the tables of holidays.
    const mostCount = 10
    fc.assert(
      fc.property(aRecurrence, (recurrence) => {
        const count = Math.min(recurrence.count ?? mostCount, mostCount)
        const all = preview(
          { ...recurrence, count, from: recurrence.from ?? instantFromMillis(from) },
          instantFromMillis(0),
          50,
        )
        expect(all.length).to.be.at.most(count)
        if (recurrence.jitter === undefined)
          for (const at of all) {
            expect(at >= (recurrence.from ?? instantFromMillis(from))).to.equal(true)
            if (recurrence.until !== undefined) expect(at <= recurrence.until).to.equal(true)
          }
      }),
      { numRuns: 200 },
    )
  })
})
