import { expect } from 'chai'
import fc from 'fast-check'
import { CarillonError } from '../../errors/CarillonError.js'
import { addDays, addMonths, daysBetween } from '../dates.js'
import { instantIn } from '../instantIn.js'
import { localDate as day, timeOfDay, type LocalDate } from '../LocalTime.js'
import { zone } from '../Zone.js'
import { addBusinessDays, isBusinessDay, rollDate, unionOf, type Roll } from './BusinessCalendar.js'
import { addPeriods, type Frequency } from './Frequency.js'
import { periodsBetween, type PeriodsOptions, type Stub } from './periods.js'
import { addTenor, maturityOf, tenor, TenorC } from './Tenor.js'

describe('tenors', () => {
  it('are ON or a count of days, weeks, months or years', () => {
    for (const text of 'ON 1D 2D 3D 4D 5D 6D 7D 1W 2W 3W 1M 3M 6M 1Y 2Y 3Y 5Y 10Y 12Y 20Y'.split(' '))
      expect(TenorC.is(text), text).to.be.true
    for (const text of 'W M D Z 2Q p0 W1 0D -1M 3m'.split(' ').concat('', '1M '))
      expect(TenorC.is(text), text).to.be.false
    expect(() => tenor('2Q')).to.throw(CarillonError, /Write it as ON/)
  })

  it('mature on a business day', () => {
    expect(maturityOf(tenor('1M'), day('2016-02-27'), ['London'])).to.equal('2016-03-29')
    expect(daysBetween(day('2016-02-27'), day('2016-03-29'))).to.equal(31)
    expect(addTenor(day('2016-01-31'), tenor('1M'))).to.equal('2016-02-29')
    expect(addTenor(day('2016-02-29'), tenor('1Y'))).to.equal('2017-02-28')
    expect(addTenor(day('2016-02-29'), tenor('2W'))).to.equal('2016-03-14')
    expect(addTenor(day('2016-02-29'), tenor('ON'))).to.equal('2016-03-01')
  })
})

describe('business days', () => {
  it('are counted from the day after, and none of them leaves the date as it is', () => {
    const from = (start: string, sign: 1 | -1): readonly string[] =>
      [0, 1, 2, 3, 4, 5, 6, 7].map((days) => addBusinessDays(['London'], day(start), sign * days).slice(8))
    expect(from('2015-12-20', 1).join(' ')).to.equal('20 21 22 23 24 29 30 31')
    expect(from('2015-12-31', -1).join(' ')).to.equal('31 30 29 24 23 22 21 18')
  })

  it('are what dates roll to', () => {
    const cases: readonly [string, Roll, string][] = [
      ['2016-12-25', 'modified-following', '2016-12-28'],
      ['2016-12-31', 'modified-following', '2016-12-30'],
      ['2016-01-01', 'modified-previous', '2016-01-04'],
      ['2016-12-25', 'previous', '2016-12-23'],
      ['2016-12-25', 'following', '2016-12-28'],
      ['2016-12-25', 'none', '2016-12-25'],
    ]
    for (const [from, roll, to] of cases) expect(rollDate(['London'], roll, day(from)), roll).to.equal(to)
  })

  it('are those of every centre of a union', () => {
    const both = unionOf(['London'], ['NewYork'])
    for (const date of ['2016-07-04', '2016-08-29', '2016-12-27'])
      expect(isBusinessDay(both, day(date)), date).to.be.false
    expect(isBusinessDay(['London'], day('2016-07-04'))).to.be.true
  })
})

describe('an instant in a zone', () => {
  it('is what the clocks there show, in winter and in summer', () => {
    const london = zone('Europe/London')
    expect(instantIn(london, day('2016-03-09'), timeOfDay('11:45'))).to.equal('2016-03-09T11:45:00.000Z')
    expect(instantIn(london, day('2016-06-09'), timeOfDay('11:45'))).to.equal('2016-06-09T10:45:00.000Z')
    expect(instantIn(london, day('2016-03-27'), timeOfDay('01:30')), 'jumped over').to.equal('2016-03-27T01:30:00.000Z')
    expect(instantIn(london, day('2016-10-30'), timeOfDay('01:30')), 'twice').to.equal('2016-10-30T00:30:00.000Z')
  })
})

const cut = (options: Partial<PeriodsOptions> & { readonly from: LocalDate; readonly until: LocalDate }) =>
  periodsBetween({ frequency: 'quarterly', calendar: [], roll: 'none', ...options })
