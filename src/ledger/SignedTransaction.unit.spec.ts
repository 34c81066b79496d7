import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { sha256 } from '../encoding/hash.js'
import { thresholdOf } from '../identity/Key.js'
import { KeyHistory, signKeyChange } from '../identity/KeyChange.js'
import { keyPairFromSeed } from '../identity/KeyPair.js'
import { ownNetworkId } from '../identity/NetworkId.js'
import { instant } from '../time/Instant.js'
import { signTransaction } from './signatures.js'
import { type SigningContext, checkSignatures, needsNotary, requiredKeys } from './SignedTransaction.js'
import { sealBody, type TransactionBody } from './Transaction.js'

const [ann, bea, cleo, notary] = ['Ann', 'Bea', 'Cleo', 'Notary'].map((name) => keyPairFromSeed(sha256(name))) as [
  ReturnType<typeof keyPairFromSeed>,
  ReturnType<typeof keyPairFromSeed>,
  ReturnType<typeof keyPairFromSeed>,
  ReturnType<typeof keyPairFromSeed>,
]

const network = sha256('a network')
const contextOf = ({ identityOf, currentKeyOf }: KeyHistory): SigningContext => ({
  id: network,
  identityOf,
  currentKeyOf,
})
const context = contextOf(new KeyHistory())

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
    const by = (...keys: readonly (typeof ann)[]) => ({
      body,
      signatures: keys.map((key) => signTransaction(key, network, id)),
    })
    expect(isRight(checkSignatures(context, id, by(ann, bea, notary)))).to.equal(true)
    expect(isRight(checkSignatures(context, id, by(ann, bea), { except: [notary.publicKey] }))).to.equal(true)
    const lacking = checkSignatures(context, id, by(ann, notary))
    expect(isLeft(lacking) && lacking.left.code).to.equal('signature-missing')
    expect(isLeft(lacking) && lacking.left.message).to.contain(bea.publicKey)
  })

  it('are spoilt by a single one that does not verify, also by someone who need not sign', () => {
    const body = bodyOf()
    const { id } = sealBody(body)
    const other = sealBody(bodyOf({ salt: '01' })).id
    const good = [ann, bea, notary].map((key) => signTransaction(key, network, id))
    for (const bad of [
      signTransaction(cleo, network, other),
      { ...signTransaction(cleo, network, id), by: ann.publicKey },
    ]) {
      const checked = checkSignatures(context, id, { body, signatures: [...good, bad] })
      expect(isLeft(checked) && checked.left.code).to.equal('signature-invalid')
    }
  })

  it('satisfy a composite key when enough of its parts have signed', () => {
    const two = thresholdOf(2, [ann.publicKey, bea.publicKey, cleo.publicKey])
    const body = bodyOf({ inputs: [], signers: [[two]] })
    const { id } = sealBody(body)
    const by = (...keys: readonly (typeof ann)[]) => ({
      body,
      signatures: keys.map((key) => signTransaction(key, network, id)),
    })
    expect(isRight(checkSignatures(context, id, by(ann, cleo)))).to.equal(true)
    expect(isLeft(checkSignatures(context, id, by(ann)))).to.equal(true)
    expect(isRight(checkSignatures(context, id, by(ann), { except: [bea.publicKey] }))).to.equal(true)
  })

  it('count in the network they were made in, and nowhere else', () => {
    const body = bodyOf()
    const { id } = sealBody(body)
    const madeIn = (place: typeof network) => ({
      body,
      signatures: [ann, bea, notary].map((key) => signTransaction(key, place, id)),
    })
    const checked = checkSignatures(context, id, madeIn(sha256('another network')))
    expect(isLeft(checked) && checked.left.code).to.equal('signature-invalid')
  })

  it('may have been made before the signer joined the network, but only in what others build on', () => {
    const body = bodyOf({ inputs: [], signers: [[ann.publicKey]] })
    const { id } = sealBody(body)
    const alone = { body, signatures: [signTransaction(ann, ownNetworkId(ann.publicKey), id)] }
    const final = checkSignatures(context, id, alone)
    expect(isLeft(final) && final.left.code).to.equal('signature-invalid')
    expect(isRight(checkSignatures(context, id, alone, { role: 'history' }))).to.equal(true)
    const elsewhere = { body, signatures: [signTransaction(ann, ownNetworkId(bea.publicKey), id)] }
    expect(isLeft(checkSignatures(context, id, elsewhere, { role: 'history' }))).to.equal(true)
  })

  it('by a changed key are those of the party that has changed it', () => {
    const body = bodyOf({ inputs: [], signers: [[ann.publicKey]] })
    const { id } = sealBody(body)
    const byCleo = { body, signatures: [signTransaction(cleo, network, id)] }
    expect(isLeft(checkSignatures(context, id, byCleo))).to.equal(true)
    const changed = contextOf(new KeyHistory([signKeyChange(network, ann.publicKey, ann, cleo)]))
    expect(isRight(checkSignatures(changed, id, byCleo))).to.equal(true)
  })

  it('by a key that was changed since count only in history, and in what a notary has let pass', () => {
    const body = bodyOf({ inputs: [], signers: [[ann.publicKey]] })
    const { id } = sealBody(body)
    const byAnn = { body, signatures: [signTransaction(ann, network, id)] }
    const changed = contextOf(new KeyHistory([signKeyChange(network, ann.publicKey, ann, cleo)]))
    const refused = checkSignatures(changed, id, byAnn)
    expect(isLeft(refused) && refused.left.code).to.equal('signature-invalid')
    expect(isRight(checkSignatures(changed, id, byAnn, { retired: true }))).to.equal(true)
    expect(isRight(checkSignatures(changed, id, byAnn, { role: 'history' }))).to.equal(true)
  })
})
