/** What tear-offs promise: any part of a transaction can be shown and proven, and nothing else can be read from it. */
import { expect } from 'chai'
import fc from 'fast-check'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { sha256, type Hash } from '../encoding/hash.js'
import { leafHash } from '../encoding/merkle.js'
import { proofOfMany, treeTop } from '../encoding/wideTree.js'
import { allKeys } from '../identity/Key.js'
import { keyPairFromSeed } from '../identity/KeyPair.js'
import { ledgerLimits } from './limits.js'
import { instant } from '../time/Instant.js'
import { componentHash, idFrom } from './componentTree.js'
import { checkTearOff, showsAll, showsCommandsFor, tearOff, TearOffC, type TearOff, type Visible } from './TearOff.js'
import { componentsOf, sealBody, type TransactionBody } from './Transaction.js'

const keyOf = (name: string) => keyPairFromSeed(sha256(name)).publicKey
const alice = { name: 'Alice', key: keyOf('Alice') }
const bob = { name: 'Bob', key: keyOf('Bob') }
const notary = { name: 'Notary', key: keyOf('Notary') }

const refs = fc.nat(40).map((place) => ({ transaction: sha256(`transaction ${place}`), index: place % 3 }))
const signerKeys = fc.constantFrom(alice.key, bob.key, allKeys([alice.key, bob.key]))

const bodies: fc.Arbitrary<TransactionBody> = fc.integer({ min: 1, max: 4 }).chain((commands) =>
  fc.record(
    {
      inputs: fc.array(refs, { maxLength: 5 }),
      references: fc.array(refs, { maxLength: 3 }),
      outputs: fc.array(
        fc.record({
          type: fc.constant('test/State'),
          version: fc.constant(1),
          contract: fc.constant({ name: 'test/State', version: 1 }),
          data: fc.record({ amount: fc.integer(), note: fc.string() }),
        }),
        { maxLength: 5 },
      ),
      commands: fc.array(fc.record({ type: fc.constant('test/Do'), data: fc.integer() }), {
        minLength: commands,
        maxLength: commands,
      }),
      signers: fc.array(fc.array(signerKeys, { minLength: 1, maxLength: 2 }), {
        minLength: commands,
        maxLength: commands,
      }),
      notary: fc.constant(notary),
      salt: fc.constant('00112233445566778899aabbccddeeff'),
      timeWindow: fc.constant({ until: instant('2026-02-01T00:00:00Z') }),
    },
    { requiredKeys: ['inputs', 'references', 'outputs', 'commands', 'signers', 'notary', 'salt'] },
  ),
)

const tornFrom = (body: TransactionBody, chosen: (group: string, index: number) => boolean): TearOff =>
  tearOff(sealBody(body).id, componentsOf(body), chosen)

const checked = (torn: TearOff): Visible => {
  const visible = checkTearOff(torn)
  if (isLeft(visible)) throw visible.left
  return visible.right
}

/** A choice of components by a seed, so that every subset can come up. */
const choosing = (bits: number) => (group: string, index: number) =>
  Number.parseInt(sha256(`${bits} ${group} ${index}`).slice(0, 2), 16) % 2 === 0

const flipped = (hex: string): Hash => `${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}` as Hash

