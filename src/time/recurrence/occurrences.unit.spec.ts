import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { instant, plus, toMillis } from '../Instant.js'
import { localDate, timeOfDay } from '../LocalTime.js'
import { zone } from '../Zone.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { DstPolicy } from './DstPolicy.js'
import { allBetween, checkRecurrence, nextAfter, preview, previousBefore } from './occurrences.js'
import {
  atInstants,
  cron,
  everyInterval,
  everyOnCalendar,
  RecurrenceC,
  repetition,
  rrule,
  type Recurrence,
} from './Recurrence.js'

const london = 'Europe/London'
const newYork = 'America/New_York'
const utc = 'UTC'
const start = instant('2026-01-01T00:00Z')

const short = (recurrence: Recurrence, after: string, count: number): readonly string[] =>
  preview(recurrence, instant(after), count).map((at) => at.replace(':00.000Z', 'Z'))

const codeOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (error instanceof CarillonError) return error.code
    throw error
  }
  return 'nothing was thrown'
}

describe('recurrence rules', () => {
  it('explicit instants come in order, each once', () => {
    const rule = atInstants([instant('2026-03-01T00:00Z'), instant('2026-02-01T00:00Z'), instant('2026-03-01T00:00Z')])
    expect(preview(rule, start, 5)).to.deep.equal([instant('2026-02-01T00:00Z'), instant('2026-03-01T00:00Z')])
  })

  it('an interval keeps in step with its phase, before it and after it', () => {
    const rule = everyInterval({ minutes: 10 }, instant('2026-01-01T00:03Z'))
    expect(nextAfter(rule, instant('2026-01-01T00:13Z'))).to.equal(instant('2026-01-01T00:23Z'))
    expect(previousBefore(rule, instant('2026-01-01T00:13Z'))).to.equal(instant('2026-01-01T00:03Z'))
    expect(previousBefore(rule, instant('2026-01-01T00:00Z'))).to.equal(instant('2025-12-31T23:53Z'))
  })

  it('cron has seconds, names, the last day and the nth weekday', () => {
    expect(short(cron('30 0 9 * * MON', utc), '2026-01-01T00:00Z', 1)).to.deep.equal(['2026-01-05T09:00:30.000Z'])
    expect(short(cron('0 9 L * *', utc), '2026-02-01T00:00Z', 1)).to.deep.equal(['2026-02-28T09:00Z'])
    expect(short(cron('0 9 * * FRI#2', utc), '2026-02-01T00:00Z', 1)).to.deep.equal(['2026-02-13T09:00Z'])
  })

  it('cron finds the occurrence within the very second before', () => {
    const rule = cron('*/7 * * * * *', utc)
    expect(previousBefore(rule, instant('2026-01-01T00:00:07.001Z'))).to.equal(instant('2026-01-01T00:00:07Z'))
    expect(previousBefore(rule, instant('2026-01-01T00:00:07.000Z'))).to.equal(instant('2026-01-01T00:00:00Z'))
  })

  it('an RRULE keeps its local time over the change of clocks', () => {
    const rule = rrule('FREQ=WEEKLY;BYDAY=MO', '2026-03-16T09:00:00', london)
    expect(short(rule, '2026-03-01T00:00Z', 3)).to.deep.equal([
      '2026-03-16T09:00Z',
      '2026-03-23T09:00Z',
      '2026-03-30T08:00Z',
    ])
  })

  it('reads UNTIL of an RRULE as an instant with Z, as local time without, and as the whole day for a date', () => {
    const daily = (until: string): number =>
      preview(rrule(`FREQ=DAILY;UNTIL=${until}`, '2026-07-01T00:30:00', london), start, 100).length
    expect(daily('20260703T233000Z')).to.equal(4)
    expect(daily('20260703T232959Z')).to.equal(3)
    expect(daily('20260703T003000')).to.equal(3)
    expect(daily('20260703T002959')).to.equal(2)
    expect(daily('20260703')).to.equal(3)
  })

  it('a repetition reckons from its first time, so the 31st comes back after February', () => {
    expect(short(repetition('R4/2026-01-31T09:00:00/P1M', utc), '2026-01-01T00:00Z', 9)).to.deep.equal([
      '2026-01-31T09:00Z',
      '2026-02-28T09:00Z',
      '2026-03-31T09:00Z',
      '2026-04-30T09:00Z',
    ])
  })

  it('a repetition can be told by its end, or by two times', () => {
    expect(short(repetition('R3/P1M/2026-03-31T09:00', utc), '2026-01-01T00:00Z', 9)).to.deep.equal([
      '2026-01-31T09:00Z',
      '2026-02-28T09:00Z',
      '2026-03-31T09:00Z',
    ])
    expect(short(repetition('R2/2026-01-01T00:00/2026-01-01T06:00', utc), '2025-01-01T00:00Z', 9)).to.deep.equal([
      '2026-01-01T00:00Z',
      '2026-01-01T06:00Z',
    ])
  })

  it('a calendar rule rolls each date by itself and does not drag the later ones along', () => {
    const rule = everyOnCalendar(3, 'month', {
      first: '2026-02-28',
      time: '11:00',
      zone: london,
      calendar: ['London', 'TARGET'],
      roll: 'modified-following',
      endOfMonth: true,
    })
    // 28 February 2026 and 31 May 2026 are on a weekend at the end of their months; 31 August is a London holiday.
    expect(short(rule, '2026-01-01T00:00Z', 4)).to.deep.equal([
      '2026-02-27T11:00Z',
      '2026-05-29T10:00Z',
      '2026-08-28T10:00Z',
      '2026-11-30T11:00Z',
    ])
  })

  it('a daily calendar rule comes once on each business day', () => {
    const rule = everyOnCalendar(1, 'day', {
      first: '2026-04-01',
      time: '09:00',
      zone: utc,
      calendar: ['TARGET'],
      roll: 'following',
    })
    // Good Friday is the 3rd, Easter Monday the 6th.
    expect(short(rule, '2026-03-31T00:00Z', 4).map((at) => at.slice(0, 10))).to.deep.equal([
      '2026-04-01',
      '2026-04-02',
      '2026-04-07',
      '2026-04-08',
    ])
  })
})

