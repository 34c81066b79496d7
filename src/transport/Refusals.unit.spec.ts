/** How many lines what is refused on the network writes. */
import { expect } from 'chai'
import { silentLogger } from '../engine/Logger.js'
import { limitsOf } from '../limits.js'
import { transportLimits } from './limits.js'
import { Refusals } from './Refusals.js'

describe('What is refused on the network', () => {
  const lines: string[] = []
  const refusals = (): Refusals => {
    lines.length = 0
    const logger = { ...silentLogger, warn: (line: string): void => void lines.push(line) }
    return new Refusals(logger, limitsOf('transport', transportLimits, undefined))
  }

  it('is told in few lines of one side, also where no two of them are the same', () => {
    const told = refusals()
    for (let bytes = 0; bytes < 10_000; bytes++) told.tell('Mallory', `It announces ${bytes} bytes.`)
    expect(lines).to.have.lengthOf.within(1, 10)
    told.tell('Alice', 'It greets a second time.')
    expect(lines.at(-1), 'what is said about others is not hidden by it').to.equal('Alice: It greets a second time.')
  })

  it('is told in few lines of strangers, however many addresses they have, and hides none about members', () => {
    const told = refusals()
    for (let address = 0; address < 10_000; address++) told.tellOfStranger(`2001:db8::${address.toString(16)}`, 'No.')
    expect(lines).to.have.lengthOf.within(1, 200)
    told.tell('Mallory', 'It greets a second time.')
    expect(lines.at(-1)).to.contain('Mallory')
  })

  it('is told once, and then with how often it was left out', () => {
    const logger = { ...silentLogger, warn: (line: string): void => void lines.push(line) }
    lines.length = 0
    const told = new Refusals(logger, limitsOf('transport', transportLimits, { refusalLineMs: 1 }))
    const wait = (): void => {
      for (const endMs = performance.now() + 2; performance.now() < endMs;);
    }
    for (let each = 0; each < 100; each++) told.tell('Mallory', 'No.')
    wait()
    told.tell('Mallory', 'No.')
    const counted = lines.map((line) => Number(/\((\d+) times more/.exec(line)?.[1] ?? 0) + 1)
    expect(counted.reduce((sum, each) => sum + each, 0)).to.equal(101)
  })
})
