import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { needs } from '../model/Account.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings, isSystem, type Settings } from '../model/Settings.js'
import { nextNano, showTransactionID, type TransactionID } from '../model/ids.js'
import { defineOperation } from '../operations/Operation.js'
import { Consensus, theConsensus } from '../states.js'
import { key, keyPair, Scene, statusOf, type CreateOptions } from './Scene.js'

const withPeople = (names: readonly string[], settings: Partial<Settings> = {}): Promise<Scene> =>
  Scene.withPeople(names, { settings: { onIdentical: 'reject', ...settings } })

const empty = async (scene: Scene, name: string): Promise<void> => {
  const balance = await scene.balance(name)
  const transfers = [
    { accountID: scene.id(name), amount: -balance },
    { accountID: scene.id('D'), amount: balance },
  ]
  expect(await statusOf(scene.submit({ kind: 'cryptoTransfer', transfers }, { with: [name] }))).to.equal('SUCCESS')
}

const remove = async (scene: Scene, name: string): Promise<void> => {
  const operation = { kind: 'cryptoDelete', deleteAccountID: scene.id(name), transferAccountID: scene.id('D') }
  expect(await statusOf(scene.submit(operation, { with: [name] }))).to.equal('SUCCESS')
}

const aTopic = async (scene: Scene, submitKey?: string): Promise<string> => {
  const operation = {
    kind: 'consensusCreateTopic',
    adminKey: key('admin'),
    ...(submitKey === undefined ? {} : { submitKey: key(submitKey) }),
  }
  return (await scene.submit(operation, { with: ['admin'] })).receipt?.topicID ?? ''
}

describe('records under policy reject', () => {
  it('[HED-166] executes nothing for a payer who is unwilling or unable to pay for the service', async () => {
    const scene = await withPeople(['P'])
    const body = (more: object) => transactionBody({ kind: 'cryptoCreateAccount', key: key('new') }, more)
    const unwilling = await scene.created(body({ transactionFee: 1 }), { payer: 'P' })
    const unable = await scene.created(body({ memo: 'poor' }), { payer: 'P' })
    const first = await scene.sign(unwilling, ['P'])
    expect(first.execution?.receipt.status).to.equal('INSUFFICIENT_TX_FEE')
    await empty(scene, 'P')
    const second = await scene.sign(unable, ['P'])
    expect(second.execution?.receipt.status).to.equal('INSUFFICIENT_PAYER_BALANCE')
    for (const { execution } of [first, second]) expect(execution?.transferList).to.deep.equal([])
  })

  it('[HED-167] submits a message in chunks that name the first one’s scheduled id', async () => {
    const scene = await withPeople(['P'])
    const topicID = await aTopic(scene)
    const validStart = { seconds: scene.second - 5, nanos: 999_999_000 }
    const initialTransactionID: TransactionID = {
      accountID: scene.id('P'),
      transactionValidStart: validStart,
      scheduled: true,
    }
    const chunk = (number: number) =>
      transactionBody({
        kind: 'consensusSubmitMessage',
        topicID,
        message: `part ${number}`,
        chunkInfo: { initialTransactionID, total: 2, number },
      })
    const one = await scene.create(chunk(1), { as: 'P', validStart })
    const two = await scene.create(chunk(2), { as: 'P' })
    expect(one.execution?.receipt).to.deep.equal({ status: 'SUCCESS', topicSequenceNumber: 1 })
    expect(two.execution?.receipt).to.deep.equal({ status: 'SUCCESS', topicSequenceNumber: 2 })
    expect(two.execution?.transferList).to.have.deep.members([
      { accountID: scene.id('P'), amount: -5 },
      { accountID: '0.0.98', amount: 5 },
    ])
  })

  it('[HED-168] takes no transaction that calls itself scheduled', async () => {
    const scene = await withPeople(['A'])
    const { body } = scene.wallet('A').transaction({ kind: 'cryptoTransfer', transfers: [] }, scene.now)
    const transactionID = { ...body.transactionID, scheduled: true }
    expect(await statusOf(scene.network.submit({ body: { ...body, transactionID }, sigMap: [] }))).to.equal(
      'TRANSACTION_ID_FIELD_NOT_ALLOWED',
    )
  })

  it('[HED-169] [HED-171] finds the records of create, trigger and execution, and the time of the trigger in the info', async () => {
    const scene = await withPeople(['A', 'B'])
    const created = await scene.create(scene.transfer('A', 'B', 1))
    const id = created.receipt?.schedule
    const scheduled = created.receipt?.scheduledTransactionID
    expect((await scene.network.record(scheduled!)).status).to.equal('RECORD_NOT_FOUND')
    const trigger = await scene.sign(id, ['A'])
    const executed = (await scene.network.record(scheduled!)).record
    expect(executed).to.deep.equal(trigger.execution)
    expect((await scene.network.record(trigger.record!.transactionID)).record).to.deep.equal(trigger.record)
    expect((await scene.network.record(created.record!.transactionID)).record).to.deep.equal(created.record)
    expect((await scene.network.history(id)).history?.execution).to.deep.equal(executed)
    expect((await scene.network.info(id)).info?.executionTime).to.deep.equal(trigger.record?.consensusTimestamp)
  })
})

