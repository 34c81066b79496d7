import { expect } from 'chai'
import { signIdentity } from '../client/Wallet.js'
import { keyList, thresholdKey } from '../model/KeyTree.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { signedTextOf } from '../model/TransactionBody.js'
import { IdentityEntry, Schedule } from '../states.js'
import { scheduledIDOf } from '../model/ids.js'
import { key, keyPair, Scene, statusOf } from './Scene.js'

const withPeople = (...names: readonly string[]): Promise<Scene> => Scene.withPeople(names)

describe('signing a schedule under policy merge', () => {
  it('[HED-031] [HED-032] [HED-068] knows no schedule that was executed, and none that never was', async () => {
    const scene = await withPeople('A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1), { signs: ['D', 'A'] })
    expect(await statusOf(scene.sign(id, ['A']))).to.equal('INVALID_SCHEDULE_ID')
    expect(await statusOf(scene.sign('0.0.4711', ['A']))).to.equal('INVALID_SCHEDULE_ID')
    expect(await statusOf(scene.sign(undefined, ['A']))).to.equal('INVALID_SCHEDULE_ID')
  })

  it('[HED-033] [HED-034] refuses signatures that are wrong, and those of keys that are not needed', async () => {
    const scene = await withPeople('A', 'B', 'E')
    const body = scene.transfer('A', 'B', 1)
    const id = await scene.created(body)
    const bad = { ...scene.signature('A', body), ed25519: 'not a signature' }
    expect(await statusOf(scene.sign(id, [], { sigMap: [bad] }))).to.equal('SOME_SIGNATURES_WERE_INVALID')
    expect(await statusOf(scene.sign(id, ['E']))).to.equal('SOME_SIGNATURES_WERE_INVALID')
    expect(await statusOf(scene.sign(id, ['A', 'E'])), 'not even along with a good one').to.equal(
      'SOME_SIGNATURES_WERE_INVALID',
    )
    expect((await scene.network.info(id)).info?.signers).to.deep.equal([])
  })

  it('[HED-066] counts a signature once: whoever has signed already brings nothing new', async () => {
    const scene = await withPeople('A', 'B', 'C')
    const id = await scene.created(scene.transfers({ A: -1, B: -1, C: 2 }))
    expect(await statusOf(scene.sign(id, ['A']))).to.equal('SUCCESS')
    expect(await statusOf(scene.sign(id, ['A']))).to.equal('NO_NEW_VALID_SIGNATURES')
    expect(await statusOf(scene.sign(id))).to.equal('NO_NEW_VALID_SIGNATURES')
    expect(await statusOf(scene.sign(id, ['A', 'B']))).to.equal('SUCCESS')
    expect((await scene.network.info(id)).info?.signers).to.deep.equal([key('A'), key('B')])
  })

  it('[HED-036] executes when the last missing signature is the payer’s', async () => {
    const scene = await withPeople('A', 'B', 'P')
    const id = await scene.created(scene.transfer('A', 'B', 1), { payer: 'P', signs: ['A'] })
    const { execution } = await scene.sign(id, ['P'])
    expect(execution?.receipt.status).to.equal('SUCCESS')
    expect(await scene.balance('B')).to.equal(1_001)
  })

  it('[HED-037] executes when the last missing signature is the receiver’s', async () => {
    const scene = await withPeople('A')
    await scene.person('R', { receiverSigRequired: true })
    const id = await scene.created(scene.transfer('A', 'R', 1), { signs: ['D', 'A'] })
    expect(await scene.balance('R')).to.equal(1_000)
    expect(await scene.sign(id, ['R'])).to.have.property('execution')
    expect(await scene.balance('R')).to.equal(1_001)
  })

  it('[HED-038] does not take a signature on the create for one on the schedule', async () => {
    const scene = await withPeople('shared')
    const body = transactionBody({
      kind: 'cryptoCreateAccount',
      key: key('shared'),
      initialBalance: 123,
      receiverSigRequired: true,
    })
    const created = await scene.create(body, { as: 'shared' })
    const scheduled = created.receipt?.scheduledTransactionID
    expect((await scene.network.record(scheduled!)).status).to.equal('RECORD_NOT_FOUND')
    const { execution } = await scene.sign(created.receipt?.schedule, ['shared'], { as: 'shared' })
    expect(execution?.receipt.status).to.equal('SUCCESS')
    expect(await scene.network.balance(execution?.receipt.accountID ?? '')).to.equal(123)
    expect((await scene.network.record(scheduled!)).record).to.deep.equal(execution)
  })

  it('[HED-039] never takes a signature on a schedule for one on a transaction', async () => {
    const scene = await withPeople('A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1), { as: 'A', signs: ['A'] })
    expect(id).to.be.a('string')
    const old = scene.wallet('A')
    await scene.rekey('A', key('A2'), ['A'], ['A2'])
    const withOld = old.transaction({ kind: 'scheduleSign', scheduleID: id } as const, scene.now)
    expect(await statusOf(scene.network.sign(withOld))).to.equal('INVALID_PAYER_SIGNATURE')
    const body = withOld.body
    const identity = { transactionBody: '', adminKey: null, memo: '', payer: scene.id('A') }
    const replayed = { body, sigMap: [signIdentity(scene.network.ledgerID, keyPair('A2'), identity, {})] }
    expect(await statusOf(scene.network.sign(replayed))).to.equal('INVALID_PAYER_SIGNATURE')
  })

  it('[HED-041] looks again when somebody signs without a signature, against the keys of today', async () => {
    const scene = await withPeople('B')
    await scene.person('A', { key: keyList(key('a'), key('b')), keys: ['a', 'b'] })
    const id = await scene.created(scene.transfer('A', 'B', 1), { signs: ['D', 'a'] })
    expect(await statusOf(scene.sign(id))).to.equal('NO_NEW_VALID_SIGNATURES')
    await scene.rekey('A', key('a'), ['a', 'b'], ['a'])
    expect(await scene.balance('B'), 'nothing happens by itself').to.equal(1_000)
    expect(await scene.sign(id, [], { as: 'B' })).to.have.property('execution')
    expect(await scene.balance('A')).to.equal(999)
  })

  it('executes once when all who must sign do so at the same moment', async () => {
    const scene = await withPeople('B')
    const names = Array.from({ length: 20 }, (_, number) => `n${number}`)
    await scene.person('A', { key: thresholdKey(7, ...names.map(key)), keys: names })
    const id = await scene.created(scene.transfer('A', 'B', 1), { signs: ['D'] })
    const responses = await Promise.all(names.map((name) => scene.sign(id, [name])))
    expect(responses.filter(({ execution }) => execution !== undefined)).to.have.length(1)
    expect(responses.map(({ status }) => status)).to.deep.equal([
      ...Array.from({ length: 7 }, () => 'SUCCESS'),
      ...Array.from({ length: 13 }, () => 'INVALID_SCHEDULE_ID'),
    ])
    expect(await scene.balance('B')).to.equal(1_001)
  })

  it('[HED-042] lets a lifetime of nothing end at once', async () => {
    const scene = await Scene.open({ settings: { txExpiryTimeSecs: 0 } })
    await scene.people('A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1))
    await scene.virtual.runUntilQuiet()
    expect(await statusOf(scene.sign(id, ['A']))).to.equal('INVALID_SCHEDULE_ID')
    expect(await scene.ended(id)).to.equal('expired')
  })
})

describe('deleting a schedule under policy merge', () => {
  const admin = { adminKey: key('admin'), alsoSigning: [keyPair('admin')] }

  it('[HED-043] [HED-046] [HED-064] is the admin key’s right, once', async () => {
    const scene = await withPeople('A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1), { ...admin, signs: ['A'] })
    expect(await statusOf(scene.delete(id, [])), 'unsigned').to.equal('INVALID_SIGNATURE')
    expect(await statusOf(scene.delete(id, ['A'])), 'signed by another').to.equal('INVALID_SIGNATURE')
    expect(await statusOf(scene.delete(id, ['admin']))).to.equal('SUCCESS')
    expect(await scene.infoStatus(id)).to.equal('SCHEDULE_DELETED')
    expect(await statusOf(scene.delete(id, ['admin']))).to.equal('INVALID_SCHEDULE_ID')
    expect(await statusOf(scene.sign(id, ['D']))).to.equal('INVALID_SCHEDULE_ID')
    const { history } = await scene.network.history(id)
    expect(history?.end?.as).to.equal('deleted')
    expect(history?.signers, 'the history keeps who had signed').to.deep.equal([key('A')])
    const [entry] = (await scene.virtual.node.states(IdentityEntry)).map(({ data }) => data)
    expect(entry?.schedules, 'an identical create meets none').to.deep.equal([])
    expect(entry?.spent[0]?.keys, 'its signatures complete no other').to.deep.equal([key('A')])
  })

  it('[HED-044] [HED-064] is nobody’s right without an admin key', async () => {
    const scene = await withPeople('A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1))
    expect(await statusOf(scene.delete(id, ['D']))).to.equal('SCHEDULE_IS_IMMUTABLE')
    expect(await scene.infoStatus(id)).to.equal('SUCCESS')
  })

  it('[HED-047] [HED-048] [HED-049] comes too late after execution and expiry, and finds nothing unknown', async () => {
    const scene = await withPeople('A', 'B')
    const executed = await scene.created(scene.transfer('A', 'B', 1), { ...admin, signs: ['D', 'A'] })
    expect(await statusOf(scene.delete(executed, ['admin']))).to.equal('INVALID_SCHEDULE_ID')
    const expired = await scene.created(scene.transfer('A', 'B', 2), admin)
    await scene.pass(1_800)
    expect(await statusOf(scene.delete(expired, ['admin']))).to.equal('INVALID_SCHEDULE_ID')
    for (const id of ['0.0.0', '0.0.31337', undefined])
      expect(await statusOf(scene.delete(id, ['admin']))).to.equal('INVALID_SCHEDULE_ID')
  })

  it('finds an expired schedule gone even before the node has come to clear it', async () => {
    const scene = await withPeople('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const id = await scene.created(body, { ...admin, signs: ['D'] })
    const ref = (await scene.virtual.node.find(Schedule, id))!.ref
    await scene.virtual.node.pause(ref)
    await scene.pass(1_800)
    expect(await statusOf(scene.sign(id, ['A']))).to.equal('INVALID_SCHEDULE_ID')
    expect(await statusOf(scene.delete(id, ['admin']))).to.equal('INVALID_SCHEDULE_ID')
    expect(await scene.infoStatus(id)).to.equal('SCHEDULE_DELETED')
    const next = await scene.created(body, admin)
    expect(next).not.to.equal(id)
    await scene.virtual.node.resume(ref)
    await scene.virtual.runUntilQuiet()
    expect([await scene.ended(id), await scene.ended(next)]).to.deep.equal(['expired', undefined])
    expect(await scene.created(body, admin), 'the identical one is still found').to.equal(next)
  })
})

describe('a signature under policy merge', () => {
  const forged = 'SOME_SIGNATURES_WERE_INVALID'

  it('of one schedule does not count on another', async () => {
    const scene = await withPeople('A', 'B')
    const small = scene.transfer('A', 'B', 1)
    const large = scene.transfer('A', 'B', 900)
    await scene.created(small, { signs: ['A'] })
    const id = await scene.created(large, { signs: ['D'] })
    const taken = scene.signature('A', small)
    expect(await statusOf(scene.sign(id, [], { sigMap: [taken] }))).to.equal(forged)
    expect(await statusOf(scene.create(large, { sigMap: [taken] }))).to.equal(forged)
    expect(await statusOf(scene.create(small, { entityMemo: 'again', sigMap: [taken] })), 'another memo').to.equal(
      forged,
    )
    expect(await statusOf(scene.create(small, { payer: 'B', sigMap: [taken] })), 'another payer').to.equal(forged)
    expect(await scene.balance('A')).to.equal(1_000)
  })

  it('on a transaction does not count on a schedule, and the reverse', async () => {
    const scene = await withPeople('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const id = await scene.created(body, { signs: ['D'] })
    const outer = scene.wallet('A').transaction({ kind: 'cryptoTransfer', transfers: [] }, scene.now)
    const taken = outer.sigMap.map((pair) => ({ ...pair, until: scene.second }))
    expect(await statusOf(scene.sign(id, [], { sigMap: taken }))).to.equal(forged)
    const sigMap = [scene.signature('A', body)]
    expect(await statusOf(scene.network.submit({ body: outer.body, sigMap }))).to.equal('INVALID_PAYER_SIGNATURE')
    expect(signedTextOf(scene.network.ledgerID, outer.body)).to.include('scheduled-transactions/transaction')
  })

  it('that an executed schedule has used never counts again; another nonce does it once more', async () => {
    const scene = await withPeople('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    await scene.created(body, { signs: ['D', 'A'] })
    for (const signs of [['A'], ['D'], ['D', 'A']])
      expect(await statusOf(scene.create(body, { signs }))).to.equal(forged)
    const again = await scene.created(body)
    expect(await statusOf(scene.sign(again, ['A']))).to.equal(forged)
    expect(await scene.balance('B'), 'moved once').to.equal(1_001)
    await scene.pass(1_800)
    expect(await statusOf(scene.create(body, { signs: ['A'] })), 'for ever').to.equal(forged)
    expect(await scene.create(scene.transfer('A', 'B', 1, { nonce: 1 }), { signs: ['D', 'A'] })).to.have.property(
      'execution',
    )
    expect(await scene.balance('B')).to.equal(1_002)
  })

  it('is no use in a transaction that is sent again', async () => {
    const scene = await withPeople('A', 'B')
    const id = await scene.created(scene.transfers({ A: -1, B: 1 }))
    const signed = scene.wallet('D').transaction({ kind: 'scheduleSign', scheduleID: id } as const, scene.now)
    expect(await statusOf(scene.network.sign(signed))).to.equal('NO_NEW_VALID_SIGNATURES')
    expect(await scene.network.sign(signed)).to.deep.equal({ status: 'DUPLICATE_TRANSACTION', handled: false })
    await scene.pass(200)
    expect(await statusOf(scene.network.sign(signed))).to.equal('TRANSACTION_EXPIRED')
  })
})

describe('the identity of a scheduled execution', () => {
  it('[HED-226] is the create’s id with the flag, and counts up what was scheduled already', () => {
    const id = { accountID: '0.0.1001', transactionValidStart: { seconds: 5, nanos: 7 } }
    expect(scheduledIDOf(id)).to.deep.equal({ ...id, scheduled: true, nonce: 0 })
    expect(scheduledIDOf(id, 42)).to.deep.equal({ ...id, scheduled: true, nonce: 42 })
    expect(scheduledIDOf({ ...id, scheduled: true, nonce: 3 })).to.deep.equal({ ...id, scheduled: true, nonce: 4 })
  })
})
