/** Whatever a recurrence says, a question about it is answered or refused with `recurrence-invalid`, and soon. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { instant, instantFromMillis, latestInstantMs, type Instant } from '../Instant.js'
import { allBetween, checkRecurrence, nextAfter, portionBetween, preview, previousBefore } from './occurrences.js'
import { RecurrenceC, type Recurrence } from './Recurrence.js'

/** Time of the processor, for others may use the machine too: above what any of these takes, and far below a lease. */
const patienceMs = 4_000
const usedMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const latest = instantFromMillis(latestInstantMs)
const questions: Readonly<Record<string, (recurrence: Recurrence, at: Instant) => unknown>> = {
  checkRecurrence,
  nextAfter,
  previousBefore,
  preview: (recurrence, at) => preview(recurrence, at, 100),
  portionBetween: (recurrence, at) => portionBetween(recurrence, at, latest, 100),
}

/** Asks everything, and gives the codes of the refusals. */
const ask = (recurrence: Recurrence, at: Instant): readonly string[] =>
  Object.entries(questions).flatMap(([name, question]) => {
    const startMs = usedMs()
    let code = 'answered'
    try {
      question(recurrence, at)
    } catch (error) {
      if (!(error instanceof CarillonError)) throw error
      code = error.code
    }
    const tookMs = usedMs() - startMs
    expect(tookMs, `${name} of ${JSON.stringify(recurrence).slice(0, 300)}: ${code}`).to.be.below(patienceMs)
    expect(code).to.be.oneOf(['answered', 'recurrence-invalid', 'calendar-out-of-range'])
    return code === 'answered' ? [] : [code]
  })

const decoded = (value: unknown): Recurrence => {
  const read = RecurrenceC.decode(value)
  if (!isRight(read)) throw new Error(`no recurrence: ${JSON.stringify(value).slice(0, 300)}`)
  return read.right
}

const now = instant('2026-03-01T00:00Z')
const phase = '2026-01-01T00:00:00.000Z'
const zone = 'Europe/London'
const dayMs = 86_400_000
const dates = (first: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => new Date(Date.parse(first) + index * dayMs).toISOString().slice(0, 10))
const days = (first: string, count: number, of = zone) => ({ days: { zone: of, dates: dates(first, count) } })
const year = 31_536_000_000
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).join(',')
const rrule = (rule: string, start = '2026-01-01T00:00:00') => ({ kind: 'rrule', rule, start, zone })
const cron = (expression: string, of = zone) => ({ kind: 'cron', expression, zone: of })
const interval = (everyMs: number) => ({ kind: 'interval', everyMs, phase })

