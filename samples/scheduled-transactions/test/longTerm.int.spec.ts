import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { keyList, thresholdKey } from '../model/KeyTree.js'
import { needs } from '../model/Account.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings, type Settings } from '../model/Settings.js'
import { compare } from '../model/ids.js'
import { Schedule } from '../states.js'
import { defineOperation } from '../operations/Operation.js'
import { key, keyPair, Scene, startSecond, statusOf } from './Scene.js'

const policies = ['merge', 'reject'] as const

const withPeople = (names: readonly string[], settings: Partial<Settings> = {}): Promise<Scene> =>
  Scene.withPeople(names, { settings })

/** Seconds after the scene began. */
const at = (seconds: number): number => startSecond + seconds
const waiting = (seconds: number) => ({ expirationTime: at(seconds), waitForExpiry: true })

for (const onIdentical of policies)
  describe(`a schedule with an expiration time of its own, under policy ${onIdentical}`, () => {
    const open = (...names: readonly string[]) => withPeople(names, { onIdentical })
    const gone = onIdentical === 'merge' ? 'SCHEDULE_DELETED' : 'INVALID_SCHEDULE_ID'

    it('[HED-241] [HED-243] executes at the completing signature when it does not wait', async () => {
      const scene = await open('A', 'B', 'C')
      for (const [index, seconds] of [600, 86_400].entries()) {
        const body = scene.transfers({ A: -1 - index, B: -1, C: 2 + index })
        const id = await scene.created(body, { expirationTime: at(seconds), signs: ['D'] })
        expect(await scene.sign(id, ['A'])).not.to.have.property('execution')
        expect((await scene.sign(id, ['B'])).execution?.receipt.status).to.equal('SUCCESS')
      }
      expect(await scene.balance('C')).to.equal(1_005)
    })

    it('[HED-251] [HED-252] [HED-306] waits, however complete it is, and executes at its expiration time', async () => {
      const scene = await open('A', 'B')
      const created = await scene.create(scene.transfer('A', 'B', 1), { ...waiting(10), signs: ['D', 'A'] })
      expect(created).not.to.have.property('execution')
      const id = created.receipt?.schedule ?? ''
      const scheduled = created.receipt!.scheduledTransactionID!
      await scene.pass(9)
      expect((await scene.network.info(id)).info).to.include({ expirationTime: at(10), waitForExpiry: true })
      expect((await scene.network.record(scheduled)).status).to.equal('RECORD_NOT_FOUND')
      await scene.pass(1)
      const { record } = await scene.network.record(scheduled)
      expect(record?.receipt.status).to.equal('SUCCESS')
      expect(record?.consensusTimestamp).to.deep.equal({ seconds: at(10), nanos: 0 })
      expect(record).not.to.have.property('parentConsensusTimestamp')
      expect(await scene.infoStatus(id)).to.equal(gone)
      expect(await scene.ended(id)).to.equal('executed')
      expect(await scene.balance('B')).to.equal(1_001)
    })

    it('[HED-242] [HED-309] [HED-316] [HED-267] has a failed record when signatures are missing, and is cleared', async () => {
      const scene = await open('A', 'B', 'P')
      const body = (memo: string) => scene.transfer('A', 'B', 1, { memo })
      const unpaid = await scene.created(body('a'), { ...waiting(4), payer: 'P', signs: ['A'] })
      const unsigned = await scene.created(body('b'), { ...waiting(4), payer: 'P', signs: ['P'] })
      const notWaiting = await scene.created(body('c'), { expirationTime: at(4) })
      await scene.pass(4)
      expect(await scene.result(unpaid)).to.equal('INVALID_PAYER_SIGNATURE')
      expect(await scene.result(unsigned)).to.equal('INVALID_SIGNATURE')
      expect(await scene.result(notWaiting)).to.equal(undefined)
      for (const id of [unpaid, unsigned, notWaiting]) {
        expect(await scene.ended(id)).to.equal('expired')
        expect(await scene.infoStatus(id)).to.equal(gone)
      }
      expect(await scene.balances('A', 'B')).to.deep.equal([1_000, 1_000])
      expect(await scene.balance('P'), 'only who has signed pays').to.equal(1_000 - 10)
    })

    it('[HED-244] [HED-249] [HED-321] takes every new key while it waits, and nothing twice', async () => {
      const scene = await open('B', 'X')
      await scene.person('A', { key: thresholdKey(1, key('a'), key('b'), key('c')), keys: ['a'] })
      const id = await scene.created(scene.transfer('A', 'B', 1), { ...waiting(60), signs: ['D'] })
      expect(await statusOf(scene.sign(id))).to.equal('NO_NEW_VALID_SIGNATURES')
      for (const one of ['a', 'b', 'c']) {
        expect(await statusOf(scene.sign(id, [one]))).to.equal('SUCCESS')
        expect(await statusOf(scene.sign(id, [one]))).to.equal('NO_NEW_VALID_SIGNATURES')
      }
      const unneeded = onIdentical === 'merge' ? 'SOME_SIGNATURES_WERE_INVALID' : 'NO_NEW_VALID_SIGNATURES'
      expect(await statusOf(scene.sign(id, ['X']))).to.equal(unneeded)
      await scene.pass(60)
      expect(await scene.balance('B'), 'once').to.equal(1_001)
    })

    it('[HED-246] [HED-254] executes without a poke when requirements were lowered meanwhile', async () => {
      const scene = await open('B')
      await scene.person('A', { key: keyList(key('a'), key('b')), keys: ['a', 'b'] })
      const id = await scene.created(scene.transfer('A', 'B', 1), { ...waiting(60), signs: ['D', 'a'] })
      await scene.rekey('A', key('a'), ['a', 'b'], ['a'])
      expect(await statusOf(scene.sign(id)), 'a poke does not execute what waits').to.equal('NO_NEW_VALID_SIGNATURES')
      await scene.pass(60)
      expect(await scene.balance('A')).to.equal(999)
    })

    it('[HED-247] [HED-248] needs the key that was asked for meanwhile', async () => {
      const scene = await open('A', 'R', 'S')
      const first = await scene.created(scene.transfer('A', 'R', 1), { ...waiting(60), signs: ['D', 'A'] })
      const second = await scene.created(scene.transfer('A', 'S', 1), { ...waiting(60), signs: ['D', 'A'] })
      for (const name of ['R', 'S'])
        await scene.submit(
          { kind: 'cryptoUpdateAccount', accountID: scene.id(name), receiverSigRequired: true },
          { with: [name] },
        )
      expect(await statusOf(scene.sign(second, ['S']))).to.equal('SUCCESS')
      await scene.pass(60)
      expect([await scene.result(first), await scene.result(second)]).to.deep.equal(['INVALID_SIGNATURE', 'SUCCESS'])
    })

    it('[HED-308] [HED-311] does not execute for a key that was rotated out, and does when it is back', async () => {
      for (const [isBack, result] of [
        [false, 'INVALID_SIGNATURE'],
        [true, 'SUCCESS'],
      ] as const) {
        const scene = await open('A', 'B')
        const id = await scene.created(scene.transfer('A', 'B', 1), { ...waiting(60), signs: ['D', 'A'] })
        await scene.rekey('A', key('A2'), ['A'], ['A2'])
        if (isBack) await scene.rekey('A', key('A'), ['A2'], ['A'])
        await scene.pass(60)
        expect(await scene.result(id)).to.equal(result)
      }
    })

    it('[HED-261] [HED-291] lies between the next second and 62 days from now', async () => {
      const scene = await open('A', 'B')
      let number = 0
      const status = (expirationTime: number | string) =>
        statusOf(scene.create(scene.transfer('A', 'B', 1, { memo: `${number++}` }), { expirationTime }))
      const tooFar = 'SCHEDULE_EXPIRATION_TIME_TOO_FAR_IN_FUTURE'
      const mustBeHigher = 'SCHEDULE_EXPIRATION_TIME_MUST_BE_HIGHER_THAN_CONSENSUS_TIME'
      expect(await status(at(62 * 86_400))).to.equal('SUCCESS')
      expect(await status(at(5_356_803))).to.equal(tooFar)
      expect(await status(String(at(5_356_801)))).to.equal(tooFar)
      for (const far of [at(62 * 86_400 + 10), '9223372036854775807', '9223372036854775806', Number.MAX_SAFE_INTEGER])
        expect(await status(far)).to.equal(tooFar)
      for (const past of [at(0), at(-1), String(at(0)), 0, '-9223372036854775808', '-9223372036854775807'])
        expect(await status(past)).to.equal(mustBeHigher)
      expect(await status(at(1))).to.equal('SUCCESS')
      expect(await status(String(at(5_356_800)))).to.equal('SUCCESS')
      expect(await scene.create(scene.transfer('A', 'B', 1), { waitForExpiry: true })).to.deep.equal({
        status: 'MISSING_EXPIRY_TIME',
        handled: false,
      })
    })

    it('[HED-342] is handled when its second begins, and not a millisecond before', async () => {
      const scene = await open('A', 'B')
      const id = await scene.created(scene.transfer('A', 'B', 1), { ...waiting(60), signs: ['D', 'A'] })
      await scene.virtual.advanceBy({ seconds: 59, milliseconds: 999 })
      expect([await scene.infoStatus(id), await scene.balance('B')]).to.deep.equal(['SUCCESS', 1_000])
      await scene.virtual.advanceBy({ milliseconds: 1 })
      expect([await scene.infoStatus(id), await scene.balance('B')]).to.deep.equal([gone, 1_001])
    })

    it('[HED-264] [HED-272] records its execution like any other, later than whatever came before', async () => {
      const scene = await open('A', 'B', 'P')
      const admin = { adminKey: key('admin'), alsoSigning: [keyPair('admin')] }
      const created = await scene.create(scene.transfer('A', 'B', 1), {
        ...waiting(30),
        ...admin,
        as: 'P',
        payer: 'P',
        signs: ['P'],
      })
      await scene.pass(29)
      const trigger = await scene.sign(created.receipt?.schedule, ['A'])
      await scene.pass(1)
      const { execution } = (await scene.network.history(created.receipt?.schedule)).history!
      expect(compare(execution!.consensusTimestamp, trigger.record!.consensusTimestamp)).to.be.above(0)
      const { accountID, transactionValidStart } = created.record!.transactionID
      expect(execution).to.deep.include({
        transactionID: { accountID, transactionValidStart, scheduled: true, nonce: 0 },
        scheduleRef: created.receipt?.schedule,
      })
      expect(execution?.transferList).to.have.deep.members([
        { accountID: scene.id('P'), amount: -10 },
        { accountID: '0.0.98', amount: 10 },
        { accountID: scene.id('A'), amount: -1 },
        { accountID: scene.id('B'), amount: 1 },
      ])
    })

    it('[HED-266] [HED-268] [HED-269] [HED-314] records payers and senders who are poor or gone by then', async () => {
      const scene = await open('A', 'B', 'P', 'Q', 'S', 'T')
      const body = (from: string) => scene.transfer(from, 'B', 5)
      const poorPayer = await scene.created(body('A'), { ...waiting(60), payer: 'P', signs: ['P', 'A'] })
      const gonePayer = await scene.created(body('A'), { ...waiting(61), payer: 'Q', signs: ['Q', 'A'] })
      const poorSender = await scene.created(body('S'), { ...waiting(60), signs: ['D', 'S'] })
      const goneSender = await scene.created(body('T'), { ...waiting(60), signs: ['D', 'T'] })
      const goneByHand = await scene.created(body('T'), { expirationTime: at(60), signs: ['D'], entityMemo: 'by hand' })
      for (const name of ['P', 'S']) {
        const transfers = [
          { accountID: scene.id(name), amount: -1_000 },
          { accountID: scene.id('D'), amount: 1_000 },
        ]
        await scene.submit({ kind: 'cryptoTransfer', transfers }, { with: [name] })
      }
      for (const name of ['Q', 'T'])
        await scene.submit(
          { kind: 'cryptoDelete', deleteAccountID: scene.id(name), transferAccountID: scene.id('D') },
          { with: [name] },
        )
      expect((await scene.sign(goneByHand, ['T'])).execution?.receipt.status).to.equal('ACCOUNT_DELETED')
      await scene.pass(61)
      expect(await scene.result(poorPayer)).to.equal('INSUFFICIENT_PAYER_BALANCE')
      expect(await scene.result(gonePayer)).to.equal('PAYER_ACCOUNT_DELETED')
      expect(await scene.result(poorSender)).to.equal('INSUFFICIENT_ACCOUNT_BALANCE')
      expect(await scene.result(goneSender)).to.equal('ACCOUNT_DELETED')
      expect(await scene.balances('A', 'B')).to.deep.equal([1_000, 1_000])
    })

    it('[HED-281] [HED-282] is refused where the network takes none; waiting is then ignored', async () => {
      const scene = await withPeople(['A', 'B'], { onIdentical, longTerm: false })
      const body = scene.transfer('A', 'B', 1)
      expect(await statusOf(scene.create(body, { expirationTime: at(60) }))).to.equal(
        'SCHEDULE_EXPIRY_NOT_CONFIGURABLE',
      )
      const id = await scene.created(scene.transfer('A', 'B', 2), { waitForExpiry: true, signs: ['D', 'A'] })
      expect(await scene.ended(id)).to.equal('executed')
      const unexecuted = await scene.created(body)
      await scene.pass(31 * 60)
      expect(await scene.infoStatus(unexecuted)).to.equal(gone)
    })

    it('[HED-292] [HED-293] [HED-343] is refused when its second is full; what is booked is counted at today’s costs', async () => {
      const scene = await withPeople(['A', 'B'], {
        onIdentical,
        expiryCapacity: 17,
        expiryCosts: { cryptoTransfer: 1 },
      })
      const create = (number: number) =>
        statusOf(scene.create(scene.transfer('A', 'B', 1, { memo: `${number}` }), { expirationTime: at(60) }))
      for (let number = 0; number < 17; number++) expect(await create(number)).to.equal('SUCCESS')
      expect(await create(17)).to.equal('SCHEDULE_EXPIRY_IS_BUSY')
      await scene.network.setParameters({ expiryCosts: { cryptoTransfer: 2 }, expiryCapacity: 36 })
      expect(await create(17)).to.equal('SUCCESS')
      expect(await create(18)).to.equal('SCHEDULE_EXPIRY_IS_BUSY')
      expect(await statusOf(scene.create(scene.transfer('A', 'B', 1), { expirationTime: at(61) }))).to.equal('SUCCESS')
    })

    it('[HED-228] books a place once, however often it is created, and gives it back when it is deleted', async () => {
      const scene = await withPeople(['A', 'B'], { onIdentical, expiryCapacity: 2 })
      const body = scene.transfer('A', 'B', 1)
      const options = { expirationTime: at(60), adminKey: key('admin'), alsoSigning: [keyPair('admin')] }
      const id = await scene.created(body, options)
      await scene.create(body, options)
      expect((await scene.network.capacity(at(60), 'cryptoTransfer')).booked).to.equal(1)
      await scene.delete(id, ['admin'])
      // Under `reject` a deleted schedule keeps its place until its time is over.
      const left = onIdentical === 'merge' ? 0 : 1
      expect((await scene.network.capacity(at(60), 'cryptoTransfer')).booked).to.equal(left)
    })

    it('[HED-229] [HED-363] has a second to be asked for first, which another may book meanwhile', async () => {
      const scene = await withPeople(['A', 'B', 'C'], { onIdentical, expiryCapacity: 1 })
      const kind = 'cryptoTransfer'
      expect(await scene.network.capacity(at(60), kind)).to.deep.equal({
        hasRoom: true,
        booked: 0,
        capacity: 1,
        nextFree: at(60),
      })
      for (const second of [at(0), at(-5), at(62 * 86_400 + 1)])
        expect((await scene.network.capacity(second, kind)).hasRoom).to.equal(false)
      await scene.created(scene.transfer('C', 'B', 1), { expirationTime: at(60), as: 'C' })
      expect(await statusOf(scene.create(scene.transfer('A', 'B', 1), { expirationTime: at(60) }))).to.equal(
        'SCHEDULE_EXPIRY_IS_BUSY',
      )
      expect(await scene.network.capacity(at(60), kind)).to.include({ hasRoom: false, nextFree: at(61) })
    })

    it('[HED-294] [HED-346] leaves nothing in the indexes once its second has passed', async () => {
      const scene = await open('A', 'B')
      for (const [number, second] of [
        [1, 60],
        [2, 60],
        [3, 61],
      ] as const)
        await scene.created(scene.transfer('A', 'B', number), { ...waiting(second), signs: ['D', 'A'] })
      const sizes = () =>
        Promise.all(['Schedule', 'Signatories', 'ExpirySecond', 'IdentityEntry'].map((type) => scene.count(type)))
      expect(await sizes()).to.deep.equal([3, 3, 2, 3])
      await scene.pass(60)
      expect((await sizes()).slice(0, 3)).to.deep.equal([1, 1, 1])
      await scene.pass(1)
      // Under `merge` the signatures that were used up are remembered by their identity.
      expect(await sizes()).to.deep.equal([0, 0, 0, onIdentical === 'merge' ? 3 : 0])
      expect(await scene.balance('B')).to.equal(1_006)
    })

    it('[HED-296] [HED-362] executes in order of expiration and creation, whoever signed when', async () => {
      const scene = await open('A', 'B')
      const create = (number: number, second: number) =>
        scene.created(scene.transfer('A', 'B', number), { ...waiting(second), signs: ['D'] })
      const [late, first, second] = [await create(1, 61), await create(2, 60), await create(3, 60)]
      for (const id of [second, first, late]) await scene.sign(id, ['A'])
      await scene.downFor(120)
      const times = await Promise.all(
        [first, second, late].map(
          async (id) => (await scene.network.history(id)).history!.execution!.consensusTimestamp,
        ),
      )
      expect(compare(times[0]!, times[1]!)).to.be.below(0)
      expect(compare(times[1]!, times[2]!)).to.be.below(0)
      expect(await scene.balance('B')).to.equal(1_006)
    })

    it('[HED-301] [HED-304] is judged by the prices and limits of the moment, also those a schedule before it has set', async () => {
      const lower = defineOperation({
        kind: 'lowerLimit',
        asked: t.strict({}),
        needs: () => needs({}),
        *perform(books) {
          yield* books.network.put({ operator: books.io.me, settings: { ...books.settings, maxTransfers: 2 } })
          return right({})
        },
      })
      const whitelist = [...defaultSettings.whitelist, 'lowerLimit']
      const scene = await Scene.open({ operations: [lower], settings: { onIdentical, whitelist } })
      await scene.people('A', 'B', 'C')
      await scene.created(transactionBody({ kind: 'lowerLimit' }), { ...waiting(60), signs: ['D'] })
      const limited = await scene.created(scene.transfers({ A: -2, B: 1, C: 1 }), { ...waiting(60), signs: ['D', 'A'] })
      const dear = await scene.created(scene.transfer('A', 'B', 1), { ...waiting(60), signs: ['D', 'A'] })
      await scene.network.setParameters({ prices: { cryptoTransfer: { base: 10, service: 7 } } })
      await scene.pass(60)
      expect(await scene.result(limited)).to.equal('TRANSFER_LIST_SIZE_LIMIT_EXCEEDED')
      expect((await scene.network.history(dear)).history?.execution?.transactionFee).to.equal(17)
    })

    it('[HED-313] costs the same however long it lives', async () => {
      const scene = await open('A', 'B')
      const fees = []
      for (const seconds of [60, 600, 86_400]) {
        const { record } = await scene.create(scene.transfer('A', 'B', 1, { memo: `${seconds}` }), {
          expirationTime: at(seconds),
        })
        fees.push(record?.transactionFee)
      }
      expect(new Set(fees).size).to.equal(1)
    })

    it('[HED-319] executes although accounts whose keys have signed are gone', async () => {
      const scene = await open('B', 'v1', 'v2')
      await scene.person('A', { key: thresholdKey(2, key('v1'), key('v2'), key('v3')), keys: ['v1', 'v2'] })
      const id = await scene.created(scene.transfer('A', 'B', 1), { ...waiting(60), signs: ['D', 'v1', 'v2'] })
      for (const name of ['v1', 'v2'])
        await scene.submit(
          { kind: 'cryptoDelete', deleteAccountID: scene.id(name), transferAccountID: scene.id('D') },
          { with: [name] },
        )
      await scene.pass(60)
      expect(await scene.result(id)).to.equal('SUCCESS')
    })

    it('[HED-341] [HED-347] takes the next schedule when one is not ready or goes wrong', async () => {
      const bad = defineOperation({
        kind: 'bad',
        asked: t.strict({}),
        needs: () => needs({}),
        *perform() {
          throw new Error('always')
        },
      })
      const scene = await Scene.open({
        operations: [bad],
        settings: { onIdentical, whitelist: [...defaultSettings.whitelist, 'bad'] },
      })
      await scene.people('A', 'B')
      const ids = [
        await scene.created(transactionBody({ kind: 'bad' }), { ...waiting(60), signs: ['D'] }),
        await scene.created(scene.transfer('A', 'B', 1), { ...waiting(60), signs: ['D'] }),
        await scene.created(scene.transfer('A', 'B', 2), { ...waiting(60), signs: ['D', 'A'] }),
      ]
      await scene.pass(60)
      const results = []
      for (const id of ids) results.push(await scene.result(id))
      expect(results).to.deep.equal(['FAIL_INVALID', 'INVALID_SIGNATURE', 'SUCCESS'])
    })

    it('is looked at once more at its expiry, without waiting for it, where the parameters say so', async () => {
      for (const evaluateAtExpiry of [false, true]) {
        const scene = await withPeople(['B'], { onIdentical, evaluateAtExpiry })
        await scene.person('A', { key: keyList(key('a'), key('b')), keys: ['a', 'b'] })
        const id = await scene.created(scene.transfer('A', 'B', 1), { signs: ['D', 'a'] })
        const unready = await scene.created(scene.transfer('A', 'B', 2), { signs: ['D'] })
        await scene.rekey('A', key('a'), ['a', 'b'], ['a'])
        await scene.pass(1_800)
        expect(await scene.ended(id)).to.equal(evaluateAtExpiry ? 'executed' : 'expired')
        expect(await scene.ended(unready)).to.equal('expired')
        expect(await scene.result(unready), 'no record for what did not wait').to.equal(undefined)
        expect(await scene.balance('B')).to.equal(evaluateAtExpiry ? 1_001 : 1_000)
      }
    })
  })

