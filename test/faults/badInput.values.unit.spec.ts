import { expect } from 'chai'
import { DateTime } from 'luxon'
import * as fc from 'fast-check'
import {
  canonicalText,
  CarillonError,
  instant,
  instantFromMillis,
  InstantC,
  parseRef,
  showRef,
  type Hash,
} from '../../src/index.js'
import { generateKeyPair } from '../../src/entries/keys.js'
import { sha256 } from '../../src/encoding/hash.js'
import { verifySignature } from '../../src/identity/KeyPair.js'
import { signaturesOfTick, textOfTick, verifyTransactionSignature } from '../../src/ledger/signatures.js'
import { signTick } from '../../src/log/TickSigner.js'

const caught = (run: () => unknown): CarillonError => {
  try {
    run()
  } catch (error) {
    if (error instanceof CarillonError) return error
    throw error
  }
  throw new Error('It was expected to be refused.')
}

const cycle: Record<string, unknown> = { name: 'cycle' }
cycle['inner'] = [{ back: cycle }]
class Money {
  readonly cents = 1
}

describe('A value without a canonical form', () => {
  const values: Readonly<Record<string, [value: unknown, says: string]>> = {
    NaN: [{ a: { b: [0, Number.NaN] } }, 'NaN at a.b.1'],
    infinity: [[Infinity], 'Infinity at 0'],
    'minus zero': [{ n: -0 }, 'Minus zero at n'],
    'an unsafe integer': [{ n: 2 ** 53 }, '9007199254740992, beyond the safe range, at n'],
    'undefined in a list': [[1, undefined], 'type undefined at 1'],
    'a hole in a list': [Array(2), 'undefined at 0'],
    undefined: [undefined, 'type undefined at the value itself'],
    'a function': [{ f: () => 1 }, 'type function at f'],
    'a symbol': [{ s: Symbol('s') }, 'type symbol at s'],
    'a bigint': [{ n: 1n }, 'type bigint at n'],
    'a Date': [{ at: new Date(0) }, 'class Date at at'],
    'a class instance': [{ price: new Money() }, 'class Money at price'],
    'a map': [new Map(), 'class Map at the value itself'],
    'an object of no known class': [
      { o: Object.create(Object.create(null) as object) as unknown },
      'class unknown at o',
    ],
    'a cycle': [cycle, 'contains itself'],
    'half a surrogate pair': [{ text: 'x\ud83d' }, 'surrogate pair at text'],
    'half a surrogate pair in a key': [{ '\udc00': 1 }, 'surrogate pair'],
  }
  for (const [what, [value, says]] of Object.entries(values)) {
    it(`is refused with its place: ${what}`, () => {
      const error = caught(() => canonicalText(value))
      expect(error.code).to.equal('value-not-encodable')
      expect(error.message).to.include(says).and.to.include('Use text, booleans')
    })
  }
})

describe('Text that is not a UTC instant', () => {
  const spellings = [
    '',
    'now',
    '2026-01-31',
    '2026-01-31T09:00:00',
    '2026-01-31T09:00:00.000',
    '2026-01-31T09:00:00.000+00:00',
    '2026-01-31T09:00:00.000+01:00',
    '2026-01-31T09:00:00.000z',
    '2026-01-31 09:00:00.000Z',
    '2026-02-30T09:00:00.000Z',
    '2025-02-29T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-00-01T00:00:00.000Z',
    '2026-01-31T24:00:00.000Z',
    '2026-01-31T23:60:00.000Z',
    '2026-12-31T23:59:60.000Z',
    '2026-01-31T09:00:00.0000Z',
    '2026-01-31T09Z',
    '26-01-31T09:00:00.000Z',
    '+002026-01-31T09:00:00.000Z',
    '-000001-01-01T00:00:00.000Z',
    '10000-01-01T00:00:00.000Z',
    '2026-1-31T9:00:00.000Z',
    '20260131T090000Z',
    '2026-W05-6T09:00:00.000Z',
    ' 2026-01-31T09:00:00.000Z',
    '2026-01-31T09:00:00.000Z\n',
    '２０２６-01-31T09:00:00.000Z',
    'Sat, 31 Jan 2026 09:00:00 GMT',
    '1769850000000',
  ]
  for (const text of spellings) {
    it(`is refused: ${JSON.stringify(text)}`, () => {
      const error = caught(() => instant(text))
      expect(error.code).to.equal('instant-invalid')
      expect(error.message).to.include(`"${text}" is not a UTC instant`).and.to.include('2026-01-31T09:00:00.000Z')
      expect(InstantC.is(text)).to.equal(false)
      expect(InstantC.decode(text)._tag).to.equal('Left')
    })
  }

  it('is told from text that is one, however short', () => {
    expect(instant('2026-01-31T09:00Z')).to.equal('2026-01-31T09:00:00.000Z')
    expect(instant('2026-01-31T09:00:01Z')).to.equal('2026-01-31T09:00:01.000Z')
    expect(instant('2026-01-31T09:00:01.5Z')).to.equal('2026-01-31T09:00:01.500Z')
    expect(instant(DateTime.fromISO('2026-01-31T10:00:00+01:00'))).to.equal('2026-01-31T09:00:00.000Z')
    expect(InstantC.is('2026-01-31T09:00Z'), 'on the ledger there is one spelling').to.equal(false)
  })

  it('is refused as a number or an invalid DateTime, too', () => {
    for (const ms of [Number.NaN, Infinity, 0.5, -62_167_219_200_001, 253_402_300_800_000])
      expect(caught(() => instantFromMillis(ms)).code).to.equal('instant-invalid')
    const error = caught(() => instant(DateTime.fromISO('2026-02-30')))
    expect(error.code).to.equal('instant-invalid')
  })

  it('never passes: whatever instant() accepts reads back as the same instant', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0000-01-01T00:00:00.000Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        (date) => {
          expect(instant(date.toISOString())).to.equal(date.toISOString())
        },
      ),
    )
  })
})

