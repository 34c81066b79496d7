import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { CarillonError, NodeFault } from './CarillonError.js'
import { deciding, orThrow } from './Decision.js'

const refusal = new CarillonError('state-consumed', 'It was consumed.')

const decide = deciding((thrown: Error | undefined): string => {
  if (thrown !== undefined) throw thrown
  return 'decided'
})

describe('A decider', () => {
  it('returns what it has decided', () => {
    expect(decide(undefined)).to.deep.equal(right('decided'))
  })

  it('returns a refusal, and does not throw it', () => {
    expect(decide(refusal)).to.deep.equal(left(refusal))
  })

  it('lets pass what is no refusal: an error of the node, and what code of an app has thrown', () => {
    const caughtFrom = (thrown: Error): unknown => {
      try {
        return decide(thrown)
      } catch (error) {
        return error
      }
    }
    for (const thrown of [new NodeFault('invariant-broken', 'Broken.'), new TypeError('no function')])
      expect(caughtFrom(thrown)).to.equal(thrown)
  })

  it('ends with the refusal of a decision that it is made of', () => {
    expect(orThrow(decide(undefined))).to.equal('decided')
    expect(() => orThrow(decide(refusal))).to.throw(CarillonError, 'It was consumed.')
    expect(deciding(() => orThrow(decide(refusal)))()).to.deep.equal(left(refusal))
  })
})
