import { expect } from 'chai'
import { sparkline } from './sparkline.js'

describe('a line of little bars', () => {
  it('has a column for each number, the largest full, and tells nothing from little', () => {
    expect(sparkline([0, 1, 50, 100])).to.equal('·▁▅█')
    expect(sparkline([])).to.equal('')
    expect(sparkline([0, 0])).to.equal('··')
  })
})
