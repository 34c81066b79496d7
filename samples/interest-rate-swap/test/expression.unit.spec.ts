import { expect } from 'chai'
import { localDate as day } from 'carillon/calendars'
import { generate } from '../schedule.js'
import { evaluate, parseExpression } from '../terms/expression.js'
import { exampleTrade } from '../trades.js'
import { parties } from './parties.js'

const terms = exampleTrade(parties)
const swap = { ...terms, calculation: generate(terms) }
const value = (expression: string): string => evaluate(expression, swap, day('2016-09-15')).toString()

describe('expressions over a trade', () => {
  it('reckon exactly', () => {
    expect(value('notional.minor')).to.equal('2500000000')
    expect(value('notional.minor * 10')).to.equal('25000000000')
    expect(value('notional.minor * fixed.rate')).to.equal('41900000')
    expect(value('1 - 2 - 3')).to.equal('-4')
    expect(value('-(1 + 2) * 3 / 4')).to.equal('-2.25')
    expect(value('0.1 + 0.2')).to.equal('0.3')
  })

  it('choose', () => {
    expect(value("notional.currency == 'GBP' ? 365 : 360")).to.equal('360')
    expect(value("notional.currency == 'EUR' && 1 < 2 ? fixed.rate : 0")).to.equal('0.01676')
    expect(value('!(1 >= 2) || false')).to.equal('true')
  })

  it('of the trade itself can be evaluated on any day', () => {
    expect(value(swap.calculation.expression)).to.equal('41900000')
    expect(value(swap.common.creditSupport.dailyInterestAmount)).to.equal('0')
  })

  it('reach nothing but what they are given, and say where they cannot be read', () => {
    for (const name of ['constructor', 'notional.constructor', 'notional', 'fixed.rate.d', '__proto__'])
      expect(() => value(name), name).to.throw(/There is no|cannot be read/)
    for (const text of ['', '1 +', '(1', '-'.repeat(100) + '1', '1)', 'a ? b', '1 $ 2', "'open", '1 2'])
      expect(() => parseExpression(text), text).to.throw(SyntaxError)
    expect(() => parseExpression(`${'('.repeat(100)}1${')'.repeat(100)}`)).to.throw(SyntaxError)
    expect(() => value("1 + 'a'")).to.throw(TypeError)
    expect(() => value('1 ? 2 : 3')).to.throw(TypeError)
  })
})
