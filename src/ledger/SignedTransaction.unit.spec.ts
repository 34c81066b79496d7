import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { sha256 } from '../encoding/hash.js'
import { thresholdOf } from '../identity/Key.js'
import { keyPairFromSeed } from '../identity/KeyPair.js'
import { instant } from '../time/Instant.js'
import { signTransaction } from './signatures.js'
import { checkSignatures, needsNotary, requiredKeys } from './SignedTransaction.js'
import { sealBody, type TransactionBody } from './Transaction.js'

const [ann, bea, cleo, notary] = ['Ann', 'Bea', 'Cleo', 'Notary'].map((name) => keyPairFromSeed(sha256(name))) as [
  ReturnType<typeof keyPairFromSeed>,
  ReturnType<typeof keyPairFromSeed>,
  ReturnType<typeof keyPairFromSeed>,
  ReturnType<typeof keyPairFromSeed>,
]

const bodyOf = (parts: Partial<TransactionBody> = {}): TransactionBody => ({
  inputs: [{ transaction: sealBody(empty).id, index: 0 }],
  references: [],
  outputs: [],
  commands: [{ type: 'spec/Act', data: null }],
  signers: [[ann.publicKey, bea.publicKey]],
  notary: { name: 'Notary', key: notary.publicKey },
  salt: '00',
  ...parts,
})
const empty: TransactionBody = {
  inputs: [],
  references: [],
  outputs: [],
  commands: [],
  signers: [],
  notary: { name: 'Notary', key: notary.publicKey },
  salt: '00',
}

describe('the signatures of a transaction', () => {
  it('must be those of the commands, and of the notary where something is consumed, read or timed', () => {
    expect(requiredKeys(bodyOf())).to.deep.equal([ann.publicKey, bea.publicKey, notary.publicKey])
    expect(requiredKeys(bodyOf({ inputs: [] }))).to.deep.equal([ann.publicKey, bea.publicKey])
    const ref = { transaction: sealBody(empty).id, index: 1 }
    expect(needsNotary(bodyOf({ inputs: [], references: [ref] }))).to.equal(true)
    expect(needsNotary(bodyOf({ inputs: [], timeWindow: { until: instant('2026-01-01T00:00:00Z') } }))).to.equal(true)
    const repeated = bodyOf({ signers: [[ann.publicKey], [ann.publicKey, notary.publicKey]] })
    expect(requiredKeys(repeated)).to.deep.equal([ann.publicKey, notary.publicKey])
  })

  it('are complete only when every key has signed, but for those excepted', () => {
    const body = bodyOf()
    const { id } = sealBody(body)
    const by = (...keys: readonly (typeof ann)[]) => ({ body, signatures: keys.map((key) => signTransaction(key, id)) })
    expect(isRight(checkSignatures(id, by(ann, bea, notary)))).to.equal(true)
    expect(isRight(checkSignatures(id, by(ann, bea), [notary.publicKey]))).to.equal(true)
    const lacking = checkSignatures(id, by(ann, notary))
    expect(isLeft(lacking) && lacking.left.code).to.equal('signature-missing')
    expect(isLeft(lacking) && lacking.left.message).to.contain(bea.publicKey)
  })

  it('are spoilt by a single one that does not verify, also by someone who need not sign', () => {
    const body = bodyOf()
    const { id } = sealBody(body)
    const other = sealBody(bodyOf({ salt: '01' })).id
    const good = [ann, bea, notary].map((key) => signTransaction(key, id))
    for (const bad of [signTransaction(cleo, other), { ...signTransaction(cleo, id), by: ann.publicKey }]) {
      const checked = checkSignatures(id, { body, signatures: [...good, bad] })
      expect(isLeft(checked) && checked.left.code).to.equal('signature-invalid')
    }
  })

  it('satisfy a composite key when enough of its parts have signed', () => {
    const two = thresholdOf(2, [ann.publicKey, bea.publicKey, cleo.publicKey])
    const body = bodyOf({ inputs: [], signers: [[two]] })
    const { id } = sealBody(body)
    const by = (...keys: readonly (typeof ann)[]) => ({ body, signatures: keys.map((key) => signTransaction(key, id)) })
    expect(isRight(checkSignatures(id, by(ann, cleo)))).to.equal(true)
    expect(isLeft(checkSignatures(id, by(ann)))).to.equal(true)
    expect(isRight(checkSignatures(id, by(ann), [bea.publicKey]))).to.equal(true)
  })
})