describe('the days on which clocks change', () => {
  // In London 01:00 to 02:00 is missing on 29 March 2026 and comes twice on 25 October 2026.
  const halfPastOne = (dst?: DstPolicy): Recurrence => cron('30 1 * * *', london, dst === undefined ? {} : { dst })
  const spring = (dst?: DstPolicy): readonly string[] => short(halfPastOne(dst), '2026-03-28T12:00Z', 2)
  const autumn = (dst?: DstPolicy): readonly string[] => short(halfPastOne(dst), '2026-10-24T12:00Z', 2)

  it('by default shift a missing time forward and take the first of two', () => {
    expect(spring()).to.deep.equal(['2026-03-29T01:30Z', '2026-03-30T00:30Z'])
    expect(autumn()).to.deep.equal(['2026-10-25T00:30Z', '2026-10-26T01:30Z'])
  })

  it('skip, or shift back, a missing time when told so', () => {
    expect(spring({ gap: 'skip', overlap: 'first' })).to.deep.equal(['2026-03-30T00:30Z', '2026-03-31T00:30Z'])
    expect(spring({ gap: 'shift-back', overlap: 'first' })).to.deep.equal(['2026-03-29T00:30Z', '2026-03-30T00:30Z'])
  })

  it('take the second of two, or both, when told so', () => {
    expect(autumn({ gap: 'skip', overlap: 'second' })).to.deep.equal(['2026-10-25T01:30Z', '2026-10-26T01:30Z'])
    expect(autumn({ gap: 'skip', overlap: 'both' })).to.deep.equal(['2026-10-25T00:30Z', '2026-10-25T01:30Z'])
  })

  it('lose nothing of a dense rule: a day of 23 hours has 92 quarters, one of 25 has 100 when both count', () => {
    const quarters = cron('*/15 * * * *', newYork, { dst: { gap: 'skip', overlap: 'both' } })
    const count = (from: string, until: string): number => allBetween(quarters, instant(from), instant(until)).length
    expect(count('2026-03-08T05:00Z', '2026-03-09T03:59Z')).to.equal(92)
    expect(count('2026-11-01T04:00Z', '2026-11-02T04:59Z')).to.equal(100)
  })

  it('shifted times fall together with the times already there, and count once', () => {
    const quarters = cron('*/15 * * * *', newYork)
    expect(allBetween(quarters, instant('2026-03-08T05:00Z'), instant('2026-03-09T03:59Z')).length).to.equal(92)
  })
})