describe('a long-term schedule under policy reject', () => {
  const open = (...names: readonly string[]) => withPeople(names, { onIdentical: 'reject' })

  it('[HED-253] takes signers apart by their digits while it waits', async () => {
    const scene = await open('B')
    await scene.person('A', { key: key('a'), keys: ['a'] })
    const id = await scene.created(scene.transfer('A', 'B', 2), waiting(60))
    expect(await statusOf(scene.sign(id, ['a']))).to.equal('SUCCESS')
    expect(await statusOf(scene.sign(id, ['a']))).to.equal('NO_NEW_VALID_SIGNATURES')
    expect(await statusOf(scene.sign(id, ['a', 'b']))).to.equal('NO_NEW_VALID_SIGNATURES')
    await scene.pass(60)
    expect(await scene.balance('B')).to.equal(1_002)
  })

  it('[HED-262] is refused for the reasons any schedule is', async () => {
    const scene = await open('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    expect(await statusOf(scene.create(transactionBody({ kind: 'cryptoDelete' }), waiting(60)))).to.equal(
      'SCHEDULED_TRANSACTION_NOT_IN_WHITELIST',
    )
    await scene.created(body, waiting(60))
    expect(await statusOf(scene.create(body, waiting(60)))).to.equal('IDENTICAL_SCHEDULE_ALREADY_CREATED')
    const asked = { kind: 'scheduleCreate', transactionBody: body, payer: '0.0.4242', expirationTime: at(60) } as const
    expect(await statusOf(scene.network.create(scene.wallet('D').transaction(asked, scene.now)))).to.equal(
      'ACCOUNT_ID_DOES_NOT_EXIST',
    )
  })

  it('[HED-302] keeps its long expiry when it executes at once', async () => {
    const scene = await open('A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1), { expirationTime: at(86_400), signs: ['A'] })
    await scene.pass(80_000)
    const { info } = await scene.network.info(id)
    expect(info).to.have.property('executionTime')
    expect(info?.expirationTime).to.equal(at(86_400))
    await scene.pass(6_400)
    expect(await scene.infoStatus(id)).to.equal('INVALID_SCHEDULE_ID')
  })

  it('[HED-344] is pending expiration between its time and its clearing', async () => {
    for (const [longTerm, code] of [
      [true, 'SCHEDULE_PENDING_EXPIRATION'],
      [false, 'INVALID_SCHEDULE_ID'],
    ] as const) {
      const scene = await withPeople(['A', 'B'], { onIdentical: 'reject', longTerm })
      const admin = { adminKey: key('admin'), alsoSigning: [keyPair('admin')] }
      const id = await scene.created(scene.transfer('A', 'B', 1), admin)
      await scene.virtual.node.pause((await scene.virtual.node.find(Schedule, id))!.ref)
      await scene.pass(1_800)
      expect(await statusOf(scene.delete(id, ['admin']))).to.equal(code)
      expect(await statusOf(scene.sign(id, ['A']))).to.equal(code)
    }
  })

  it('[HED-322] links an execution to the record that set it off, and one at expiry to none', async () => {
    const scene = await open('A', 'B')
    const now = await scene.create(scene.transfer('A', 'B', 1), { signs: ['A'] })
    expect(now.execution?.parentConsensusTimestamp).to.deep.equal(now.record?.consensusTimestamp)
    const id = await scene.created(scene.transfer('A', 'B', 2), { ...waiting(60), signs: ['A'] })
    await scene.pass(60)
    expect((await scene.network.history(id)).history?.execution).not.to.have.property('parentConsensusTimestamp')
  })
})