describe('Text that is not a state ref', () => {
  const id = 'a'.repeat(64)
  for (const text of [
    '',
    id,
    `${id}:`,
    `${id}:-1`,
    `${id}:1.5`,
    `${id}:x`,
    `${id}:1234567`,
    `${id.toUpperCase()}:0`,
    `${id.slice(1)}:0`,
    `${id}:0 `,
    `x${id}:0`,
  ]) {
    it(`is refused: ${JSON.stringify(text.replaceAll(/a{10,}/g, 'a…'))}`, () => {
      const error = caught(() => parseRef(text))
      expect(error.code).to.equal('state-unknown')
      expect(error.message).to.include(`"${text}" is not a state ref`).and.to.include('64 hex digits')
    })
  }

  it('is told from one that is', () => {
    expect(showRef(parseRef(`${id}:12`))).to.equal(`${id}:12`)
  })
})

describe('A wrong signature', () => {
  const key = generateKeyPair()
  const other = generateKeyPair()
  const network = sha256('a network')
  const hash = sha256('a tick')
  const idsOf = (count: number): readonly Hash[] => Array.from({ length: count }, (_, n) => sha256(`transaction ${n}`))

  it('of a tick does not verify when key, network, hash, signature, ids, their order or their number differ', () => {
    const ids = idsOf(5)
    const signature = signTick(key, network, hash, ids)
    const verify = (signed: readonly Hash[], text = signature, by = key.publicKey): boolean =>
      verifySignature(by, textOfTick(network, hash, signed), text)
    expect(verify(ids)).to.equal(true)
    expect(verify(ids, signature, other.publicKey)).to.equal(false)
    expect(verify(ids.slice(1))).to.equal(false)
    expect(verify([...ids, sha256('one more')])).to.equal(false)
    expect(verify([...ids].reverse())).to.equal(false)
    expect(verify([sha256('changed'), ...ids.slice(1)])).to.equal(false)
    expect(verify(ids, signTick(key, sha256('another network'), hash, ids))).to.equal(false)
    expect(verify(ids, signTick(key, network, sha256('another tick'), ids))).to.equal(false)
    const others = signTick(other, network, hash, ids)
    for (const bad of ['', 'not base64!', signature.slice(4), others, key.sign('something else')])
      expect(verify(ids, bad)).to.equal(false)
  })

  it('of one transaction does not verify when any part of its proof is altered', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), (count, seed) => {
        const ids = idsOf(count)
        const index = seed % count
        const id = ids[index]!
        const proof = signaturesOfTick(key.publicKey, hash, ids, signTick(key, network, hash, ids))[index]!
        const tick = proof.tick!
        const at = (change: Partial<typeof tick>) => ({ ...proof, tick: { ...tick, ...change } })
        expect(verifyTransactionSignature(network, id, proof)).to.equal(true)
        const altered = [
          { ...proof, by: other.publicKey },
          at({ index: index + 1 }),
          at({ index: -1 }),
          at({ index: 0.5 }),
          at({ count: 0 }),
          at({ hash: sha256('another tick') }),
          at({ path: [...tick.path, sha256('more')] }),
          {
            ...at({ path: tick.path.map(() => sha256('other')) }),
            signature: tick.path.length === 0 ? '' : proof.signature,
          },
          at({ path: tick.path.slice(1), count: count === 1 ? 2 : count }),
          { by: proof.by, signature: proof.signature },
        ]
        for (const bad of altered)
          expect(verifyTransactionSignature(network, id, bad), JSON.stringify(bad)).to.equal(false)
        expect(verifyTransactionSignature(network, sha256('another transaction'), proof)).to.equal(false)
      }),
      { numRuns: 40 },
    )
  })
})