describe('executing a schedule under policy reject', () => {
  it('[HED-178] lets a solvent payer give a new account its balance, and takes everything back for another', async () => {
    const scene = await withPeople(['P'])
    const body = (initialBalance: number) =>
      transactionBody({ kind: 'cryptoCreateAccount', key: key('new'), initialBalance })
    const rich = await scene.create(body(100), { payer: 'P', signs: ['P'] })
    expect(await scene.network.balance(rich.execution?.receipt.accountID ?? '')).to.equal(100)
    const poor = await scene.create(body(100_000), { payer: 'P', signs: ['P'] })
    expect(poor.execution?.receipt).to.deep.equal({ status: 'INSUFFICIENT_PAYER_BALANCE' })
    expect(poor.execution?.transferList).to.have.deep.members([
      { accountID: scene.id('P'), amount: -40 },
      { accountID: '0.0.98', amount: 40 },
    ])
  })

  it('[HED-187] records messages that are too large or wrongly numbered as failed, charged all the same', async () => {
    const scene = await withPeople(['A'])
    const topicID = await aTopic(scene)
    const initialTransactionID = { accountID: scene.id('A'), transactionValidStart: { seconds: 1, nanos: 0 } }
    const submit = (message: string, chunk?: object) =>
      scene.create(
        transactionBody({
          kind: 'consensusSubmitMessage',
          topicID,
          message,
          ...(chunk === undefined ? {} : { chunkInfo: { initialTransactionID, total: 2, ...chunk } }),
        }),
      )
    for (const [response, status] of [
      [await submit('x'.repeat(1_025)), 'MESSAGE_SIZE_TOO_LARGE'],
      [await submit('m', { number: 1 }), 'INVALID_CHUNK_TRANSACTION_ID'],
      [await submit('m', { number: 2 }), 'INVALID_CHUNK_TRANSACTION_ID'],
      [await submit('m', { number: 3 }), 'INVALID_CHUNK_NUMBER'],
    ] as const) {
      expect([response.status, response.execution?.receipt.status]).to.deep.equal(['SUCCESS', status])
      expect(response.execution?.transactionFee).to.equal(5)
    }
    expect((await scene.network.topic(topicID))?.sequenceNumber).to.equal(0)
  })

  it('[HED-188] [HED-189] cannot say who must sign for a topic that is unknown or was deleted', async () => {
    const scene = await withPeople(['A'])
    const body = (topicID: string) => transactionBody({ kind: 'consensusSubmitMessage', topicID, message: 'm' })
    expect(await statusOf(scene.create(body('0.0.4242')))).to.equal('UNRESOLVABLE_REQUIRED_SIGNERS')
    const topicID = await aTopic(scene, 's')
    const id = await scene.created(body(topicID))
    await scene.submit({ kind: 'consensusDeleteTopic', topicID }, { with: ['admin'] })
    expect(await statusOf(scene.sign(id, ['s']))).to.equal('UNRESOLVABLE_REQUIRED_SIGNERS')
  })

  it('[HED-191] executes for three senders by the one signature they share', async () => {
    const scene = await withPeople(['R'])
    for (const name of ['x', 'y', 'z']) await scene.person(name, { key: key('shared'), keys: ['shared'], balance: 1 })
    const id = await scene.created(scene.transfers({ x: -1, y: -1, z: -1, R: 3 }))
    await scene.sign(id, ['shared'])
    expect(await scene.balances('x', 'y', 'z', 'R')).to.deep.equal([0, 0, 0, 1_003])
    expect(await statusOf(scene.sign(id, ['shared']))).to.equal('SCHEDULE_ALREADY_EXECUTED')
  })

  it('[HED-192] [HED-193] [HED-194] [HED-195] [HED-196] records the execution in full, whoever pays and signs last', async () => {
    const admin = { adminKey: key('admin'), alsoSigning: [keyPair('admin')] }
    const cases: readonly (readonly [CreateOptions, string])[] = [
      [{}, 'A'],
      [{ payer: 'P', signs: ['P'] }, 'A'],
      [{ payer: 'P', signs: ['P'], ...admin }, 'A'],
      [{ payer: 'P', as: 'P' }, 'A'],
      [{ payer: 'P', signs: ['A'] }, 'P'],
    ]
    const scene = await withPeople(['A', 'B', 'P'], {
      prices: { ...defaultSettings.prices, cryptoTransfer: { base: 10, service: 3 } },
    })
    for (const [index, [options, last]] of cases.entries()) {
      const payer = scene.id(options.payer ?? 'D')
      const created = await scene.create(scene.transfer('A', 'B', index + 1), options)
      const { record, execution } = await scene.sign(created.receipt?.schedule, [last])
      const { accountID, transactionValidStart } = created.record!.transactionID
      expect(execution).to.deep.include({
        receipt: { status: 'SUCCESS' },
        consensusTimestamp: nextNano(record!.consensusTimestamp),
        parentConsensusTimestamp: record!.consensusTimestamp,
        transactionID: { accountID, transactionValidStart, scheduled: true, nonce: 0 },
        scheduleRef: created.receipt?.schedule,
        transactionFee: 3,
      })
      expect(execution?.transferList).to.have.deep.members([
        { accountID: payer, amount: -3 },
        { accountID: '0.0.98', amount: 3 },
        { accountID: scene.id('A'), amount: -(index + 1) },
        { accountID: scene.id('B'), amount: index + 1 },
      ])
      expect(showTransactionID(execution!.transactionID)).to.equal(
        `${showTransactionID(created.record!.transactionID)}?scheduled`,
      )
    }
  })

  it('[HED-197] [HED-198] asks nothing of a payer when the service costs nothing, be he poor or gone', async () => {
    for (const [payer, away] of [
      ['C', empty],
      ['P', empty],
      ['C', remove],
      ['P', remove],
    ] as const) {
      const scene = await withPeople(['A', 'B', 'C', 'P'])
      const id = await scene.created(scene.transfer('A', 'B', 1), { as: 'C', payer, signs: [payer] })
      await away(scene, payer)
      const { execution } = await scene.sign(id, ['A'])
      expect(execution?.receipt.status).to.equal('SUCCESS')
      expect(await scene.balance('B')).to.equal(1_001)
    }
  })

  it('[HED-199] records a sender who has too little, and moves nothing', async () => {
    const scene = await withPeople(['A', 'B', 'C'])
    const id = await scene.created(scene.transfers({ B: -1, A: -1_001, C: 1_002 }), { signs: ['B'] })
    const { status, execution } = await scene.sign(id, ['A'])
    expect([status, execution?.receipt.status]).to.deep.equal(['SUCCESS', 'INSUFFICIENT_ACCOUNT_BALANCE'])
    expect(await scene.balances('A', 'B', 'C')).to.deep.equal([1_000, 1_000, 1_000])
  })

  it('[HED-203] judges by the limits of the moment of execution', async () => {
    const scene = await withPeople(['A', 'B', 'C'])
    const id = await scene.created(scene.transfers({ A: -2, B: 1, C: 1 }))
    await scene.network.setParameters({ maxTransfers: 2 })
    expect((await scene.sign(id, ['A'])).execution?.receipt.status).to.equal('TRANSFER_LIST_SIZE_LIMIT_EXCEEDED')
  })

  it('[HED-204] records what a payer may not do; a shared key signs create and schedule at once', async () => {
    const privileged = defineOperation({
      kind: 'privileged',
      asked: t.strict({}),
      needs: () => needs({}),
      *perform(_books, _asked, { payer }) {
        return isSystem(payer) ? right({}) : left('AUTHORIZATION_FAILED' as const)
      },
    })
    const whitelist = [...defaultSettings.whitelist, 'privileged']
    const scene = await Scene.open({ operations: [privileged], settings: { onIdentical: 'reject', whitelist } })
    await scene.people('shared')
    const body = (memo: string) => transactionBody({ kind: 'privileged' }, { memo })
    expect((await scene.create(body('a'), { as: 'treasury' })).execution?.receipt.status).to.equal('SUCCESS')
    expect((await scene.create(body('b'))).execution?.receipt.status).to.equal('AUTHORIZATION_FAILED')
    const account = { kind: 'cryptoCreateAccount', key: key('shared'), receiverSigRequired: true }
    expect((await scene.create(transactionBody(account), { as: 'shared' })).execution?.receipt.status).to.equal(
      'SUCCESS',
    )
  })
})