describe('bounds, exclusions and jitter', () => {
  it('until includes an occurrence that falls on it', () => {
    const rule = everyInterval({ hours: 1 }, start, { until: instant('2026-01-01T02:00Z') })
    expect(preview(rule, start, 9)).to.deep.equal([instant('2026-01-01T01:00Z'), instant('2026-01-01T02:00Z')])
  })

  it('a count is counted from the beginning, with those that are left out', () => {
    const rule = everyInterval({ hours: 1 }, start, { count: 4, except: { instants: [instant('2026-01-01T01:00Z')] } })
    expect(preview(rule, instant('2025-01-01T00:00Z'), 9)).to.deep.equal([
      instant('2026-01-01T00:00Z'),
      instant('2026-01-01T02:00Z'),
      instant('2026-01-01T03:00Z'),
    ])
  })

  it('whole local days can be left out', () => {
    const rule = cron('0 */12 * * *', newYork, {
      except: { days: { zone: zone(newYork), dates: [localDate('2026-01-02')] } },
    })
    expect(short(rule, '2026-01-01T18:00Z', 2)).to.deep.equal(['2026-01-03T05:00Z', '2026-01-03T17:00Z'])
  })

  it('jitter is the same for the same seed, differs with the seed, and stays below its bound', () => {
    const hourly = (seed: string): Recurrence =>
      everyInterval({ hours: 1 }, start, { jitter: { seed, upToMs: 600_000 } })
    const one = preview(hourly('a'), start, 50)
    expect(preview(hourly('a'), start, 50)).to.deep.equal(one)
    expect(preview(hourly('b'), start, 50)).to.not.deep.equal(one)
    const delays = one.map((at) => Date.parse(at) % 3_600_000)
    expect(Math.max(...delays)).to.be.below(600_000)
    expect(Math.max(...delays)).to.be.above(300_000)
    expect(new Set(delays).size).to.be.above(40)
  })
})

describe('a recurrence in the far future', () => {
  const far = [
    '2999-12-31T23:00:00.000Z',
    '3000-06-01T00:00:00.000Z',
    '5123-03-04T05:06:07.000Z',
    '9990-01-01T00:00:00.000Z',
  ]
  const monthly = (calendar: readonly 'London'[]): Recurrence => ({
    rule: {
      ...{ kind: 'calendar', every: 1, unit: 'month', zone: zone('UTC'), calendar, roll: 'following' },
      ...{ first: localDate('2026-01-31'), time: timeOfDay('09:00') },
    },
  })
  const endless: readonly [string, Recurrence][] = [
    ['a cron', cron('0 9 * * MON', utc)],
    ['a cron in a zone', cron('30 2 29 2 *', london)],
    ['a cron that names years', cron('0 0 9 1 1 * 2026-9999', utc)],
    ['an interval', everyInterval({ hours: 36 }, start)],
    ['a repetition', repetition('R/2026-01-31T09:00/P1M', utc)],
    ['an RRULE by days', rrule('FREQ=DAILY', '2026-01-01T09:00', utc)],
    ['an RRULE by weeks', rrule('FREQ=WEEKLY;BYDAY=MO,FR', '2026-01-01T09:00', utc)],
    ['an RRULE by months', rrule('FREQ=MONTHLY;BYDAY=-1FR', '2026-01-01T09:00', utc)],
    ['an RRULE by years', rrule('FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=14', '2026-01-01T09:00', london)],
    ['a calendar rule without holidays', monthly([])],
  ]
  for (const [what, recurrence] of endless)
    it(`does not end in silence: ${what}`, () => {
      for (const after of far) {
        const next = nextAfter(recurrence, instant(after))
        expect(next, after).to.be.a('string')
        expect(previousBefore(recurrence, plus(next!, { seconds: 1 })), after).to.equal(next)
        // Within a leap cycle, however rare it is.
        expect(toMillis(next!) - toMillis(instant(after))).to.be.below(9 * 366 * 86_400_000)
      }
    })

  it('falls on the weekday that it names, whatever the year', () => {
    for (const after of far)
      expect(new Date(nextAfter(cron('0 9 * * MON', utc), instant(after))!).getUTCDay(), after).to.equal(1)
  })

  it('is refused where nobody knows the holidays', () => {
    const inLondon = monthly(['London'])
    expect(codeOf(() => nextAfter(inLondon, instant('2099-12-30T00:00Z')))).to.equal('calendar-out-of-range')
    const ending = { ...inLondon, until: instant('2099-12-01T00:00Z') }
    expect(nextAfter(ending, instant('2099-12-30T00:00Z'))).to.equal(undefined)
    expect(previousBefore(inLondon, instant('2500-01-01T00:00Z'))).to.match(/^2099-1[12]/)
  })
})

