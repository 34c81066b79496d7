import { expect } from 'chai'
import { identityOf, hashIdentity } from '../model/Identity.js'
import { keyList, thresholdKey } from '../model/KeyTree.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings, type Settings } from '../model/Settings.js'
import { key, keyPair, Scene, startSecond, statusOf } from './Scene.js'

const reject: Partial<Settings> = { onIdentical: 'reject' }

const withPeople = (...names: readonly string[]): Promise<Scene> => Scene.withPeople(names, { settings: reject })

const admin = { adminKey: key('admin'), alsoSigning: [keyPair('admin')] }

describe('creating a schedule under policy reject', () => {
  it('[HED-101] [HED-102] [HED-103] [HED-104] [HED-105] [HED-106] shows a schedule as it was given, and who has signed', async () => {
    const scene = await withPeople('A', 'B', 'P')
    expect(await scene.infoStatus('0.0.0')).to.equal('INVALID_SCHEDULE_ID')
    const body = scene.transfer('A', 'B', 1)
    const id = await scene.created(body, { ...admin, entityMemo: 'm' })
    const { info } = await scene.network.info(id)
    expect(info).to.deep.include({
      transactionBody: body,
      memo: 'm',
      adminKey: key('admin'),
      signers: [key('D')],
    })
    const byPayer = await scene.created(body, { payer: 'P' })
    expect((await scene.network.info(byPayer)).info?.payerAccountID).to.equal(scene.id('P'))
    const { record } = await scene.sign(id, ['A'])
    expect((await scene.network.info(id)).info).to.deep.include({
      signers: [key('D'), key('A')],
      executionTime: record?.consensusTimestamp,
    })
  })

  it('[HED-108] [HED-117] counts only the signatures that are needed, and stores what is incomplete', async () => {
    const scene = await withPeople('A', 'P')
    await scene.person('R', { receiverSigRequired: true })
    const id = await scene.created(scene.transfer('A', 'R', 1), { payer: 'P', signs: ['R'] })
    expect((await scene.network.info(id)).info?.signers).to.deep.equal([key('R')])
    expect(await scene.balance('R')).to.equal(1_000)
  })

  it('[HED-109] refuses a payer nobody knows', async () => {
    const scene = await withPeople('A', 'B')
    const asked = { kind: 'scheduleCreate', transactionBody: scene.transfer('A', 'B', 1), payer: '0.0.4242' } as const
    expect(await statusOf(scene.network.create(scene.wallet('D').transaction(asked, scene.now)))).to.equal(
      'ACCOUNT_ID_DOES_NOT_EXIST',
    )
  })

  it('[HED-111] tells schedules apart by inner memo, memo, admin key, expiration and whether they wait', async () => {
    const scene = await withPeople('A', 'B')
    const body = (memo: string) => scene.transfer('A', 'B', 1, { memo })
    const expirationTime = startSecond + 5_000
    const ids = [
      await scene.created(body('A')),
      await scene.created(body('B')),
      await scene.created(body('A'), { entityMemo: 'x' }),
      await scene.created(body('A'), admin),
      await scene.created(body('A'), { expirationTime }),
      await scene.created(body('A'), { expirationTime, waitForExpiry: true }),
    ]
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('[HED-112] [HED-221] refuses an identical create, whoever is to pay, and names the original; its signatures are not kept', async () => {
    const scene = await withPeople('A', 'B', 'P')
    const body = scene.transfer('A', 'B', 1)
    const original = await scene.create(body)
    const again = await scene.create(body, { as: 'P', payer: 'P', signs: ['A'] })
    expect(again.status).to.equal('IDENTICAL_SCHEDULE_ALREADY_CREATED')
    expect(again.receipt).to.deep.include({
      schedule: original.receipt?.schedule,
      scheduledTransactionID: original.receipt?.scheduledTransactionID,
    })
    expect((await scene.network.info(original.receipt?.schedule)).info?.signers).to.deep.equal([key('D')])
  })

  it('[HED-113] [HED-351] takes any admin key that can be satisfied and has signed, and no other', async () => {
    const scene = await withPeople('A', 'B')
    const keys = ['x', 'y', 'z'].map(key)
    const nested = keyList(key('x'), keyList(key('y'), keyList(key('z'))))
    for (const [index, adminKey] of [key('x'), keyList(...keys), nested, thresholdKey(2, ...keys)].entries()) {
      const body = scene.transfer('A', 'B', index + 1)
      expect(await statusOf(scene.create(body, { adminKey }))).to.equal('INVALID_SIGNATURE')
      expect(await statusOf(scene.create(body, { adminKey, alsoSigning: [keyPair('w')] }))).to.equal(
        'INVALID_SIGNATURE',
      )
      const alsoSigning = ['x', 'y', 'z'].map(keyPair)
      expect(await statusOf(scene.create(body, { adminKey, alsoSigning }))).to.equal('SUCCESS')
    }
    expect(await scene.create(scene.transfer('A', 'B', 9), { adminKey: keyList() })).to.deep.equal({
      status: 'INVALID_ADMIN_KEY',
      handled: false,
    })
  })

  it('[HED-114] refuses an inner memo that is too long or has a zero byte', async () => {
    const scene = await withPeople('A', 'B')
    const status = (memo: string) => statusOf(scene.create(scene.transfer('A', 'B', 1, { memo })))
    expect(await status('x'.repeat(101))).to.equal('MEMO_TOO_LONG')
    expect(await status('a\u0000b')).to.equal('INVALID_ZERO_BYTE_IN_STRING')
  })

  it('[HED-116] finds a signature wrong that fits a needed key by its digits and not by its making', async () => {
    const scene = await withPeople('A')
    await scene.person('R', { receiverSigRequired: true })
    const body = scene.transfer('A', 'R', 1)
    await scene.rekey('R', key('R2'), ['R'], ['R2'])
    // Without digits the old signature fits every key there is.
    expect(await statusOf(scene.create(body, { payer: 'A', as: 'treasury', signs: ['R'], digits: 0 }))).to.equal(
      'SOME_SIGNATURES_WERE_INVALID',
    )
    expect(await statusOf(scene.create(body, { payer: 'A', signs: ['R'] })), 'with all digits it fits none').to.equal(
      'SUCCESS',
    )
    const clash = key('R2').slice('ed25519:'.length)
    const create = scene
      .wallet('D')
      .transaction({ kind: 'scheduleCreate', transactionBody: body, memo: 'clash' } as const, scene.now, {
        alsoSigning: [keyPair('R')],
      })
    const sigMap = create.sigMap.map((pair, index) => (index === 1 ? { ...pair, pubKeyPrefix: clash } : pair))
    expect(await statusOf(scene.network.create({ ...create, sigMap }))).to.equal('SOME_SIGNATURES_WERE_INVALID')
  })

  it('[HED-118] waits for the payer’s signature as for any other', async () => {
    const scene = await withPeople('A', 'P')
    await scene.person('R', { receiverSigRequired: true })
    const id = await scene.created(scene.transfer('A', 'R', 1), { payer: 'P', signs: ['A', 'R'] })
    expect((await scene.network.info(id)).info).not.to.have.property('executionTime')
    const { status, execution } = await scene.sign(id, ['P'])
    expect([status, execution?.receipt.status]).to.deep.equal(['SUCCESS', 'SUCCESS'])
    expect((await scene.network.info(id)).info).to.have.property('executionTime')
    expect(await scene.balance('R')).to.equal(1_001)
  })

  it('[HED-119] [HED-139] executes at once with both signatures; later ones come too late, and it moves once', async () => {
    const scene = await withPeople('A', 'B')
    const { receipt, execution } = await scene.create(scene.transfer('A', 'B', 1), { signs: ['A'] })
    expect(execution?.receipt.status).to.equal('SUCCESS')
    expect((await scene.network.info(receipt?.schedule)).info).to.have.property('executionTime')
    expect(await statusOf(scene.sign(receipt?.schedule, ['A']))).to.equal('SCHEDULE_ALREADY_EXECUTED')
    expect(await scene.balance('B')).to.equal(1_001)
  })

  it('[HED-121] has no capacity for a body that does nothing, except from the network itself', async () => {
    const scene = await withPeople('A')
    expect(await scene.create('{}')).to.deep.equal({ status: 'BUSY', handled: false })
    expect(await statusOf(scene.create('{}', { as: 'treasury' }))).to.equal('SCHEDULED_TRANSACTION_NOT_IN_WHITELIST')
  })

  it('[HED-122] [HED-123] schedules what is on the whitelist, which can be changed', async () => {
    const scene = await withPeople('A')
    const body = transactionBody({ kind: 'consensusCreateTopic' })
    for (const kind of ['consensusCreateTopic', 'tokenAirdrop', 'scheduleCreate'])
      expect(await statusOf(scene.create(transactionBody({ kind })))).to.equal('SCHEDULED_TRANSACTION_NOT_IN_WHITELIST')
    await scene.network.setParameters({ whitelist: [...defaultSettings.whitelist, 'consensusCreateTopic'] })
    expect(await statusOf(scene.create(body))).to.equal('SUCCESS')
  })

  it('[HED-353] refuses a create without a body, with a nonce, or with signatures of the other policy', async () => {
    const scene = await withPeople('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    expect(await statusOf(scene.create(undefined))).to.equal('INVALID_TRANSACTION')
    expect(await statusOf(scene.create(scene.transfer('A', 'B', 1, { nonce: 1 })))).to.equal(
      'TRANSACTION_ID_FIELD_NOT_ALLOWED',
    )
    expect(await statusOf(scene.create(body, { sigMap: [scene.signature('A', body)] }))).to.equal(
      'INVALID_TRANSACTION_BODY',
    )
  })

  it('[HED-352] accepts a payer who is deleted, and one who does not sign', async () => {
    const scene = await withPeople('A', 'B', 'P')
    await scene.submit(
      { kind: 'cryptoDelete', deleteAccountID: scene.id('P'), transferAccountID: scene.id('A') },
      { with: ['P'] },
    )
    expect(await statusOf(scene.create(scene.transfer('A', 'B', 1), { payer: 'P' }))).to.equal('SUCCESS')
  })

  it('[HED-227] identifies by body, admin key, memo, given expiration and waiting, and by nothing else', () => {
    const base = {
      transactionBody: 'b',
      adminKey: null,
      memo: '',
      payerAccountID: '0.0.1',
      expirationTime: 10,
      expirationGiven: false,
      waitForExpiry: false,
    }
    const hash = (changes: Partial<typeof base> | { readonly adminKey: ReturnType<typeof key> }) =>
      hashIdentity(identityOf({ ...base, ...changes }, { onIdentical: 'reject' }))
    for (const same of [{ payerAccountID: '0.0.2' }, { expirationTime: 11 }]) expect(hash(same)).to.equal(hash({}))
    const different = [
      {},
      { transactionBody: 'c' },
      { adminKey: key('x') },
      { memo: 'm' },
      { expirationGiven: true },
      { expirationGiven: true, expirationTime: 11 },
      { waitForExpiry: true },
    ].map(hash)
    expect(new Set(different).size).to.equal(different.length)
  })

  it('[HED-364] lets an executed schedule block an identical create until its expiry, and no longer', async () => {
    const scene = await withPeople('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const id = await scene.created(body, { signs: ['A'] })
    await scene.pass(1_799)
    expect(await statusOf(scene.create(body))).to.equal('IDENTICAL_SCHEDULE_ALREADY_CREATED')
    expect(await scene.infoStatus(id)).to.equal('SUCCESS')
    await scene.pass(1)
    expect(await scene.infoStatus(id)).to.equal('INVALID_SCHEDULE_ID')
    expect(await scene.created(body)).not.to.equal(id)
    expect(await scene.ended(id), 'the history stays').to.equal('executed')
  })
})
