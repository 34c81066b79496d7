import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { keyList, thresholdKey } from '../model/KeyTree.js'
import { needs } from '../model/Account.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings } from '../model/Settings.js'
import { defineOperation } from '../operations/Operation.js'
import { key, keyPair, Scene, startSecond, statusOf, type CreateOptions } from './Scene.js'

const withPeople = (...names: readonly string[]): Promise<Scene> => Scene.withPeople(names)

const admin = { adminKey: key('admin'), alsoSigning: [keyPair('admin')] }

describe('creating a schedule under policy merge', () => {
  it('[HED-001] makes a schedule of a body alone: its creator pays, and nobody has signed', async () => {
    const scene = await withPeople('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const { status, receipt } = await scene.create(body)
    expect(status).to.equal('SUCCESS')
    const { info } = await scene.network.info(receipt?.schedule)
    expect(info).to.deep.include({
      schedule: receipt?.schedule,
      creatorAccountID: scene.id('D'),
      payerAccountID: scene.id('D'),
      transactionBody: body,
      signers: [],
      adminKey: null,
      memo: '',
      expirationTime: startSecond + 1_800,
    })
  })

  it('[HED-002] [HED-003] [HED-004] shows admin key, payer and memo as they were given', async () => {
    const scene = await withPeople('A', 'B', 'P')
    const info = async (options: CreateOptions) =>
      (await scene.network.info(await scene.created(scene.transfer('A', 'B', 1), options))).info
    expect(await info(admin)).to.include({ adminKey: key('admin') })
    expect(await info({ payer: 'P' })).to.include({ payerAccountID: scene.id('P'), creatorAccountID: scene.id('D') })
    expect(await info({ entityMemo: 'rent' })).to.include({ memo: 'rent' })
  })

  it('joins an identical create to the schedule that is there, and keeps its signatures', async () => {
    const scene = await withPeople('A', 'B', 'E')
    const body = scene.transfer('A', 'B', 1)
    const options = { payer: 'D', signs: ['A'] }
    const first = await scene.created(body, { payer: 'D' })
    expect(await scene.created(body, { ...options, as: 'E' }), 'whoever sends it').to.equal(first)
    expect(await scene.created(body, options), 'and however often').to.equal(first)
    expect((await scene.network.info(first)).info).to.deep.include({
      creatorAccountID: scene.id('D'),
      signers: [key('A')],
    })
    expect(await scene.count('Schedule')).to.equal(1)
    const completed = await scene.create(body, { ...options, signs: ['D'] })
    expect(completed.execution).to.deep.include({ scheduleRef: first })
    expect(await scene.balance('B')).to.equal(1_001)
  })

  it('[HED-006] [HED-007] [HED-008] [HED-009] tells schedules apart by payer, admin key and memo', async () => {
    const scene = await withPeople('A', 'B', 'P', 'Q')
    const body = scene.transfer('A', 'B', 1)
    const other = { adminKey: key('other'), alsoSigning: [keyPair('other')] }
    const ids = [
      await scene.created(body, { ...admin, payer: 'P' }),
      await scene.created(body, { ...other, payer: 'Q' }),
      await scene.created(body, { ...admin, payer: 'Q' }),
      await scene.created(body, { ...other, payer: 'P' }),
      await scene.created(body, { ...admin, payer: 'P', entityMemo: 'again' }),
      await scene.created(scene.transfer('A', 'B', 1, { nonce: 7 }), { ...admin, payer: 'P' }),
    ]
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('[HED-006] gives each schedule its own expiry', async () => {
    const scene = await withPeople('A', 'B', 'P')
    const body = scene.transfer('A', 'B', 1)
    const first = await scene.created(body)
    await scene.pass(100)
    const second = await scene.created(body, { ...admin, payer: 'P' })
    await scene.pass(1_700)
    expect(await scene.infoStatus(first)).to.equal('SCHEDULE_DELETED')
    expect(await scene.infoStatus(second)).to.equal('SUCCESS')
    await scene.pass(100)
    expect(await scene.infoStatus(second)).to.equal('SCHEDULE_DELETED')
  })

  it('[HED-011] finds creates identical in body, with payer, admin key, memo, and all of them', async () => {
    const scene = await withPeople('A', 'B', 'P')
    const body = scene.transfer('A', 'B', 1)
    const variants: readonly CreateOptions[] = [
      {},
      { payer: 'P' },
      admin,
      { entityMemo: 'm' },
      { ...admin, payer: 'P', entityMemo: 'm' },
    ]
    for (const options of variants)
      expect(await scene.created(body, options)).to.equal(await scene.created(body, options))
    expect(await scene.count('Schedule')).to.equal(variants.length)
  })

  it('[HED-012] [HED-013] makes a new schedule when the identical one was executed or has expired', async () => {
    const scene = await withPeople('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const executed = await scene.created(body, { signs: ['D', 'A'] })
    const second = await scene.created(body)
    expect(second).not.to.equal(executed)
    await scene.pass(1_800)
    expect(await scene.ended(second)).to.equal('expired')
    expect(await scene.created(body)).not.to.equal(second)
  })

  it('[HED-014] [HED-062] refuses a payer or a creator that does not exist or is deleted', async () => {
    const scene = await withPeople('A', 'B', 'gone')
    const deletion = { kind: 'cryptoDelete', deleteAccountID: scene.id('gone'), transferAccountID: scene.id('A') }
    expect(await statusOf(scene.submit(deletion, { with: ['gone'] }))).to.equal('SUCCESS')
    const body = scene.transfer('A', 'B', 1)
    const asking = (payer: string) =>
      scene.network.create(
        scene.wallet('D').transaction({ kind: 'scheduleCreate', transactionBody: body, payer }, scene.now),
      )
    expect(await statusOf(asking('0.0.999999'))).to.equal('INVALID_SCHEDULE_PAYER_ID')
    expect(await statusOf(asking(scene.id('gone')))).to.equal('INVALID_SCHEDULE_PAYER_ID')
    expect(await statusOf(scene.create(body, { as: 'gone' }))).to.equal('INVALID_SCHEDULE_ACCOUNT_ID')
    expect(await scene.count('Schedule')).to.equal(0)
  })

  it('[HED-016] refuses a memo of 101 bytes before it is charged for', async () => {
    const scene = await withPeople('A', 'B')
    const before = await scene.balance('D')
    const response = await scene.create(scene.transfer('A', 'B', 1), { entityMemo: 'é'.repeat(50) + 'x' })
    expect(response).to.deep.equal({ status: 'MEMO_TOO_LONG', handled: false })
    expect(await scene.balance('D')).to.equal(before)
    expect(await statusOf(scene.create(scene.transfer('A', 'B', 1), { entityMemo: 'x'.repeat(100) }))).to.equal(
      'SUCCESS',
    )
  })

  it('[HED-017] [HED-067] refuses a wrong signature, and then makes no schedule at all', async () => {
    const scene = await withPeople('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const right = scene.signature('A', body)
    const wrong = { ...right, ed25519: scene.signature('A', scene.transfer('A', 'B', 2)).ed25519 }
    for (const bad of [wrong, { ...right, ed25519: '' }, { ...right, ed25519: 'AAAA' }])
      expect(await statusOf(scene.create(body, { sigMap: [bad] }))).to.equal('SOME_SIGNATURES_WERE_INVALID')
    expect(await statusOf(scene.create(body, { sigMap: [right, wrong] }))).to.equal('SOME_SIGNATURES_WERE_INVALID')
    expect(await scene.count('Schedule')).to.equal(0)
    expect(await statusOf(scene.create(body, { sigMap: [right] }))).to.equal('SUCCESS')
    expect(await scene.count('Schedule')).to.equal(1)
    expect(await scene.count('IdentityEntry')).to.equal(1)
  })

  it('[HED-018] [HED-019] schedules no schedules, and nothing that is not on the whitelist', async () => {
    const scene = await withPeople('A', 'B')
    const inner = scene.transfer('A', 'B', 1)
    for (const operation of [
      { kind: 'scheduleCreate', transactionBody: inner },
      { kind: 'scheduleSign', scheduleID: '0.0.1' },
      { kind: 'scheduleDelete', schedule: '0.0.1' },
      { kind: 'cryptoDelete', deleteAccountID: scene.id('A'), transferAccountID: scene.id('B') },
      { kind: 'unheardOf' },
      { kind: 'constructor' },
    ])
      expect(await statusOf(scene.create(transactionBody(operation)))).to.equal('UNSCHEDULABLE_TRANSACTION')
  })

  it('[HED-021] refuses garbage, and a body that does nothing', async () => {
    const scene = await withPeople('A', 'B')
    for (const text of [
      '',
      'garbage',
      '[]',
      '17',
      '{"operation":{}}',
      '{"operation":{"kind":"cryptoTransfer"}}',
      '{"memo":"nothing"}',
    ])
      expect(await statusOf(scene.create(text)), text).to.equal('UNPARSEABLE_SCHEDULED_TRANSACTION')
    expect(await statusOf(scene.create(undefined))).to.equal('UNPARSEABLE_SCHEDULED_TRANSACTION')
  })

  it('refuses a body that makes no sense whatever the ledger holds, by the name of what is wrong', async () => {
    const scene = await withPeople('A', 'B')
    const status = (body: string) => statusOf(scene.create(body))
    expect(await status(scene.transfers({ A: -2, B: 1 }))).to.equal('INVALID_ACCOUNT_AMOUNTS')
    const twice = [-1, 1].map((amount) => ({ accountID: scene.id('A'), amount }))
    expect(await status(transactionBody({ kind: 'cryptoTransfer', transfers: twice }))).to.equal(
      'ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS',
    )
    expect(await status(transactionBody({ kind: 'cryptoCreateAccount', key: keyList() }))).to.equal('BAD_ENCODING')
    const named = JSON.stringify({
      operation: { kind: 'cryptoTransfer', transfers: [] },
      transactionID: { scheduled: true },
    })
    expect(await status(named)).to.equal('TRANSACTION_ID_FIELD_NOT_ALLOWED')
  })

  it('[HED-022] refuses a body about an account that nobody knows', async () => {
    const scene = await withPeople('A')
    const transfers = [
      { accountID: scene.id('A'), amount: -1 },
      { accountID: '0.0.4242', amount: 1 },
    ]
    expect(await statusOf(scene.create(transactionBody({ kind: 'cryptoTransfer', transfers })))).to.equal(
      'UNRESOLVABLE_REQUIRED_SIGNERS',
    )
  })

  it('[HED-023] executes at once when the create brings every signature', async () => {
    const scene = await withPeople('A', 'B')
    const { execution } = await scene.create(scene.transfer('A', 'B', 1), { signs: ['D', 'A'] })
    expect(execution?.receipt.status).to.equal('SUCCESS')
    expect(await scene.balances('A', 'B')).to.deep.equal([999, 1_001])
    expect([await scene.count('Schedule'), await scene.count('Signatories')]).to.deep.equal([0, 0])
  })

  it('[HED-024] only stores a schedule that lacks a signature', async () => {
    const scene = await withPeople('A', 'B')
    const response = await scene.create(scene.transfer('A', 'B', 1), { signs: ['A'] })
    expect(response).not.to.have.property('execution')
    expect(await scene.balances('A', 'B')).to.deep.equal([1_000, 1_000])
  })

  it('[HED-026] looks again at an identical create without signatures, against the keys of today', async () => {
    const scene = await withPeople('B')
    await scene.person('A', { key: keyList(key('a'), key('b')), keys: ['a', 'b'] })
    const body = scene.transfer('A', 'B', 1)
    const id = await scene.created(body, { signs: ['D', 'a'] })
    await scene.rekey('A', key('a'), ['a', 'b'], ['a'])
    const { receipt, execution } = await scene.create(body)
    expect(receipt?.schedule).to.equal(id)
    expect(execution?.receipt.status).to.equal('SUCCESS')
    expect(await scene.balance('B')).to.equal(1_001)
  })

  it('[HED-027] takes one branch of a key for enough when an operation says so', async () => {
    const revoke = defineOperation({
      kind: 'revoke',
      asked: t.strict({}),
      needs: () => needs({ keys: [thresholdKey(1, key('k'), thresholdKey(2, key('x'), key('y'), key('z')))] }),
      *perform() {
        return right({})
      },
    })
    const whitelist = [...defaultSettings.whitelist, 'revoke']
    const scene = await Scene.open({ operations: [revoke], settings: { whitelist } })
    const body = (nonce: number) => transactionBody({ kind: 'revoke' }, { nonce })
    expect(await scene.create(body(1), { signs: ['D', 'x', 'z'] })).to.have.property('execution')
    const id = await scene.created(body(2), { signs: ['D', 'x'] })
    expect(await scene.ended(id)).to.equal(undefined)
    expect(await scene.create(body(2), { signs: ['z'] })).to.have.property('execution')
    expect(await scene.ended(id)).to.equal('executed')
  })

  it('[HED-028] takes no signature of a key that was replaced meanwhile', async () => {
    const scene = await withPeople('A')
    await scene.person('R', { receiverSigRequired: true })
    const body = scene.transfer('A', 'R', 1)
    await scene.rekey('R', key('R2'), ['R'], ['R2'])
    expect(await statusOf(scene.create(body, { signs: ['R'] }))).to.equal('SOME_SIGNATURES_WERE_INVALID')
    expect(await statusOf(scene.create(body, { signs: ['R2'] }))).to.equal('SUCCESS')
  })

  it('[HED-029] knows no schedule 0.0.0, and none without a number', async () => {
    const scene = await Scene.open()
    expect(await scene.infoStatus('0.0.0')).to.equal('INVALID_SCHEDULE_ID')
    expect(await scene.infoStatus()).to.equal('INVALID_SCHEDULE_ID')
  })

  it('[HED-067] refuses an admin key that nobody could ever satisfy, and one that has not signed', async () => {
    const scene = await withPeople('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    for (const adminKey of [
      keyList(),
      thresholdKey(0, key('x')),
      thresholdKey(3, key('x'), key('y')),
      keyList(keyList()),
    ])
      expect(await scene.create(body, { adminKey })).to.deep.equal({ status: 'INVALID_ADMIN_KEY', handled: false })
    expect(await statusOf(scene.create(body, { adminKey: key('admin') }))).to.equal('INVALID_SIGNATURE')
    expect(await scene.count('Schedule')).to.equal(0)
  })

  it('[HED-063] tells two identities apart that are filed under one hash', async () => {
    const scene = await Scene.open({ hash: () => 'the same' })
    await scene.people('A', 'B')
    const first = await scene.created(scene.transfer('A', 'B', 1))
    const second = await scene.created(scene.transfer('A', 'B', 2))
    expect(second).not.to.equal(first)
    expect(await scene.created(scene.transfer('A', 'B', 1))).to.equal(first)
    await scene.sign(first, ['D', 'A'])
    expect(
      await scene.created(scene.transfer('A', 'B', 2), { signs: ['A'] }),
      'nothing of the other is used up',
    ).to.equal(second)
    expect(await scene.count('IdentityEntry')).to.equal(1)
  })
})

describe('what comes close to what is allowed, under policy merge', () => {
  it('counts memos in bytes, also where a letter takes several', async () => {
    const scene = await withPeople('A', 'B')
    const status = (entityMemo: string) => statusOf(scene.create(scene.transfer('A', 'B', 1), { entityMemo }))
    expect(await status('é'.repeat(50))).to.equal('SUCCESS')
    expect(await status(`${'é'.repeat(50)}.`)).to.equal('MEMO_TOO_LONG')
    expect(await status('𝄞'.repeat(25))).to.equal('SUCCESS')
    expect(await status('𝄞'.repeat(26))).to.equal('MEMO_TOO_LONG')
    expect(await status('a\u0000b')).to.equal('INVALID_ZERO_BYTE_IN_STRING')
    const inner = (memo: string) => statusOf(scene.create(scene.transfer('A', 'B', 2, { memo })))
    expect(await inner('é'.repeat(51))).to.equal('MEMO_TOO_LONG')
    const outer = await scene.create(scene.transfer('A', 'B', 3), { memo: '\u0000' })
    expect(outer).to.deep.equal({ status: 'INVALID_ZERO_BYTE_IN_STRING', handled: false })
  })

  it('gives no account a key that nobody or anybody could satisfy, at once or scheduled', async () => {
    const scene = await withPeople('A')
    for (const wrong of [
      keyList(),
      thresholdKey(0, key('a')),
      thresholdKey(-1, key('a')),
      thresholdKey(2, key('a')),
      keyList(key('a'), thresholdKey(0, key('b'))),
      thresholdKey(1, key('a'), keyList()),
    ]) {
      for (const operation of [
        { kind: 'cryptoCreateAccount', key: wrong },
        { kind: 'cryptoUpdateAccount', accountID: scene.id('A'), key: wrong },
      ]) {
        expect(await statusOf(scene.submit(operation, { with: ['A'] }))).to.equal('BAD_ENCODING')
        expect(await statusOf(scene.create(transactionBody(operation)))).to.equal('BAD_ENCODING')
      }
      expect(await statusOf(scene.create(scene.transfer('A', 'D', 1), { adminKey: wrong }))).to.equal(
        'INVALID_ADMIN_KEY',
      )
    }
  })

  it('asks a receiver who is to receive nothing, and one who came to want it, like any other', async () => {
    const scene = await withPeople('A', 'B')
    await scene.person('C', { receiverSigRequired: true })
    const body = scene.transfers({ A: -1, B: 1, C: 0 })
    const id = await scene.created(body, { signs: ['D', 'A'] })
    expect(await scene.ended(id)).to.equal(undefined)
    const asked = { kind: 'cryptoUpdateAccount', accountID: scene.id('B'), receiverSigRequired: true }
    expect(await statusOf(scene.submit(asked, { with: ['B'] }))).to.equal('SUCCESS')
    expect((await scene.sign(id, ['C'])).execution).to.equal(undefined)
    expect((await scene.sign(id, ['B'])).execution?.receipt.status).to.equal('SUCCESS')
  })

  it('executes a transfer of nothing by the payer alone', async () => {
    const scene = await withPeople('A')
    const { execution } = await scene.create(transactionBody({ kind: 'cryptoTransfer', transfers: [] }), {
      signs: ['D'],
    })
    expect(execution?.receipt.status).to.equal('SUCCESS')
    expect(execution?.transferList.map(({ amount }) => amount)).to.deep.equal([10, -10])
  })
})