const hostile: Readonly<Record<string, unknown>> = {
  'a millisecond with jitter of a year': { rule: interval(1), jitter: { seed: 'x', upToMs: year } },
  'a second with jitter of a year': { rule: interval(1_000), jitter: { seed: 'x', upToMs: year } },
  'a second with jitter beyond all time': { rule: interval(1_000), jitter: { seed: 'x', upToMs: 2 ** 53 - 1 } },
  'jitter into the past': { rule: interval(1_000), jitter: { seed: 'x', upToMs: -year } },
  'a second, and twenty years of days excluded': { rule: interval(1_000), except: days('2026-01-01', 7_300) },
  'a cron of every second, and twenty years excluded': { rule: cron('* * * * * *'), except: days('2026-01-01', 7_300) },
  'every second day excluded': {
    rule: interval(1_000),
    except: { days: { zone, dates: dates('2026-01-01', 7_000).filter((_, index) => index % 2 === 0) } },
  },
  'all Mondays excluded of a Monday rule': {
    rule: cron('0 0 * * MON'),
    except: { days: { zone, dates: dates('2026-01-05', 7_000).filter((_, index) => index % 7 === 0) } },
  },
  'many instants excluded': {
    rule: interval(1_000),
    except: {
      instants: Array.from({ length: 7_000 }, (_, index) => instantFromMillis(Date.parse(phase) + index * 1_000)),
    },
  },
  'the end of the calendar': {
    rule: interval(1_000),
    from: '9999-12-31T23:59:59.000Z',
    jitter: { seed: 'x', upToMs: year },
  },
  'an interval longer than all time': { rule: interval(2 ** 53 - 1) },
  'a count of ten thousand rare days': { rule: rrule('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29'), count: 10_000 },
  'a count of ten thousand cron leap days': { rule: cron('0 0 29 2 *'), from: phase, count: 10_000 },
  '30 February by cron': { rule: cron('0 0 30 2 *') },
  '31 February by cron with seconds': { rule: cron('* * * 31 2 *') },
  '31 February by rule': { rule: rrule('FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=31') },
  '31 February by day': { rule: rrule('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31') },
  'a huge BYSETPOS': { rule: rrule('FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366') },
  'a BYSETPOS that no set has': { rule: rrule('FREQ=MONTHLY;BYDAY=MO;BYSETPOS=300') },
  'a BYSETPOS out of range': { rule: rrule('FREQ=MONTHLY;BYDAY=MO;BYSETPOS=99999999') },
  'every second of every year by lists': {
    rule: rrule(
      `FREQ=YEARLY;BYHOUR=${numbers(0, 23)};BYMINUTE=${numbers(0, 59)};BYSECOND=${numbers(0, 59)};BYSETPOS=366`,
    ),
  },
  'every minute of every year by lists, and one of them': {
    rule: rrule(`FREQ=YEARLY;BYYEARDAY=${numbers(1, 366)};BYHOUR=${numbers(0, 23)};BYSETPOS=-1`),
  },
  'a list longer than any': { rule: rrule(`FREQ=YEARLY;BYYEARDAY=${Array(50_000).fill('1').join(',')}`) },
  'an expression longer than any': { rule: cron(`${Array(50_000).fill('1').join(',')} * * * *`) },
  'two thousand million times': { rule: rrule('FREQ=SECONDLY;COUNT=2000000000') },
  'many times of a rare rule': { rule: rrule('FREQ=MONTHLY;BYDAY=-1FR;COUNT=9999', '0001-01-01T00:00:00') },
  'seconds since the year 1': { rule: rrule('FREQ=SECONDLY;BYSECOND=7', '0001-01-01T00:00:00') },
  'months since the year 1': { rule: { kind: 'repetition', iso: 'R/0001-01-31T00:00:00/P1M', zone } },
  'a step of a millisecond': { rule: { kind: 'repetition', iso: 'R/2026-01-01T00:00:00/PT0.001S', zone } },
  'a step that goes back': { rule: { kind: 'repetition', iso: 'R/2026-01-31T00:00:00/P1M-29D', zone } },
  'a repetition from before all time': {
    rule: { kind: 'repetition', iso: 'R99999999999999/P1Y/2026-01-31T00:00:00', zone },
  },
  'a count longer than any number': { rule: { kind: 'repetition', iso: `R${'9'.repeat(400)}/2026-01-01/P1D`, zone } },
  'a cron in years long gone': { rule: cron('0 0 0 1 1 * 1-1900') },
  'a cron that names every year': { rule: cron('0 0 0 30 2 * 1-9999') },
  'a day that was never there': { rule: cron('* * * * * *', 'Pacific/Apia'), from: '2011-12-29T00:00:00.000Z' },
}

