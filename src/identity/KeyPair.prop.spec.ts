import { inspect } from 'node:util'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { hashes, texts } from '../../test/log/arbitraryOf.js'
import { generateKeyPair, importKeyPair, keyPairFromSeed, verifySignature } from './KeyPair.js'
import { PublicKeyC, type PublicKey } from './PublicKey.js'

describe('a key pair', () => {
  it('signs so that its public half, and no other, confirms the very text', () => {
    fc.assert(
      fc.property(hashes, hashes, texts, texts, (seed, otherSeed, text, otherText) => {
        fc.pre(seed !== otherSeed && text !== otherText)
        const key = keyPairFromSeed(seed)
        const signature = key.sign(text)
        expect(verifySignature(key.publicKey, text, signature)).to.equal(true)
        expect(verifySignature(key.publicKey, otherText, signature)).to.equal(false)
        expect(verifySignature(keyPairFromSeed(otherSeed).publicKey, text, signature)).to.equal(false)
      }),
      { numRuns: 30 },
    )
  })

  it('comes back from its key file as the same key', () => {
    fc.assert(
      fc.property(hashes, (seed) => {
        const key = keyPairFromSeed(seed)
        const again = importKeyPair(key.exportPrivate())
        expect(again.publicKey).to.equal(key.publicKey)
        expect(again.sign('x')).to.equal(key.sign('x'))
        expect(PublicKeyC.is(key.publicKey)).to.equal(true)
      }),
      { numRuns: 10 },
    )
    expect(generateKeyPair().publicKey).to.not.equal(generateKeyPair().publicKey)
  })

  it('is confirmed in the very same cases when it is asked again', () => {
    const key = keyPairFromSeed('1'.repeat(64))
    const good = key.sign('a b')
    for (let times = 0; times < 2; times++) {
      expect(verifySignature(key.publicKey, 'a b', good)).to.equal(true)
      expect(verifySignature(key.publicKey, 'b', `${good} a`)).to.equal(false)
      expect(verifySignature(key.publicKey, 'a', good)).to.equal(false)
      expect(verifySignature(keyPairFromSeed('2'.repeat(64)).publicKey, 'a b', good)).to.equal(false)
    }
  })

  it('takes garbage for no signature and no key, without throwing', () => {
    const key = keyPairFromSeed('1'.repeat(64))
    fc.assert(
      fc.property(texts, texts, (signature, other) => {
        expect(verifySignature(key.publicKey, 'text', signature)).to.equal(false)
        expect(verifySignature(other as PublicKey, 'text', key.sign('text'))).to.equal(false)
      }),
    )
  })

  it('shows its public half only, however it is printed', () => {
    const key = keyPairFromSeed('ab'.repeat(32))
    const secret = key.exportPrivate().split('\n')[1]!
    for (const shown of [JSON.stringify(key), inspect(key, { depth: 9, showHidden: true })]) {
      expect(shown).to.not.include(secret)
      expect(shown).to.not.include('ab'.repeat(32))
    }
    expect(JSON.parse(JSON.stringify(key))).to.deep.equal({ publicKey: key.publicKey })
  })
})
