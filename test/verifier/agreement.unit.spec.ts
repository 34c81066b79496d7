/** Logs on which the two verifiers once did not agree, and what both of them must find. */
import { expect } from 'chai'
import { canonicalText, type Json } from '../../src/encoding/canonical.js'
import { sha256 } from '../../src/encoding/hash.js'
import { signKeyChange } from '../../src/identity/KeyChange.js'
import type { KeyPair } from '../../src/identity/KeyPair.js'
import { sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import { signTransaction } from '../../src/ledger/signatures.js'
import { exportFirstLine } from '../../src/history/exportLog.js'
import { compareVerifiers } from './compareVerifiers.js'
import { bytesOfFile, rechain, renumber, signRightly, type LogFile } from './LogFile.js'
import { keyNamed } from './WrittenParty.js'

const own = keyNamed('Own')
const other = keyNamed('Other')
const network = sha256('network')

const started = {
  ...{ type: 'NodeStarted', reason: 'start', app: 'test', appVersion: '1.0.0', term: 1 },
  ...{ party: { name: 'Own', key: own.publicKey }, format: 2, carillon: '0.1.0', network },
}
const stopped = { type: 'NodeStopped' }

const changed = (party: KeyPair, from: KeyPair, to: KeyPair): object => ({
  type: 'KeyChanged',
  change: signKeyChange(network, party.publicKey, from, to),
})

const body: TransactionBody = {
  ...{ inputs: [], references: [], outputs: [], commands: [{ type: 'test/Make', data: null }], salt: 's' },
  ...{ signers: [[own.publicKey]], notary: { name: 'Own', key: own.publicKey } },
}

const recorded = (of: TransactionBody = body): object => ({
  ...{ type: 'TransactionRecorded', id: sealBody(of).id, body: of, assessments: [] },
})

/** A log with these events in its ticks, each tick signed with its key. */
const logOf = (...ticks: readonly (readonly [KeyPair, ...object[]])[]): LogFile => ({
  firstLine: exportFirstLine,
  ticks: rechain(
    renumber(
      ticks.map(([key, ...events]) => ({
        ...{ at: '2026-01-01T00:00:00.000Z', count: 0, revision: 0, tick: 0, endsTick: 0, hash: '', signature: '' },
        ...{ events: events.map((event) => canonicalText(event)), signer: { key, network } },
      })),
      0,
    ),
    0,
    signRightly,
  ),
})

const findingsIn = async (bytes: Buffer): Promise<readonly string[]> => {
  const question = { bytes, chunkBytes: 65_536, vouches: true, checkpoints: [] }
  const { answer, disagreement } = await compareVerifiers(question)
  expect(disagreement).to.equal(undefined)
  return answer.slice(1)
}

const findingsOf = (log: LogFile): Promise<readonly string[]> => findingsIn(bytesOfFile(log))

describe('both verifiers of the log', () => {
  it('read the lines before one that is not UTF-8 or too long', async () => {
    const bytes = bytesOfFile(logOf([own, started], [own, stopped]))
    expect(await findingsIn(bytes)).to.deep.equal([])
    for (const added of [Buffer.of(0xff, 10), Buffer.alloc(524_289, 'a')])
      expect(await findingsIn(Buffer.concat([bytes, added]))).to.deep.equal(['malformed 2'])
  })

  it('report half of a surrogate pair in the signature of a tick, and an empty line within a tick', async () => {
    const text = bytesOfFile(logOf([own, started], [own, stopped])).toString('utf8')
    const half = text.replace(/"signature":"..(?=[^"]*","tick":2)/, '"signature":"\\ud800')
    expect(half).to.not.equal(text)
    expect(await findingsIn(Buffer.from(half))).to.deep.equal(['malformed 1'])
    const empty = text.replace('{"type":"NodeStopped"}', '')
    expect(await findingsIn(Buffer.from(empty))).to.deep.equal(['malformed 1'])
  })

  it('judge the notary of each transaction by itself, also where it need not sign', async () => {
    const odd = { ...recorded(), body: { ...body, notary: 'nobody' } }
    const longer = { ...recorded(), body: { ...body, notary: { ...body.notary, more: 1 } } }
    for (const wrong of [odd, longer]) {
      expect(await findingsOf(logOf([own, started], [own, wrong, recorded()]))).to.deep.equal([
        'altered 1',
        'malformed 1',
      ])
      expect(await findingsOf(logOf([own, started], [own, recorded(), wrong]))).to.deep.equal([
        'altered 2',
        'malformed 2',
      ])
    }
  })

  it('report a key that has not signed once, however often it is named', async () => {
    const composite = { threshold: 1, children: [{ key: other.publicKey, weight: 1 }] }
    const twice = { ...body, signers: [[composite, composite, other.publicKey, other.publicKey]] }
    expect(await findingsOf(logOf([own, started], [own, recorded(twice)]))).to.deep.equal(['forged 1', 'forged 1'])
  })

  it('take a body whose lists are none for no whole transaction, and mind them in no other event', async () => {
    const broken = { ...recorded(), body: { ...body, inputs: {} } }
    const uncounted = { ...recorded(), assessments: 0 }
    const ended = { type: 'NodeStopped', body: 1, assessments: 1, signatures: 1 }
    const log = logOf([own, started], [own, uncounted], [own, ended])
    expect(await findingsOf(log)).to.deep.equal(['malformed 1'])
    // The id of what is not whole is not among those that the tick signs.
    expect(await findingsOf(logOf([own, started], [own, broken]))).to.deep.equal(['forged 1', 'malformed 1'])
  })

  it('do not know who signs until a tick begins with the start of a node', async () => {
    expect(await findingsOf(logOf([own, stopped, started], [own, stopped]))).to.deep.equal(['forged 0', 'forged 2'])
    expect(await findingsOf(logOf([own, stopped], [own, started], [own, stopped]))).to.deep.equal(['forged 0'])
  })

  it('refuse a change of key that leads to a key which was used before', async () => {
    const second = keyNamed('second')
    const third = keyNamed('third')
    const chain = [
      [own, started],
      [own, changed(own, own, second)],
      [second, changed(own, second, third)],
    ] as const
    expect(await findingsOf(logOf(...chain, [third, stopped]))).to.deep.equal([])
    // A change that is repeated puts the log back to a retired key.
    const repeated = logOf(...chain, [third, changed(own, own, second)], [second, stopped])
    expect(await findingsOf(repeated)).to.deep.equal(['forged 3'])
    const stolen = logOf([own, started], [own, changed(other, other, own), recorded()], [own, recorded()])
    expect(await findingsOf(stolen)).to.deep.equal(['forged 1'])
  })

  it('know the party of a log by its identity, also after a forged change of its key', async () => {
    const second = keyNamed('second')
    const log = logOf(
      [own, started],
      [own, changed(other, other, second), changed(own, own, second)],
      [second, recorded()],
    )
    expect(await findingsOf(log)).to.deep.equal(['forged 2'])
  })

  it('count a signature with a new key for the identity alone', async () => {
    const second = keyNamed('second')
    const signed = (signer: KeyPair): object => {
      const of = { ...body, signers: [[signer.publicKey]] }
      return { ...recorded(of), signatures: [signTransaction(second, network, sealBody(of).id)] }
    }
    const log = (signer: KeyPair): LogFile =>
      logOf([own, started], [own, changed(other, other, second)], [own, signed(signer)])
    expect(await findingsOf(log(other))).to.deep.equal([])
    expect(await findingsOf(log(second))).to.deep.equal(['forged 2'])
  })

  it('follow a thousand levels of lists and objects', async () => {
    let data: Json = null
    for (let level = 0; level < 500; level++) data = [{ in: data }]
    const deep = { ...body, commands: [{ type: 'test/Make', data }] }
    const signed = { ...recorded(deep), signatures: [signTransaction(own, network, sealBody(deep).id)] }
    expect(await findingsOf(logOf([own, started], [own, recorded(deep), signed]))).to.deep.equal([])
  })
})