describe('what a transaction costs', () => {
  it('[HED-211] [HED-213] is nothing when it is refused before it is handled', async () => {
    const scene = await withPeople(['A', 'B'])
    const body = scene.transfer('A', 'B', 1)
    const before = await scene.balance('D')
    const later = { seconds: scene.second + 10, nanos: 0 }
    const earlier = { seconds: scene.second - 120, nanos: 0 }
    for (const [options, status] of [
      [{ transactionFee: 99 }, 'INSUFFICIENT_TX_FEE'],
      [{ memo: 'x'.repeat(101) }, 'MEMO_TOO_LONG'],
      [{ validStart: later }, 'INVALID_TRANSACTION_START'],
      [{ validStart: earlier }, 'TRANSACTION_EXPIRED'],
      [{ transactionValidDuration: 0 }, 'INVALID_TRANSACTION_DURATION'],
      [{ transactionValidDuration: 181 }, 'INVALID_TRANSACTION_DURATION'],
    ] as const) {
      expect(await scene.create(body, options)).to.deep.equal({ status, handled: false })
      expect(
        await scene.sign('0.0.1', [], { ...options, ...('transactionFee' in options ? { transactionFee: 19 } : {}) }),
      ).to.deep.equal({ status, handled: false })
      expect(
        await scene.delete('0.0.1', [], { ...options, ...('transactionFee' in options ? { transactionFee: 19 } : {}) }),
      ).to.deep.equal({ status, handled: false })
    }
    expect(await scene.balance('D')).to.equal(before)
    await empty(scene, 'A')
    expect(await statusOf(scene.create(body, { as: 'A' }))).to.equal('INSUFFICIENT_PAYER_BALANCE')
  })

  it('[HED-212] [HED-213] is the full fee when it fails in the handling', async () => {
    const scene = await withPeople(['A', 'B'])
    const body = scene.transfer('A', 'B', 1)
    await scene.created(body)
    const costs = async (request: Promise<{ readonly status: string }>): Promise<readonly [string, number]> => {
      const before = await scene.balance('D')
      const { status } = await request
      return [status, before - (await scene.balance('D'))]
    }
    expect(await costs(scene.create(body))).to.deep.equal(['IDENTICAL_SCHEDULE_ALREADY_CREATED', 100])
    expect(await costs(scene.create(body, { adminKey: key('admin') }))).to.deep.equal(['INVALID_SIGNATURE', 101])
    expect(await costs(scene.sign('0.0.1'))).to.deep.equal(['INVALID_SCHEDULE_ID', 20])
    expect(await costs(scene.delete('0.0.1'))).to.deep.equal(['INVALID_SCHEDULE_ID', 20])
  })

  it('[HED-214] is the price of a question, and nothing where there is no answer', async () => {
    const prices = { ...defaultSettings.prices, scheduleGetInfo: { base: 3, service: 0 } }
    const scene = await withPeople(['A', 'B'], { prices, buckets: { scheduleGetInfo: 3 } })
    const id = await scene.created(scene.transfer('A', 'B', 1))
    const pay = (schedule: string, as = 'A') => ({
      payment: scene.wallet(as).transaction({ kind: 'scheduleGetInfo', schedule } as const, scene.now),
    })
    expect(await scene.network.info(id, { responseType: 'COST_ANSWER' })).to.deep.equal({ status: 'SUCCESS', cost: 3 })
    expect((await scene.network.info(id)).status).to.equal('MISSING_QUERY_HEADER')
    expect((await scene.network.info(id, pay('0.0.1'))).status).to.equal('INVALID_TRANSACTION_BODY')
    expect((await scene.network.info('0.0.1', pay('0.0.1'))).status).to.equal('INVALID_SCHEDULE_ID')
    expect(await scene.balance('A')).to.equal(1_000)
    const paid = pay(id)
    expect((await scene.network.info(id, paid)).info?.schedule).to.equal(id)
    expect(await scene.balance('A')).to.equal(997)
    expect((await scene.network.info(id, paid)).status).to.equal('DUPLICATE_TRANSACTION')
    const forged = { payment: { ...paid.payment, body: pay(id, 'B').payment.body } }
    expect((await scene.network.info(id, forged)).status).to.equal('INVALID_PAYER_SIGNATURE')
    expect((await scene.network.info(id, { responseType: 'ANSWER_STATE_PROOF' })).status).to.equal('NOT_SUPPORTED')
    expect((await scene.network.info(id, pay(id))).status).to.equal('SUCCESS')
    expect((await scene.network.info(id, pay(id))).status).to.equal('SUCCESS')
    expect((await scene.network.info(id, pay(id))).status).to.equal('BUSY')
    expect(await scene.balance('A')).to.equal(991)
  })

  it('[HED-214] is nothing for get info by default, which is a read and leaves no transaction behind', async () => {
    const scene = await withPeople(['A', 'B'])
    const id = await scene.created(scene.transfer('A', 'B', 1))
    // Every transaction of the network takes its turn in the sequence.
    const sequence = async () => (await scene.virtual.node.find(Consensus, theConsensus))?.ref
    const before = await sequence()
    expect((await scene.network.info(id)).info?.schedule).to.equal(id)
    expect(await scene.infoStatus('0.0.1')).to.equal('INVALID_SCHEDULE_ID')
    expect(await sequence()).to.deep.equal(before)
  })

  it('[HED-124] has no custom part that could be limited, of a transaction or of one that is scheduled', async () => {
    const scene = await withPeople(['A', 'B'])
    const maxCustomFees = [{ accountID: scene.id('A'), fee: 1 }]
    const body = { ...scene.wallet('D').transaction({}, scene.now).body, maxCustomFees }
    const operation = { kind: 'cryptoTransfer', transfers: [] }
    const submitted = await scene.network.submit({ body: { ...body, operation }, sigMap: [] })
    expect(submitted).to.deep.equal({ status: 'MAX_CUSTOM_FEES_IS_NOT_SUPPORTED', handled: false })
    expect(await statusOf(scene.create(scene.transfer('A', 'B', 1, { maxCustomFees })))).to.equal(
      'MAX_CUSTOM_FEES_IS_NOT_SUPPORTED',
    )
  })
})

