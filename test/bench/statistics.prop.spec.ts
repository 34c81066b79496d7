import { expect } from 'chai'
import * as fc from 'fast-check'
import { spread } from '../../bench/statistics.js'

describe('The spread of the repetitions of a benchmark', () => {
  it('can be written down as JSON, whatever was measured', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }), (values) => {
        expect(JSON.parse(JSON.stringify(spread(values)))).to.equal(spread(values))
      }),
    )
  })

  it('is none where all are the same, be they 0', () => {
    expect(spread([0, 0, 0])).to.equal(0)
    expect(spread([2, 2])).to.equal(0)
    expect(spread([1, 2, 3])).to.equal(1)
  })
})
