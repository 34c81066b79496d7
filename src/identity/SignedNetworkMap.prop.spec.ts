/** What a signed network map promises: it is taken as the root signed it, or not at all. */
import { expect } from 'chai'
import fc from 'fast-check'
import { CarillonError } from '../errors/CarillonError.js'
import { instant } from '../time/Instant.js'
import { keyPairFromSeed } from './KeyPair.js'
import type { Member } from './NetworkMap.js'
import { openNetworkMap, signNetworkMap } from './SignedNetworkMap.js'

const keyOf = (number: number) => keyPairFromSeed(number.toString(16).padStart(64, '0'))
const root = keyOf(999)
const madeAt = instant('2026-01-01T00:00:00Z')

const codeOf = (action: () => unknown): string | undefined => {
  try {
    action()
    return undefined
  } catch (error) {
    return error instanceof CarillonError ? error.code : String(error)
  }
}

const members = fc
  .uniqueArray(
    fc.string({ minLength: 1 }).filter((name) => name.trim() !== '' && name.isWellFormed()),
    { maxLength: 5 },
  )
  .chain((names) =>
    fc.tuple(
      ...names.map((name, index) =>
        fc.record(
          {
            party: fc.constant({ name, key: keyOf(index).publicKey }),
            address: fc.constant(`127.0.0.1:${index + 1}`),
            notary: fc.constantFrom('validating' as const, 'nonValidating' as const),
          },
          { requiredKeys: ['party'] },
        ),
      ),
    ),
  )

const salt = 'a salt'
const sign = (list: readonly Member[]) => signNetworkMap({ name: 'n', salt, serial: 1, madeAt, members: list }, root)

describe('A signed network map', () => {
  it('is read as it was signed', () => {
    fc.assert(
      fc.property(members, (list) => {
        const { network } = openNetworkMap(JSON.stringify(sign(list)), root.publicKey)
        expect(network.members).to.deep.equal(list)
      }),
      { numRuns: 50 },
    )
  })

  it('never says anything else than what was signed, whatever character was changed', () => {
    const signed = sign([
      { party: { name: 'Alice', key: keyOf(1).publicKey }, address: '127.0.0.1:1000', notary: 'validating' },
    ])
    const text = JSON.stringify(signed)
    let refused = 0
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), fc.constantFrom('0', 'a', 'Z', '"', '}', ' '), (at, character) => {
        const changed = `${text.slice(0, at)}${character}${text.slice(at + 1)}`
        fc.pre(changed !== text)
        try {
          // The last digit of a signature in base64 has bits that mean nothing.
          expect(openNetworkMap(changed, root.publicKey).terms).to.deep.equal(signed.map)
        } catch (error) {
          if (!(error instanceof CarillonError)) throw error
          expect(error.code).to.be.oneOf(['network-map-invalid', 'network-map-untrusted'])
          refused += 1
        }
      }),
      { numRuns: 200 },
    )
    expect(refused).to.be.greaterThan(150)
  })

  it('of another root is refused, and so is one that another key signed in its name', () => {
    const other = keyOf(998)
    const theirs = signNetworkMap({ name: 'n', salt, serial: 1, madeAt, members: [] }, other)
    expect(codeOf(() => openNetworkMap(JSON.stringify(theirs), root.publicKey))).to.equal('network-map-untrusted')
    const forged = { ...theirs, map: { ...theirs.map, root: root.publicKey } }
    expect(codeOf(() => openNetworkMap(JSON.stringify(forged), root.publicKey))).to.equal('network-map-untrusted')
  })

  it('cannot list a name, a key or an address twice', () => {
    const [a, b] = [keyOf(1).publicKey, keyOf(2).publicKey]
    const twice: readonly (readonly Member[])[] = [
      [{ party: { name: 'A', key: a } }, { party: { name: 'A', key: b } }],
      [{ party: { name: 'A', key: a } }, { party: { name: 'B', key: a } }],
      [
        { party: { name: 'A', key: a }, address: 'h:1' },
        { party: { name: 'B', key: b }, address: 'h:1' },
      ],
      [{ party: { name: ' ', key: a } }],
    ]
    for (const list of twice) expect(codeOf(() => sign(list))).to.equal('network-map-invalid')
  })
})
