/** What threads that verify signatures promise: only what holds is remembered, and nobody waits for them in vain. */
import { expect } from 'chai'
import { generateKeyPair } from '../identity/KeyPair.js'
import { ownNetworkId } from '../identity/NetworkId.js'
import { isVerified, type Claimed } from '../identity/verifiedSignatures.js'
import { transportLimits } from './limits.js'
import { signaturesIn, countSignatures } from '../finality/signaturesIn.js'
import { signTransaction, textSigned } from '../ledger/signatures.js'
import { sealBody, type TransactionBody } from '../ledger/Transaction.js'
import type { Envelope } from '../log/Message.js'
import { SignatureThreads } from './SignatureThreads.js'

const key = generateKeyPair()
const network = ownNetworkId(key.publicKey)

const claims = (label: string, count: number): readonly Claimed[] =>
  Array.from({ length: count }, (_, index) => {
    const text = `${label} ${index}`
    return { by: key.publicKey, text, signature: key.sign(text) }
  })

const bodyOf = (number: number): TransactionBody => ({
  inputs: [],
  references: [],
  outputs: [],
  commands: [{ type: 'spec/Act', data: number }],
  signers: [[key.publicKey]],
  notary: { name: 'Notary', key: key.publicKey },
  salt: '00'.repeat(16),
})

const pageOf = (transactions: readonly unknown[]): Envelope =>
  ({
    kind: 'message',
    session: '0'.repeat(32),
    from: 'initiator',
    seq: 3,
    message: { kind: 'data', payload: { type: 'history', transactions } },
  }) as unknown as Envelope

describe('Threads that verify signatures', () => {
  let threads: SignatureThreads
  beforeEach(() => {
    threads = new SignatureThreads({}, 2)
  })
  afterEach(() => threads.stop())

  it('remember what holds, and nothing else', async () => {
    const good = claims('good', transportLimits.signaturesPerThread)
    const forged = claims('forged', 3).map((each) => ({ ...each, text: `${each.text}!` }))
    const strange = { by: key.publicKey, text: 'strange', signature: 'not base64 at all' }
    await threads.verify([...good, ...forged, strange])
    for (const each of good) expect(isVerified(each), each.text).to.equal(true)
    for (const each of [...forged, strange]) expect(isVerified(each), each.text).to.equal(false)
  })

  it('work side by side', async () => {
    const batches = [1, 2, 3, 4].map((number) => claims(`batch ${number}`, transportLimits.signaturesPerThread))
    await Promise.all(batches.map((batch) => threads.verify(batch)))
    expect(batches.flat().every(isVerified)).to.equal(true)
  })

  it('are not troubled with few, nor on a machine with one core', async () => {
    const few = claims('few', transportLimits.signaturesPerThread - 1)
    await threads.verify(few)
    expect(few.some(isVerified)).to.equal(false)
    expect(new SignatureThreads({}, 0).isWorth(1_000_000)).to.equal(false)
  })

  it('let go of whoever waits when they are stopped', async () => {
    const waiting = threads.verify(claims('stopped', 2_000))
    threads.stop()
    await waiting
    expect(threads.isWorth(1_000)).to.equal(false)
  })

  it('are given every signature of a page of history with what it signs', async () => {
    const transactions = Array.from({ length: transportLimits.signaturesPerThread }, (_, number) => {
      const body = bodyOf(number)
      return { body, signatures: [signTransaction(key, network, sealBody(body).id)] }
    })
    const page = pageOf(transactions)
    expect(countSignatures(page)).to.equal(transportLimits.signaturesPerThread)
    await threads.verify(signaturesIn(network, page))
    for (const { body, signatures } of transactions)
      for (const each of signatures) {
        const text = textSigned(network, sealBody(body).id, each) ?? ''
        expect(isVerified({ by: each.by, text, signature: each.signature })).to.equal(true)
      }
  })

  it('are given nothing of a page that is none, and count a batch once', () => {
    const [body] = [bodyOf(1)]
    const signature = signTransaction(key, network, sealBody(body).id)
    expect(countSignatures(pageOf(Array.from({ length: 50 }, () => ({ body, signatures: [signature] }))))).to.equal(1)
    for (const odd of [null, 7, 'x', { signatures: 3 }, { signatures: [null, 1] }]) {
      expect(countSignatures(pageOf([odd]))).to.be.at.most(1)
      expect(signaturesIn(network, pageOf([odd]))).to.deep.equal([])
    }
  })
})