describe('throttles', () => {
  it('answer BUSY beyond so many operations a second, and charge nothing for it', async () => {
    const buckets = { scheduleCreate: 3, scheduleSign: 2, scheduleDelete: 1 }
    const scene = await withPeople(['A', 'B'], { buckets })
    const create = (memo: string) => scene.create(scene.transfer('A', 'B', 1, { memo }))
    const statuses = async (requests: readonly Promise<{ readonly status: string }>[]) =>
      (await Promise.all(requests)).map(({ status }) => status)
    expect(await statuses(['a', 'b', 'c', 'd'].map(create))).to.deep.equal(['SUCCESS', 'SUCCESS', 'SUCCESS', 'BUSY'])
    expect(await create('d')).to.deep.equal({ status: 'BUSY', handled: false })
    expect(await statuses([1, 2, 3].map(() => scene.sign('0.0.1')))).to.deep.equal([
      'INVALID_SCHEDULE_ID',
      'INVALID_SCHEDULE_ID',
      'BUSY',
    ])
    expect(await statuses([1, 2].map(() => scene.delete('0.0.1')))).to.deep.equal(['INVALID_SCHEDULE_ID', 'BUSY'])
    await scene.pass(1)
    expect(await statusOf(create('d'))).to.equal('SUCCESS')
  })

  it('bound what is pending: so many creates a second for as long as a schedule lives', async () => {
    const scene = await withPeople(['A', 'B'], { buckets: { scheduleCreate: 3 }, txExpiryTimeSecs: 4 })
    let most = 0
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        [1, 2, 3, 4].map((one) => scene.create(scene.transfer('A', 'B', 1, { memo: `${round} ${one}` }))),
      )
      most = Math.max(most, await scene.count('Schedule'))
      await scene.virtual.advanceBy({ milliseconds: 250 })
    }
    expect(most).to.equal(3 * 4)
  })

  it('bound what is pending with chosen expirations, too: per second, and in all', async () => {
    const settings = { expiryCapacity: 2, maxSchedules: 5, expiryCosts: {} }
    const scene = await withPeople(['A', 'B'], settings)
    const create = (one: number, expirationTime: number) =>
      statusOf(scene.create(scene.transfer('A', 'B', one), { expirationTime }))
    const far = scene.second + 5_000_000
    const answers: string[] = []
    for (let one = 1; one <= 8; one++) answers.push(await create(one, far + Math.floor(one / 4)))
    expect(answers).to.deep.equal([
      ...['SUCCESS', 'SUCCESS', 'SCHEDULE_EXPIRY_IS_BUSY', 'SUCCESS', 'SUCCESS', 'SCHEDULE_EXPIRY_IS_BUSY'],
      ...['SCHEDULE_EXPIRY_IS_BUSY', 'SUCCESS'],
    ])
    expect(await create(9, far + 9)).to.equal('MAX_ENTITIES_IN_PRICE_REGIME_HAVE_BEEN_CREATED')
    expect(await scene.count('Schedule')).to.equal(5)
  })

  it('[HED-221] refuse more schedules than the network takes', async () => {
    const scene = await withPeople(['A', 'B'], { maxSchedules: 1 })
    await scene.created(scene.transfer('A', 'B', 1))
    expect(await statusOf(scene.create(scene.transfer('A', 'B', 2)))).to.equal(
      'MAX_ENTITIES_IN_PRICE_REGIME_HAVE_BEEN_CREATED',
    )
    await scene.pass(1_800)
    expect(await statusOf(scene.create(scene.transfer('A', 'B', 2)))).to.equal('SUCCESS')
  })
})
