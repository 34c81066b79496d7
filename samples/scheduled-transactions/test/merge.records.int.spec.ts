import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { needs } from '../model/Account.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings } from '../model/Settings.js'
import { compare, nextNano } from '../model/ids.js'
import { defineOperation } from '../operations/Operation.js'
import { Scene, statusOf } from './Scene.js'

const withPeople = (...names: readonly string[]): Promise<Scene> => Scene.withPeople(names)

describe('receipts and records under policy merge', () => {
  it('[HED-051] records the execution one nanosecond after its trigger, under the create’s id, paid by the payer', async () => {
    const scene = await withPeople('A', 'B', 'P', 'S')
    const created = await scene.create(scene.transfer('A', 'B', 5, { nonce: 9, memo: 'rent' }), {
      payer: 'P',
      signs: ['P'],
    })
    const id = created.receipt?.schedule ?? ''
    const { status, receipt, record, execution } = await scene.sign(id, ['A'], { as: 'S' })
    expect(status).to.equal('SUCCESS')
    expect(receipt, 'the schedule is in receipts of creates alone').not.to.have.property('schedule')
    expect(receipt?.scheduledTransactionID).to.deep.equal(execution?.transactionID)
    expect(execution?.consensusTimestamp).to.deep.equal(nextNano(record!.consensusTimestamp))
    const { accountID, transactionValidStart } = created.record!.transactionID
    expect(execution?.transactionID).to.deep.equal({ accountID, transactionValidStart, scheduled: true, nonce: 9 })
    expect(accountID).to.equal(scene.id('D'))
    expect(execution).to.deep.include({ scheduleRef: id, memo: 'rent', transactionFee: 10 })
    expect(execution?.transferList).to.have.deep.members([
      { accountID: scene.id('P'), amount: -10 },
      { accountID: '0.0.98', amount: 10 },
      { accountID: scene.id('A'), amount: -5 },
      { accountID: scene.id('B'), amount: 5 },
    ])
    expect(record?.transferList, 'the signer pays for the sign alone').to.have.deep.members([
      { accountID: scene.id('S'), amount: -21 },
      { accountID: '0.0.98', amount: 21 },
    ])
    expect(record).not.to.have.property('scheduleRef')
  })

  it('[HED-052] [HED-053] records that the payer could not pay; the sign is unaffected and nothing else moves', async () => {
    for (const payer of ['C', 'P']) {
      const scene = await withPeople('A', 'B', 'C', 'P')
      const id = await scene.created(scene.transfer('A', 'B', 1), { as: 'C', payer, signs: [payer] })
      const balance = await scene.balance(payer)
      const transfers = [
        { accountID: scene.id(payer), amount: -balance },
        { accountID: scene.id('D'), amount: balance },
      ]
      expect(await statusOf(scene.submit({ kind: 'cryptoTransfer', transfers }, { with: [payer] }))).to.equal('SUCCESS')
      const { status, execution } = await scene.sign(id, ['A'])
      expect(status).to.equal('SUCCESS')
      expect(execution?.receipt.status).to.equal('INSUFFICIENT_PAYER_BALANCE')
      expect(execution).to.deep.include({ transferList: [], transactionFee: 0 })
      expect(await scene.balances('A', 'B', payer)).to.deep.equal([1_000, 1_000, 0])
      expect(await scene.ended(id), 'and it is not tried again').to.equal('executed')
    }
  })

  it('[HED-054] takes no transaction that names its own nonce or calls itself scheduled', async () => {
    const scene = await withPeople('A')
    const { body } = scene.wallet('A').transaction({ kind: 'cryptoTransfer', transfers: [] }, scene.now)
    for (const more of [{ nonce: 1 }, { scheduled: true }, { nonce: 4, scheduled: true }])
      expect(
        await scene.network.submit({
          body: { ...body, transactionID: { ...body.transactionID, ...more } },
          sigMap: [],
        }),
      ).to.deep.equal({ status: 'TRANSACTION_ID_FIELD_NOT_ALLOWED', handled: false })
  })

  it('gives every handled transaction a consensus time of its own, in order', async () => {
    const scene = await withPeople('A', 'B')
    const body = (nonce: number) => scene.transfer('A', 'B', 1, { nonce })
    const responses = await Promise.all(
      [1, 2, 3, 4, 5].map((nonce) => scene.create(body(nonce), { signs: ['D', 'A'] })),
    )
    const times = responses.flatMap(({ record, execution }) => [
      record!.consensusTimestamp,
      execution!.consensusTimestamp,
    ])
    times.forEach((time, index) => {
      if (index > 0) expect(compare(time, times[index - 1]!)).to.be.above(0)
    })
  })

  it('records what fails in the handling, and charges for it', async () => {
    const scene = await withPeople('A', 'B')
    const before = await scene.balance('A')
    const { status, handled, record } = await scene.sign('0.0.4711', [], { as: 'A' })
    expect({ status, handled }).to.deep.equal({ status: 'INVALID_SCHEDULE_ID', handled: true })
    expect(record?.receipt.status).to.equal('INVALID_SCHEDULE_ID')
    expect(await scene.balance('A')).to.equal(before - 20)
    expect((await scene.network.record(record!.transactionID)).record).to.deep.equal(record)
  })

  it('[HED-067] [HED-068] records code of an app that throws as FAIL_INVALID, and takes back what it had done', async () => {
    const trap = defineOperation({
      kind: 'trap',
      asked: t.strict({ when: t.string, account: t.string }),
      needs: ({ when }) => {
        if (when === 'asked') throw new Error('a trap')
        return needs({})
      },
      *perform(books, { account }) {
        const victim = yield* books.accounts.get(account)
        if (victim !== undefined) yield* books.accounts.put({ ...victim, balance: 0 })
        if (victim !== undefined) throw new Error('a trap')
        return right({})
      },
    })
    const scene = await Scene.open({
      operations: [trap],
      settings: { whitelist: [...defaultSettings.whitelist, 'trap'] },
    })
    await scene.people('A')
    const body = (when: string) => transactionBody({ kind: 'trap', when, account: scene.id('A') })
    expect(await statusOf(scene.create(body('asked')))).to.equal('FAIL_INVALID')
    const { status, execution } = await scene.create(body('done'), { signs: ['D'] })
    expect([status, execution?.receipt.status]).to.deep.equal(['SUCCESS', 'FAIL_INVALID'])
    expect(await scene.balance('A')).to.equal(1_000)
    expect(await statusOf(scene.submit({ kind: 'trap', when: 'done', account: scene.id('A') }))).to.equal(
      'FAIL_INVALID',
    )
  })

  it('[HED-061] [HED-069] finds a schedule by its number from the moment it is created, with everything it was given', async () => {
    const scene = await withPeople('A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1), { entityMemo: 'm' })
    const { history } = await scene.network.history(id)
    expect(history).to.deep.include({ schedule: id, memo: 'm', end: null, execution: null, called: null })
    expect((await scene.network.history('0.0.1')).status).to.equal('INVALID_SCHEDULE_ID')
  })
})