describe('a recurrence of someone who means no good', function () {
  for (const [what, value] of Object.entries(hostile))
    it(`is answered or refused soon: ${what}`, () => {
      for (const at of [now, instant('2011-12-30T09:59Z'), latest]) ask(decoded(value), at)
    })

  it('with an interval below a second is refused, and so is a step of a repetition', () => {
    for (const rule of [interval(999), { kind: 'repetition', iso: 'R/2026-01-01T00:00:00/PT0.9S', zone }])
      expect([...new Set(ask(decoded({ rule }), now))]).to.deep.equal(['recurrence-invalid'])
  })

  it('that needs more steps than a question has is refused, whoever asks', () => {
    const rule = rrule('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29')
    expect([...new Set(ask(decoded({ rule, count: 10_000 }), now))]).to.deep.equal(['recurrence-invalid'])
  })

  it('finds what comes after excluded days, however dense the rule and however many the days', () => {
    for (const rule of [interval(1_000), cron('* * * * * *')]) {
      const recurrence = decoded({ rule, except: days('2026-01-01', 7_300) })
      expect(nextAfter(recurrence, now)).to.equal('2045-12-27T00:00:00.000Z')
      expect(previousBefore(recurrence, instant('2045-12-27T00:00Z'))).to.equal('2025-12-31T23:59:59.000Z')
      expect(checkRecurrence(recurrence)).to.equal(recurrence)
    }
  })

  it('leaves out a day with a change of clocks as a whole, and nothing of the days beside it', () => {
    for (const [of, date] of [
      ['Europe/London', '2026-03-29'],
      ['Europe/London', '2026-10-25'],
      ['America/St_Johns', '2010-11-06'],
      ['America/St_Johns', '2010-11-07'],
      ['Pacific/Apia', '2011-12-29'],
    ] as const) {
      const all = decoded({ rule: { ...interval(60_000), phase: '2010-01-01T00:00:00.000Z' } })
      const less = { ...all, except: decoded({ rule: interval(1_000), except: days(date, 1, of) }).except! }
      const from = instantFromMillis(Date.parse(date) - 2 * dayMs)
      const until = instantFromMillis(Date.parse(date) + 3 * dayMs)
      const local = new Intl.DateTimeFormat('en-CA', { timeZone: of, dateStyle: 'short' })
      const expected = allBetween(all, from, until).filter((at) => local.format(Date.parse(at)) !== date)
      expect(allBetween(less, from, until), `${of} ${date}`).to.deep.equal(expected)
      const back: Instant[] = []
      for (let at = previousBefore(less, until); at !== undefined && at >= from; at = previousBefore(less, at))
        back.push(at)
      expect(back.reverse(), `${of} ${date} backwards`).to.deep.equal(expected.filter((at) => at < until))
    }
  })

  it('is put off by less than the time to its next occurrence, however large its jitter is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 10_000_000 }),
        fc.maxSafeNat(),
        fc.string(),
        (everyMs, upToMs, seed) => {
          const plain = decoded({ rule: interval(everyMs) })
          const jittered = decoded({ rule: interval(everyMs), jitter: { seed, upToMs } })
          const expected = preview(plain, now, 20)
          const from = expected[0]!
          preview(jittered, instantFromMillis(Date.parse(from) - 1), 19).forEach((at, index) => {
            expect(at >= expected[index]!).to.equal(true)
            expect(at < expected[index + 1]!).to.equal(true)
          })
        },
      ),
      { numRuns: 50 },
    )
  })

  const aHostile = fc.record(
    {
      rule: fc.oneof(
        fc.record({
          kind: fc.constant('interval'),
          everyMs: fc.oneof(fc.nat(2_000), fc.maxSafeNat()),
          phase: fc.constant(phase),
        }),
        fc.record({
          kind: fc.constant('cron'),
          expression: fc
            .tuple(
              fc.constantFrom('*', '0', '*/59', '7'),
              fc.constantFrom('*', '0', '59'),
              fc.constantFrom('*', '0', '2'),
              fc.constantFrom('*', '29', '30', '31', 'L', '31W'),
              fc.constantFrom('*', '2', '4', '2,4,6'),
              fc.constantFrom('*', 'MON#5', '+MON', '1L'),
            )
            .map((fields) => fields.join(' ')),
          zone: fc.constantFrom('UTC', zone, 'Pacific/Apia'),
        }),
        fc.record({
          kind: fc.constant('rrule'),
          rule: fc
            .tuple(
              fc.constantFrom('SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
              fc.constantFrom('', ';INTERVAL=7', ';INTERVAL=99999'),
              fc.constantFrom('', ';BYMONTH=2', ';BYMONTH=2,4'),
              fc.constantFrom('', ';BYMONTHDAY=29', ';BYMONTHDAY=31', ';BYMONTHDAY=-31'),
              fc.constantFrom('', ';BYDAY=MO', ';BYDAY=MO,TU,WE,TH,FR,SA,SU'),
              fc.constantFrom('', `;BYMINUTE=${numbers(0, 59)}`, `;BYHOUR=${numbers(0, 23)}`),
              fc.constantFrom('', ';BYSETPOS=1', ';BYSETPOS=-1', ';BYSETPOS=366', ';BYSETPOS=5000'),
              fc.constantFrom('', ';COUNT=9999', ';UNTIL=20300101'),
            )
            .map(([freq, ...rest]) => `FREQ=${freq}${rest.join('')}`),
          start: fc.constantFrom('0001-01-01T00:00:00', '2026-01-01T00:00:00', '9999-12-31T00:00:00'),
          zone: fc.constantFrom('UTC', zone),
        }),
        fc.record({
          kind: fc.constant('repetition'),
          iso: fc
            .tuple(fc.constantFrom('R', 'R0', 'R7', 'R9999999'), fc.constantFrom('PT1S', 'P1M', 'P9999Y', 'P1M-1D'))
            .map(([count, step]) => `${count}/2026-01-31T09:00:00/${step}`),
          zone: fc.constantFrom('UTC', zone),
        }),
      ),
      from: fc.constantFrom('0000-01-01T00:00:00.000Z', phase, '9999-12-31T00:00:00.000Z'),
      until: fc.constantFrom('0000-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'),
      count: fc.constantFrom(0, 1, 100, 10_000),
      except: fc.constantFrom(days('2026-01-01', 4_000), days('2026-02-28', 2)),
      jitter: fc.record({ seed: fc.string(), upToMs: fc.oneof(fc.nat(10_000), fc.maxSafeNat()) }),
    },
    { requiredKeys: ['rule'] },
  )

  it('is answered or refused soon, whatever it is', () => {
    fc.assert(
      fc.property(aHostile, fc.constantFrom(now, instant('0000-01-01T00:00Z'), latest), (value, at) => {
        ask(decoded(value), at)
      }),
      { numRuns: 20 },
    )
  })
})