describe('a recurrence that cannot be read', () => {
  const refused: readonly [string, Recurrence][] = [
    ['a bad cron field', cron('61 * * * *', utc)],
    ['a cron that depends on the clock', cron('? * * * *', utc)],
    ['an unknown RRULE frequency', rrule('FREQ=FORTNIGHTLY', '2026-01-01T00:00', utc)],
    ['a bad UNTIL', rrule('FREQ=DAILY;UNTIL=tomorrow', '2026-01-01T00:00', utc)],
    ['a repetition without a step', repetition('R5/2026-01-01', utc)],
    ['a repetition with a bad duration', repetition('R5/2026-01-01T00:00/1M', utc)],
    ['a repetition in UTC with another zone', repetition('R5/2026-01-01T00:00Z/P1M', london)],
    ['an endless repetition towards an end', repetition('R/P1M/2026-01-01T00:00', utc)],
    ['an interval of nothing', everyInterval({ seconds: 0 }, start)],
    ['a count with nothing to count from', cron('0 9 * * *', utc, { count: 3 })],
    ['a count beyond all bounds', everyInterval({ seconds: 1 }, start, { count: 1_000_000 })],
    ['a cron on a day that no month has', cron('0 9 30 2 *', utc)],
    ['a cron on such a day in a zone', cron('0 9 31 4 *', london)],
    ['a cron in years that are over', cron('0 0 9 1 1 * 2020', utc, { from: start })],
    ['an RRULE on a day that no month has', rrule('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2026-01-01T00:00', utc)],
    ['an RRULE on such a day, asked day by day', rrule('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', '2026-01-01T00:00', utc)],
    ['an RRULE that ends before it begins', rrule('FREQ=DAILY;UNTIL=20250101', '2026-01-01T00:00', utc)],
    [
      'bounds that leave no time',
      everyInterval({ hours: 1 }, start, { from: instant('2026-02-01T00:01Z'), until: instant('2026-02-01T00:02Z') }),
    ],
    ['a list that is empty', atInstants([])],
    ['a list whose instants are all left out', { ...atInstants([start]), except: { instants: [start] } }],
    ['a count of none', everyInterval({ hours: 1 }, start, { count: 0 })],
  ]
  for (const [what, recurrence] of refused)
    it(`is refused: ${what}`, () => {
      expect(codeOf(() => checkRecurrence(recurrence))).to.equal('recurrence-invalid')
    })

  it('is refused by the codec when its zone does not exist', () => {
    expect(isLeft(RecurrenceC.decode({ rule: { kind: 'cron', expression: '* * * * *', zone: 'Europe/Atlantis' } }))).to
      .be.true
  })

  it('is refused by its constructor when a zone, a date or a time does not exist', () => {
    expect(codeOf(() => cron('* * * * *', 'Europe/Atlantis'))).to.equal('recurrence-invalid')
    expect(codeOf(() => rrule('FREQ=DAILY', '2026-02-30T00:00', utc))).to.equal('recurrence-invalid')
  })

  it('says that months have no fixed length', () => {
    expect(codeOf(() => everyInterval({ months: 1 }, start))).to.equal('recurrence-invalid')
  })

  it('refuses to list without end', () => {
    const rule = everyInterval({ seconds: 1 }, start)
    expect(codeOf(() => allBetween(rule, start, instant('2026-01-02T00:00Z')))).to.equal('recurrence-invalid')
  })
})