const ends = (options: Parameters<typeof cut>[0]): readonly string[] => cut(options).map(({ to }) => to)

describe('periods', () => {
  it('are reckoned from the first day, so that a short month does not shorten those after it', () => {
    const span = { from: day('2016-01-31'), until: day('2016-06-30'), frequency: 'monthly' } as const
    expect(ends(span)).to.deep.equal(['2016-02-29', '2016-03-31', '2016-04-30', '2016-05-31', '2016-06-30'])
    const fromFebruary = { ...span, from: day('2016-02-29') }
    expect(ends(fromFebruary)).to.deep.equal(['2016-03-29', '2016-04-29', '2016-05-29', '2016-06-29', '2016-06-30'])
    expect(ends({ ...fromFebruary, endOfMonth: true })).to.deep.equal([
      '2016-03-31',
      '2016-04-30',
      '2016-05-31',
      '2016-06-30',
    ])
    expect(addMonths(day('2016-03-31'), -1)).to.equal('2016-02-29')
    expect(addPeriods(day('2016-01-15'), 'annual', -2)).to.equal('2014-01-15')
  })

  it('never end on a holiday', () => {
    const monthly = { frequency: 'monthly', calendar: ['London'], roll: 'following' } as const
    expect(ends({ from: day('2014-11-25'), until: day('2015-11-25'), ...monthly })).not.to.include('2015-01-25')
    expect(ends({ from: day('2015-11-25'), until: day('2016-11-25'), ...monthly })).not.to.include('2015-12-25')
  })

  it('put the odd one where they are told, short or long', () => {
    const span = { from: day('2016-01-01'), until: day('2016-11-01') }
    const cases: readonly [Stub, readonly string[]][] = [
      ['short-last', ['2016-04-01', '2016-07-01', '2016-10-01', '2016-11-01']],
      ['long-last', ['2016-04-01', '2016-07-01', '2016-11-01']],
      ['short-first', ['2016-02-01', '2016-05-01', '2016-08-01', '2016-11-01']],
      ['long-first', ['2016-05-01', '2016-08-01', '2016-11-01']],
    ]
    for (const [stub, expected] of cases) expect(ends({ ...span, stub }), stub).to.deep.equal(expected)
    for (const [stub] of cases)
      expect(ends({ from: day('2016-01-01'), until: day('2016-07-01'), stub }), stub).to.deep.equal([
        '2016-04-01',
        '2016-07-01',
      ])
  })

  it('refuse a span without a business day, or with more periods than anyone wants', () => {
    expect(() => cut({ from: day('2016-05-01'), until: day('2016-05-01') })).to.throw(CarillonError, /no business day/)
    expect(() => cut({ from: day('2016-05-07'), until: day('2016-05-08'), roll: 'previous' })).to.throw(CarillonError)
    expect(() => cut({ from: day('2001-01-01'), until: day('2050-01-01'), frequency: 'daily' })).to.throw(/more than/)
  })

  it('follow one another from the first day to the last, whatever is asked for', () => {
    const frequencies: readonly Frequency[] = [
      'annual',
      'semi-annual',
      'quarterly',
      'monthly',
      'biweekly',
      'weekly',
      'daily',
    ]
    const rolls: readonly Roll[] = ['following', 'modified-following', 'previous', 'modified-previous', 'none']
    const stubs: readonly Stub[] = ['short-last', 'long-last', 'short-first', 'long-first']
    fc.assert(
      fc.property(
        fc.record({
          from: fc.integer({ min: 0, max: 6_000 }).map((days) => addDays(day('2005-01-01'), days)),
          length: fc.integer({ min: 20, max: 2_000 }),
          frequency: fc.constantFrom(...frequencies),
          roll: fc.constantFrom(...rolls),
          calendar: fc.subarray(['London', 'NewYork', 'TARGET'] as const),
          stub: fc.constantFrom(...stubs),
          endOfMonth: fc.boolean(),
        }),
        ({ length, ...options }) => {
          const until = addDays(options.from, length)
          const periods = periodsBetween({ ...options, until })
          expect(periods[0]?.from).to.equal(options.from)
          expect(periods.at(-1)?.to).to.equal(rollDate(options.calendar, options.roll, until))
          periods.forEach(({ from, to }, index) => {
            expect(from < to).to.be.true
            if (index > 0) expect(periods[index - 1]?.to).to.equal(from)
            if (options.roll !== 'none') expect(isBusinessDay(options.calendar, to)).to.be.true
          })
        },
      ),
    )
  })
})
