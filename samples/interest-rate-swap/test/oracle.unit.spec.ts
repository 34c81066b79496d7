import { expect } from 'chai'
import { localDate as day, tenor } from 'carillon/calendars'
import { naturalCubicSpline, rateOn, type RateSheetData } from '../oracle/RateSheet.js'
import { rate } from '../money.js'
import { testParty as party } from 'carillon/testing'

const points = (...ys: readonly number[]) => ys.map((y, index) => ({ x: index + 1, y }))
const between = [1.5, 2.5, 2.8, 3.3, 3.7, 4.3, 4.7]

describe('interpolation', () => {
  it('goes along a natural cubic spline', () => {
    const curve = naturalCubicSpline(points(2, 4, 5, 11, 10))
    const expected = [3.28, 4.03, 4.37, 6.7, 9.46, 11.5, 10.91]
    between.forEach((x, index) => expect(curve(x), String(x)).to.be.closeTo(expected[index] ?? 0, 0.01))
    expect(curve(1)).to.equal(2)
    expect(curve(4)).to.equal(11)
    expect(naturalCubicSpline(points(2, 4, 5, 11, 10).reverse())(1.5), 'in any order').to.be.closeTo(3.28, 0.01)
  })

  it('needs three points, each in a place of its own, and guesses nothing outside them', () => {
    expect(() => naturalCubicSpline(points(1, 2))).to.throw(RangeError, /needs 3/)
    const curve = naturalCubicSpline(points(1, 2, 3))
    expect(() => curve(0.99)).to.throw(RangeError, /outside/)
    expect(() => curve(3.01)).to.throw(RangeError, /outside/)
    expect(() => naturalCubicSpline([...points(1, 2), { x: 2, y: 3 }])).to.throw(RangeError, /same place/)
  })
})

describe('a sheet of rates', () => {
  const sheet = (onDay: string, rates: Readonly<Record<string, string>>): RateSheetData => ({
    oracle: party('Oracle'),
    index: 'LIBOR',
    day: day(onDay),
    rates: Object.entries(rates).map(([of, value]) => ({ tenor: tenor(of), rate: rate(value) })),
  })
  const libor = sheet('2016-03-16', { '1M': '0.678', '2M': '0.685', '1Y': '0.890', '2Y': '0.962' })

  it('knows what was announced, and what lies between', () => {
    expect(rateOn(libor, tenor('1M'))).to.equal('0.678')
    expect(Number(rateOn(libor, tenor('5M')))).to.be.closeTo(0.7316228, 1e-7)
  })

  it('does not guess from two points, nor outside of what was announced', () => {
    expect(rateOn(sheet('2016-03-15', { '1M': '0.123', '2M': '0.111' }), tenor('3M'))).to.be.undefined
    expect(rateOn(libor, tenor('1W'))).to.be.undefined
    expect(rateOn(libor, tenor('5Y'))).to.be.undefined
    // Two tenors that end on one day are one point.
    expect(rateOn(sheet('2016-03-16', { '1Y': '1', '12M': '1', '2Y': '2' }), tenor('18M'))).to.be.undefined
  })
})
