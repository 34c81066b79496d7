import { expect } from 'chai'
import * as fc from 'fast-check'
import { hashes } from '../../test/log/arbitraryOf.js'
import { sha256, type Hash } from '../encoding/hash.js'
import { keyPairFromSeed, verifySignature } from '../identity/KeyPair.js'
import { textToSign } from '../identity/NetworkId.js'
import { signTick } from '../log/TickSigner.js'
import { signaturesOfTick, signTransaction, textOfTick, verifyTransactionSignature } from './signatures.js'

const key = keyPairFromSeed(sha256('a signer'))
const stranger = keyPairFromSeed(sha256('a stranger'))
const network = sha256('a network')
const hash = sha256('a tick')

const ticks = fc
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

const sign = (ids: readonly Hash[]): string => signTick(key, network, hash, ids)

describe('the signature of a tick', () => {
  it('holds for the tick and for each of its transactions', () => {
    fc.assert(
      fc.property(ticks, ([ids, index]) => {
        const signature = sign(ids)
        expect(verifySignature(key.publicKey, textOfTick(network, hash, ids), signature)).to.equal(true)
        const ofTick = signaturesOfTick(key.publicKey, hash, ids, signature)
        expect(ofTick).to.have.lengthOf(ids.length)
        expect(verifyTransactionSignature(network, ids[index]!, ofTick[index]!)).to.equal(true)
      }),
      { numRuns: 50 },
    )
  })

  it('holds for no other network, tick, transactions, order, key or signature', () => {
    fc.assert(
      fc.property(ticks, fc.nat(), ([ids, index], place) => {
        const signature = sign(ids)
        const other = sha256(ids[index]!)
        const holds = (
          signed: readonly Hash[],
          { by = key.publicKey, of = hash, within = network, text = signature } = {},
        ): boolean => verifySignature(by, textOfTick(within, of, signed), text)
        expect(holds(ids.with(index, other))).to.equal(false)
        expect(holds([...ids, other])).to.equal(false)
        expect(holds(ids.toSpliced(index, 1))).to.equal(false)
        if (ids.length > 1) expect(holds(ids.toReversed())).to.equal(false)
        expect(holds(ids, { by: stranger.publicKey })).to.equal(false)
        expect(holds(ids, { of: sha256('another tick') })).to.equal(false)
        expect(holds(ids, { within: sha256('another network') })).to.equal(false)
        expect(holds(ids, { text: altered(signature, place) })).to.equal(false)
        expect(holds(ids, { text: '' })).to.equal(false)
      }),
      { numRuns: 30 },
    )
  })

  it('holds for a transaction only at its own place in a tick of its own size', () => {
    fc.assert(
      fc.property(ticks, fc.integer({ min: -1, max: 20 }), fc.integer({ min: 0, max: 40 }), ([ids, index], at, of) => {
        const signature = signaturesOfTick(key.publicKey, hash, ids, sign(ids))[index]!
        const tick = signature.tick!
        const id = ids[index]!
        const holds = (change: Partial<typeof tick>): boolean =>
          verifyTransactionSignature(network, id, { ...signature, tick: { ...tick, ...change } })
        expect(holds({ index: at })).to.equal(at === index)
        expect(holds({ count: of })).to.equal(of === ids.length)
        expect(holds({ index: at, count: of })).to.equal(at === index && of === ids.length)
        expect(holds({ hash: sha256('another tick') })).to.equal(false)
        expect(holds({ path: [...tick.path, id] })).to.equal(false)
        tick.path.forEach((sibling, height) => {
          expect(holds({ path: tick.path.with(height, sha256(sibling)) })).to.equal(false)
        })
        expect(verifyTransactionSignature(network, id, { ...signature, by: stranger.publicKey })).to.equal(false)
        expect(verifyTransactionSignature(network, sha256(id), signature)).to.equal(false)
        expect(verifyTransactionSignature(sha256('another network'), id, signature)).to.equal(false)
      }),
      { numRuns: 60 },
    )
  })

  it('is none of a transaction alone, and that is none of a tick', () => {
    const id = sha256('a transaction')
    const alone = signTransaction(key, network, id)
    expect(verifyTransactionSignature(network, id, alone)).to.equal(true)
    const tick = { hash, index: 0, count: 1, path: [] }
    expect(verifyTransactionSignature(network, id, { ...alone, tick })).to.equal(false)
    const ofTick = { by: key.publicKey, signature: sign([id]) }
    expect(verifyTransactionSignature(network, id, { ...ofTick, tick })).to.equal(true)
    expect(verifyTransactionSignature(network, id, ofTick)).to.equal(false)
    const request = { by: key.publicKey, signature: key.sign(textToSign('notary request', network, id)) }
    expect(verifyTransactionSignature(network, id, request)).to.equal(false)
  })
})