describe('A tear-off', () => {
  it('of any subset of components verifies and shows exactly those', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (body, bits) => {
        const chosen = choosing(bits)
        const torn = tornFrom(body, chosen)
        expect(isRight(TearOffC.decode(JSON.parse(JSON.stringify(torn))))).to.equal(true)
        const visible = checked(torn)
        const shown = <A>(group: string, all: readonly A[]) => all.filter((_, index) => chosen(group, index))
        expect(visible.inputs).to.deep.equal(shown('inputs', body.inputs))
        expect(visible.references).to.deep.equal(shown('references', body.references))
        expect(visible.outputs).to.deep.equal(shown('outputs', body.outputs))
        expect(visible.commands).to.deep.equal(
          shown(
            'commands',
            body.commands.map((command, index) => ({ index, ...command })),
          ),
        )
        expect(visible.signers).to.deep.equal(chosen('signers', 0) ? body.signers : undefined)
        expect(visible.notary).to.deep.equal(body.notary)
        expect(visible.timeWindow).to.deep.equal(body.timeWindow)
        for (const group of ['inputs', 'references', 'outputs', 'commands'] as const)
          expect(showsAll(visible, group)).to.equal(body[group].every((_, index) => chosen(group, index)))
      }),
    )
  })

  it('fails when a text, a nonce, a place, the proof, the count or the id is altered', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), fc.nat(), (body, bits, pick) => {
        const torn = tornFrom(body, choosing(bits))
        fc.pre(torn.revealed.length > 0)
        const place = pick % torn.revealed.length
        const altered = (change: (revealed: TearOff['revealed'][number]) => object): TearOff => ({
          ...torn,
          revealed: torn.revealed.map((one, at) => (at === place ? { ...one, ...change(one) } : one)),
        })
        const forgeries: TearOff[] = [
          altered(({ text }) => ({ text: `${text} ` })),
          altered(({ text }) => ({ text: text.replace(/[a-z0-9]/, (char) => (char === 'q' ? 'r' : 'q')) })),
          altered(({ nonce }) => ({ nonce: flipped(nonce) })),
          altered(({ place: at }) => ({ place: at + 1 })),
          altered(({ place: at }) => ({ place: at - 1 })),
          { ...torn, proof: torn.proof.slice(1) },
          { ...torn, proof: [...torn.proof, sha256('more')] },
          { ...torn, proof: torn.proof.map((hash, at) => (at === pick % torn.proof.length ? flipped(hash) : hash)) },
          { ...torn, header: torn.header.replace(/"commands":(\d+)/, (_, count) => `"commands":${Number(count) + 1}`) },
          { ...torn, header: torn.header.replace(/"inputs":\d+/, '"inputs":1000') },
          { ...torn, header: ` ${torn.header}` },
          { ...torn, header: 'null' },
          { ...torn, id: flipped(torn.id) },
          { ...torn, revealed: torn.revealed.slice(1) },
        ]
        for (const [index, forgery] of forgeries.entries()) {
          if (JSON.stringify(forgery) === JSON.stringify(torn)) continue
          expect(isLeft(checkTearOff(forgery)), `forgery ${index}`).to.equal(true)
        }
      }),
    )
  })

  it('cannot be mixed from two transactions, nor show a component twice', () => {
    fc.assert(
      fc.property(bodies, bodies, (one, other) => {
        fc.pre(sealBody(one).id !== sealBody(other).id)
        const all = () => true
        const [a, b] = [tornFrom(one, all), tornFrom(other, all)]
        expect(isLeft(checkTearOff({ ...a, revealed: [...a.revealed, ...b.revealed] }))).to.equal(true)
        expect(isLeft(checkTearOff({ ...a, revealed: [...a.revealed, ...a.revealed] }))).to.equal(true)
      }),
      { numRuns: 30 },
    )
  })

  it('does not let what it hides be guessed: the right guess does not fit any hash it holds', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const torn = tornFrom(body, () => false)
        const whole = tornFrom(body, () => true)
        const held = new Set(torn.proof)
        const nonces = ['', body.notary.key, ...torn.revealed.map(({ nonce }) => nonce)]
        const text = JSON.stringify(torn)
        expect(text).not.to.contain(body.salt)
        for (const { place, text: hidden, nonce } of whole.revealed) {
          expect(text).not.to.contain(nonce)
          for (const guess of [leafHash(hidden), ...nonces.map((tried) => leafHash(`${tried}\n${place}\n${hidden}`))])
            expect(held.has(guess)).to.equal(false)
        }
      }),
    )
  })

  it('tells whether every command for a key is shown, and says no when the signers are hidden', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (body, bits) => {
        const chosen = choosing(bits)
        const visible = checked(tornFrom(body, (group, index) => group === 'signers' || chosen(group, index)))
        const concerns = (index: number) => JSON.stringify(body.signers[index]).includes(alice.key)
        expect(showsCommandsFor(visible, alice.key)).to.equal(
          body.commands.every((_, index) => !concerns(index) || chosen('commands', index)),
        )
        const blind = checked(tornFrom(body, (group) => group === 'commands'))
        expect(showsCommandsFor(blind, alice.key)).to.equal(false)
      }),
    )
  })

  it('is refused when its maker writes a header that no transaction has', () => {
    const forge = (header: object, leaves: number): TearOff => {
      const text = JSON.stringify(header)
      const hashes = Array.from({ length: leaves }, (_, place) => componentHash('0'.repeat(32), place, '{}'))
      return { id: idFrom(text, treeTop(hashes)), header: text, revealed: [], proof: proofOfMany(hashes, []) }
    }
    const header = { format: 1, inputs: 0, references: 0, outputs: 0, commands: 1, notary }
    expect(isRight(checkTearOff(forge(header, 2)))).to.equal(true)
    const forged = [
      { ...header, inputs: 1_000_000_000_000 },
      { ...header, inputs: ledgerLimits.componentsPerTransaction + 1 },
      { ...header, inputs: -1, commands: 2 },
      { ...header, format: 2 },
      { ...header, commands: 2 },
      { ...header, notary: 'someone' },
      [],
    ]
    for (const one of forged) expect(isLeft(checkTearOff(forge(one, 2))), JSON.stringify(one)).to.equal(true)
  })

  it('that gives a nonce of another form is not read at all', () => {
    const torn = tearOff(sealBody(someBody).id, componentsOf(someBody), () => true)
    for (const nonce of ['', 'abc', `${'0'.repeat(32)}\n0`, 'A'.repeat(32)]) {
      const odd = { ...torn, revealed: torn.revealed.map((one) => ({ ...one, nonce })) }
      expect(isRight(TearOffC.decode(odd)), JSON.stringify(nonce)).to.equal(false)
    }
  })
})

const someBody: TransactionBody = {
  inputs: [],
  references: [],
  outputs: [],
  commands: [{ type: 'test/Do', data: null }],
  signers: [[alice.key]],
  notary,
  salt: '00112233445566778899aabbccddeeff',
}
