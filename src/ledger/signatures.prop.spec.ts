import { expect } from 'chai'
import * as fc from 'fast-check'
import { hashes } from '../../test/log/arbitraryOf.js'
import { sha256, type Hash } from '../encoding/hash.js'
import { keyPairFromSeed } from '../identity/KeyPair.js'
import { signatureFor, signBatch, verifyBatch, verifyTransactionSignature } from './signatures.js'

const key = keyPairFromSeed(sha256('a signer'))
const stranger = keyPairFromSeed(sha256('a stranger'))

const batches = fc
  .uniqueArray(
    hashes.map((hash) => hash as Hash),
    { minLength: 1, maxLength: 12 },
  )
  .chain((ids) => fc.tuple(fc.constant(ids), fc.nat({ max: ids.length - 1 })))

const altered = (base64: string, place: number): string => {
  const bytes = Buffer.from(base64, 'base64')
  const at = place % bytes.length
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes.toString('base64')
}

describe('a signature over a batch of transactions', () => {
  it('holds for the whole batch and for each of its transactions', () => {
    fc.assert(
      fc.property(batches, ([ids, index]) => {
        const signature = signBatch(key, ids)
        expect(verifyBatch(key.publicKey, ids, signature)).to.equal(true)
        expect(verifyTransactionSignature(ids[index]!, signatureFor(key.publicKey, ids, index, signature))).to.equal(
          true,
        )
      }),
      { numRuns: 50 },
    )
  })

  it('holds for no other batch, order, key or signature', () => {
    fc.assert(
      fc.property(batches, fc.nat(), ([ids, index], place) => {
        const signature = signBatch(key, ids)
        const other = sha256(ids[index]!)
        expect(verifyBatch(key.publicKey, ids.with(index, other), signature)).to.equal(false)
        expect(verifyBatch(key.publicKey, [...ids, other], signature)).to.equal(false)
        expect(verifyBatch(key.publicKey, ids.toSpliced(index, 1), signature)).to.equal(false)
        if (ids.length > 1) expect(verifyBatch(key.publicKey, ids.toReversed(), signature)).to.equal(false)
        expect(verifyBatch(stranger.publicKey, ids, signature)).to.equal(false)
        expect(verifyBatch(key.publicKey, ids, altered(signature, place))).to.equal(false)
        expect(verifyBatch(key.publicKey, ids, '')).to.equal(false)
      }),
      { numRuns: 30 },
    )
  })

  it('holds for a transaction only at its own place in a batch of its own size', () => {
    fc.assert(
      fc.property(
        batches,
        fc.integer({ min: -1, max: 20 }),
        fc.integer({ min: 0, max: 40 }),
        ([ids, index], at, of) => {
          const signature = signatureFor(key.publicKey, ids, index, signBatch(key, ids))
          const id = ids[index]!
          const holds = (change: Partial<typeof signature>): boolean =>
            verifyTransactionSignature(id, { ...signature, ...change })
          expect(holds({ index: at })).to.equal(at === index)
          expect(holds({ count: of })).to.equal(of === ids.length)
          expect(holds({ index: at, count: of })).to.equal(at === index && of === ids.length)
          expect(holds({ by: stranger.publicKey })).to.equal(false)
          expect(holds({ path: [...signature.path, id] })).to.equal(false)
          signature.path.forEach((sibling, height) => {
            expect(holds({ path: signature.path.with(height, sha256(sibling)) })).to.equal(false)
          })
          expect(verifyTransactionSignature(sha256(id), signature)).to.equal(false)
        },
      ),
      { numRuns: 60 },
    )
  })
})
