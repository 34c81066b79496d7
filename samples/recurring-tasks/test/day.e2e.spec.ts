import { expect } from 'chai'
import { showDay } from '../day.js'

describe('the day the sample shows', function () {
  it('ends with an account of all 31 executions', async () => {
    const lines: string[] = []
    await showDay((line) => lines.push(line))
    expect(lines).to.include('         executed 24, failed 2, missed 5')
    expect(lines.some((line) => line.includes('all together 31 of 31 executions, none of them twice'))).to.equal(true)
    expect(lines.some((line) => line.includes('PastTime'))).to.equal(true)
  })
})
