import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { holidaysSource } from '../../../scripts/makeHolidays.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { endOfMonth, isEndOfMonth } from '../dates.js'
import type { LocalDate } from '../LocalTime.js'
import { addBusinessDays, isBusinessDay, rollDate, unionOf, type Roll } from './BusinessCalendar.js'

const day = (text: string): LocalDate => text as LocalDate

describe('business calendars', () => {
  it('London closes for its bank holidays, those moved for jubilees included', () => {
    for (const date of ['2011-04-29', '2012-06-04', '2012-06-05', '2022-09-19', '2023-05-08', '2026-12-28'])
      expect(isBusinessDay(['London'], day(date)), date).to.be.false
    expect(isBusinessDay(['London'], day('2012-05-28'))).to.be.true
  })

  it('New York closes on the Monday after a Sunday, but not on the Friday before a Saturday', () => {
    expect(isBusinessDay(['NewYork'], day('2027-07-05'))).to.be.false
    expect(isBusinessDay(['NewYork'], day('2026-07-03'))).to.be.true
    expect(isBusinessDay(['NewYork'], day('2027-12-24'))).to.be.true
  })

  it('TARGET closes on six days a year', () => {
    for (const date of ['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-01', '2026-12-25'])
      expect(isBusinessDay(['TARGET'], day(date)), date).to.be.false
    expect(isBusinessDay(['TARGET'], day('2026-05-04'))).to.be.true
  })

  it('weekends are closed everywhere, also where no centre is named', () => {
    expect(isBusinessDay([], day('2026-03-07'))).to.be.false
    expect(isBusinessDay([], day('2026-03-08'))).to.be.false
    expect(isBusinessDay([], day('2026-03-09'))).to.be.true
  })

  it('a union is open only when all its centres are', () => {
    const both = unionOf(['London'], ['NewYork', 'London'])
    expect(both).to.deep.equal(['London', 'NewYork'])
    expect(isBusinessDay(both, day('2026-05-04'))).to.be.false
    expect(isBusinessDay(both, day('2026-11-26'))).to.be.false
  })

  it('rolls by each convention', () => {
    // Saturday 31 January 2026, and Sunday 1 February 2026.
    const cases: readonly [Roll, string, string][] = [
      ['following', '2026-01-31', '2026-02-02'],
      ['modified-following', '2026-01-31', '2026-01-30'],
      ['previous', '2026-02-01', '2026-01-30'],
      ['modified-previous', '2026-02-01', '2026-02-02'],
      ['none', '2026-02-01', '2026-02-01'],
      ['following', '2026-02-02', '2026-02-02'],
    ]
    for (const [roll, from, to] of cases) expect(rollDate(['London'], roll, day(from)), roll).to.equal(to)
  })

  it('counts business days both ways', () => {
    expect(addBusinessDays(['London'], day('2026-04-02'), 2)).to.equal('2026-04-08')
    expect(addBusinessDays(['London'], day('2026-04-08'), -2)).to.equal('2026-04-02')
    expect(addBusinessDays(['London'], day('2026-04-03'), 0)).to.equal('2026-04-03')
    expect(addBusinessDays(['London'], day('2026-04-03'), 1)).to.equal('2026-04-07')
  })

  it('knows the ends of months', () => {
    expect(isEndOfMonth(day('2024-02-29'))).to.be.true
    expect(isEndOfMonth(day('2024-02-28'))).to.be.false
    expect(endOfMonth(day('2026-02-05'))).to.equal('2026-02-28')
  })

  it('refuses to guess about years it has no holidays for', () => {
    expect(() => isBusinessDay(['London'], day('2100-01-04'))).to.throw(CarillonError, /2000 to 2099/)
  })

  it('holds exactly the days that the holiday library and our corrections give', async function () {
    expect(readFileSync('src/time/calendars/holidays.ts', 'utf8')).to.equal(await holidaysSource())
  })
})
