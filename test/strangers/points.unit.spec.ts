/** Keys and signatures that are none: points of small order, second forms of a point, and the same key twice. */
import { verify, createPublicKey } from 'node:crypto'
import { expect } from 'chai'
import { KeyC, thresholdOf, type Key } from '../../src/identity/Key.js'
import { generateKeyPair, spkiHeader, verifySignature } from '../../src/identity/KeyPair.js'
import { PublicKeyC } from '../../src/identity/PublicKey.js'

const field = 2n ** 255n - 19n
const hexOf = (y: bigint, sign: 0n | 1n): string =>
  Buffer.from((y + sign * 2n ** 255n).toString(16).padStart(64, '0'), 'hex')
    .reverse()
    .toString('hex')
const orderEight = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n

describe('A public key', () => {
  it('is no point of small order, in whatever form', () => {
    for (const y of [0n, 1n, field - 1n, orderEight, field - orderEight])
      for (const sign of [0n, 1n] as const) expect(PublicKeyC.is(`ed25519:${hexOf(y, sign)}`), `${y}`).to.equal(false)
  })

  it('is the one canonical form of a point', () => {
    for (let more = 0n; more < 19n; more++)
      for (const sign of [0n, 1n] as const)
        expect(PublicKeyC.is(`ed25519:${hexOf(field + more, sign)}`), `${more}`).to.equal(false)
    for (const y of [2n, field - 2n, field - 18n]) expect(PublicKeyC.is(`ed25519:${hexOf(y, 0n)}`)).to.equal(true)
  })

  it('of small order would verify what nobody signed, which is why it is refused', () => {
    const weak = createPublicKey({ key: Buffer.from(spkiHeader + hexOf(1n, 0n), 'hex'), format: 'der', type: 'spki' })
    const forged = Buffer.concat([Buffer.from(hexOf(1n, 0n), 'hex'), Buffer.alloc(32)])
    expect(verify(null, Buffer.from('any text'), weak, forged)).to.equal(true)
  })
})

describe('The text of a signature', () => {
  it('is the only one that counts', () => {
    const key = generateKeyPair()
    const signature = key.sign('text')
    expect(verifySignature(key.publicKey, 'text', signature)).to.equal(true)
    const last = signature.at(85) ?? ''
    const other = String.fromCharCode(last.charCodeAt(0) + 1)
    for (const text of [
      `${signature}x`,
      `${signature}\n`,
      ` ${signature}`,
      signature.slice(0, 86),
      `${signature.slice(0, 85)}${other}==`,
      signature.replace('==', '='),
      signature.replaceAll('+', '-').replaceAll('/', '_').replace('==', ''),
    ])
      expect(verifySignature(key.publicKey, 'text', text), text).to.equal(false)
  })
})

describe('A composite key', () => {
  const [a, b, c] = [generateKeyPair(), generateKeyPair(), generateKeyPair()].map(({ publicKey }) => publicKey) as [
    never,
    never,
    never,
  ]
  const node = (threshold: number, ...keys: readonly Key[]): Key => ({
    threshold,
    children: keys.map((key) => ({ key, weight: 1 })),
  })

  it('holds no key twice, at whatever depth', () => {
    for (const key of [
      node(2, a, a),
      node(2, a, node(1, a, b)),
      node(2, node(1, a, b), node(1, a, c)),
      node(1, node(1, node(1, a, node(2, b, c)), node(1, c))),
    ])
      expect(KeyC.is(key), JSON.stringify(key)).to.equal(false)
    expect(KeyC.is(node(2, a, node(1, b, c)))).to.equal(true)
    expect(() => thresholdOf(2, [a, thresholdOf(1, [a, b])])).to.throw(/same key twice/)
  })
})
