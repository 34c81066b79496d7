import { expect } from 'chai'
import { keyList, thresholdKey, type KeyTree } from '../model/KeyTree.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { key, keyPair, Scene, statusOf } from './Scene.js'

const withPeople = (...names: readonly string[]): Promise<Scene> =>
  Scene.withPeople(names, { settings: { onIdentical: 'reject' } })

const admin = { adminKey: key('admin'), alsoSigning: [keyPair('admin')] }

/** Two of three groups, each of which needs so many of its three keys. */
const groups = (...thresholds: readonly [number, number, number]): KeyTree =>
  thresholdKey(
    2,
    ...thresholds.map((threshold, group) => thresholdKey(threshold, ...[0, 1, 2].map((one) => key(`${group}${one}`)))),
  )
const allNine = [0, 1, 2].flatMap((group) => [0, 1, 2].map((one) => `${group}${one}`))

describe('signing a schedule under policy reject', () => {
  it('[HED-131] finds a deleted schedule deleted', async () => {
    const scene = await withPeople('A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1), admin)
    await scene.delete(id, ['admin'])
    expect(await statusOf(scene.sign(id, ['A']))).to.equal('SCHEDULE_ALREADY_DELETED')
    expect(await scene.balance('A')).to.equal(1_000)
  })

  it('[HED-132] respects requirements that were raised after somebody had signed', async () => {
    const scene = await withPeople('B')
    await scene.person('A', { key: groups(1, 1, 1), keys: allNine })
    const id = await scene.created(scene.transfer('A', 'B', 1), { signs: ['00'] })
    await scene.rekey('A', groups(1, 1, 2), allNine, allNine)
    expect(await scene.sign(id, ['20'])).not.to.have.property('execution')
    expect(await scene.sign(id, ['21'])).to.have.property('execution')
    expect(await statusOf(scene.sign(id, ['22']))).to.equal('SCHEDULE_ALREADY_EXECUTED')
    expect(await scene.balance('B')).to.equal(1_001)
  })

  it('[HED-133] [HED-134] executes by a poke once requirements were lowered, whoever pokes', async () => {
    for (const poker of ['D', 'X']) {
      const scene = await withPeople('B', 'X')
      await scene.person('A', { key: groups(1, 1, 2), keys: allNine })
      const id = await scene.created(scene.transfer('A', 'B', 1), { signs: ['00', '20'] })
      await scene.rekey('A', groups(1, 1, 1), allNine, allNine)
      const { receipt, execution } = await scene.sign(id, [], { as: poker })
      expect(receipt?.scheduledTransactionID).to.deep.equal(execution?.transactionID)
      expect(execution?.receipt.status).to.equal('SUCCESS')
      expect(await statusOf(scene.sign(id, ['21']))).to.equal('SCHEDULE_ALREADY_EXECUTED')
      expect(await scene.balance('B')).to.equal(1_001)
    }
  })

  it('[HED-136] [HED-137] is not confused by the order of sender and receiver, nor by alternative keys', async () => {
    const scene = await withPeople()
    await scene.person('A', { key: thresholdKey(1, key('a'), key('b'), key('c')), keys: ['a'] })
    await scene.person('R', { receiverSigRequired: true })
    const first = await scene.created(scene.transfer('A', 'R', 1))
    expect(await scene.sign(first, ['R'])).not.to.have.property('execution')
    expect(await scene.sign(first, ['b'])).to.have.property('execution')
    expect(await statusOf(scene.sign(first, ['a', 'c']))).to.equal('SCHEDULE_ALREADY_EXECUTED')
    const second = await scene.created(scene.transfer('A', 'R', 2))
    for (const one of ['a', 'b']) expect(await scene.sign(second, [one])).not.to.have.property('execution')
    expect(await scene.sign(second, ['R'])).to.have.property('execution')
    expect(await scene.balance('R')).to.equal(1_003)
  })

  it('[HED-138] recognises that a receiver has come to want to be asked', async () => {
    const scene = await withPeople('A', 'R')
    const id = await scene.created(scene.transfer('A', 'R', 1))
    await scene.submit(
      { kind: 'cryptoUpdateAccount', accountID: scene.id('R'), receiverSigRequired: true },
      { with: ['R'] },
    )
    expect(await scene.sign(id, ['A'])).not.to.have.property('execution')
    expect(await scene.sign(id, ['R'])).to.have.property('execution')
  })

  it('[HED-141] [HED-142] [HED-144] [HED-354] adds who is needed and ignores who is not', async () => {
    const scene = await withPeople('A', 'X')
    await scene.person('R', { receiverSigRequired: true })
    const id = await scene.created(scene.transfer('A', 'R', 1))
    expect(await statusOf(scene.sign(id, ['R']))).to.equal('SUCCESS')
    expect((await scene.network.info(id)).info?.signers).to.deep.equal([key('D'), key('R')])
    expect(await statusOf(scene.sign(id, ['X']))).to.equal('NO_NEW_VALID_SIGNATURES')
    expect(await statusOf(scene.sign(id, ['R']))).to.equal('NO_NEW_VALID_SIGNATURES')
    expect(await statusOf(scene.sign('0.0.4711', ['A']))).to.equal('INVALID_SCHEDULE_ID')
    expect(await statusOf(scene.sign(undefined, ['A']))).to.equal('INVALID_SCHEDULE_ID')
    const cheap = await scene.sign(id, ['A'], { transactionFee: 1 })
    expect(cheap).to.deep.equal({ status: 'INSUFFICIENT_TX_FEE', handled: false })
    expect((await scene.network.info(id)).info?.signers).to.have.length(2)
  })

  it('[HED-143] ignores a key that a topic no longer asks for', async () => {
    const scene = await withPeople('A')
    const topic = { kind: 'consensusCreateTopic', adminKey: key('admin'), submitKey: key('s1') }
    const topicID = (await scene.submit(topic, { with: ['admin'] })).receipt?.topicID ?? ''
    const id = await scene.created(transactionBody({ kind: 'consensusSubmitMessage', topicID, message: 'hi' }))
    await scene.submit({ kind: 'consensusUpdateTopic', topicID, submitKey: key('s2') }, { with: ['admin'] })
    expect(await statusOf(scene.sign(id, ['s1']))).to.equal('NO_NEW_VALID_SIGNATURES')
    expect(await scene.sign(id, ['s2'])).to.have.property('execution')
  })

  it('[HED-147] [HED-148] tells signers apart by as many digits as they give', async () => {
    const scene = await withPeople('B')
    // Three keys that begin alike, as three of any seventeen do.
    const alike = (count: number): readonly string[] => {
      const byDigit = new Map<string, string[]>()
      for (let index = 0; ; index++) {
        const digit = key(`k${index}`).slice('ed25519:'.length)[0] ?? ''
        const names = [...(byDigit.get(digit) ?? []), `k${index}`]
        byDigit.set(digit, names)
        if (names.length === count) return names
      }
    }
    const [a = '', b = '', c = ''] = alike(3)
    await scene.person('A', { key: key(a), keys: [a] })
    await scene.person('C', { key: key(c), keys: [c] })
    const id = await scene.created(scene.transfers({ A: -1, C: -1, B: 2 }), {
      adminKey: key(b),
      alsoSigning: [keyPair(b)],
    })
    const signWith = (digits: number, ...names: readonly string[]) => {
      const signed = scene.wallet('D').transaction({ kind: 'scheduleSign', scheduleID: id } as const, scene.now)
      const { sigMap } = scene.wallet('D').transaction(signed.body.operation, scene.now, {
        alsoSigning: names.map(keyPair),
        validStart: signed.body.transactionID.transactionValidStart,
      })
      const short = sigMap.map((pair, index) =>
        index === 0 ? pair : { ...pair, pubKeyPrefix: pair.pubKeyPrefix.slice(0, digits) },
      )
      return scene.network.sign({ body: signed.body, sigMap: short })
    }
    expect(await statusOf(signWith(1, a))).to.equal('SUCCESS')
    expect(await statusOf(signWith(1, a))).to.equal('NO_NEW_VALID_SIGNATURES')
    expect(await statusOf(signWith(16, a, b))).to.equal('NO_NEW_VALID_SIGNATURES')
    expect(await statusOf(signWith(1, b))).to.equal('SOME_SIGNATURES_WERE_INVALID')
    expect(await signWith(16, a, b, c)).to.have.property('execution')
    expect(await scene.balance('B')).to.equal(1_002)
  })

  it('[HED-149] executes by an empty sign once a list was cut down to who has signed', async () => {
    const scene = await withPeople('B')
    await scene.person('A', { key: keyList(key('a'), key('b')), keys: ['a', 'b'] })
    const id = await scene.created(scene.transfer('A', 'B', 1), { signs: ['a'] })
    await scene.rekey('A', key('a'), ['a', 'b'], ['a'])
    expect(await scene.sign(id)).to.have.property('execution')
    expect(await scene.balance('A')).to.equal(999)
  })

  it('a key that was rotated out and back counts again', async () => {
    const scene = await withPeople('A')
    await scene.person('R', { receiverSigRequired: true })
    const id = await scene.created(scene.transfer('A', 'R', 1), { signs: ['A'] })
    await scene.rekey('A', key('A2'), ['A'], ['A2'])
    expect(await scene.sign(id, ['R'])).not.to.have.property('execution')
    await scene.rekey('A', key('A'), ['A2'], ['A'])
    expect(await scene.sign(id)).to.have.property('execution')
  })

  it('[HED-223] stores all who have signed when it executes', async () => {
    const scene = await withPeople('A', 'B', 'C')
    const id = await scene.created(scene.transfers({ A: -1, B: -1, C: 2 }), { signs: ['A'] })
    await scene.sign(id, ['B'])
    expect((await scene.network.info(id)).info?.signers).to.deep.equal([key('D'), key('A'), key('B')])
  })

  it('refuses a signature taken from another transaction', async () => {
    const scene = await withPeople('A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1))
    const taken = scene.wallet('A').transaction({ kind: 'cryptoTransfer', transfers: [] }, scene.now).sigMap
    const signed = scene.wallet('D').transaction({ kind: 'scheduleSign', scheduleID: id } as const, scene.now)
    const forged = { ...signed, sigMap: [...signed.sigMap, ...taken] }
    expect(await statusOf(scene.network.sign(forged))).to.equal('SOME_SIGNATURES_WERE_INVALID')
    expect(await scene.balance('A')).to.equal(1_000)
  })
})

describe('deleting a schedule under policy reject', () => {
  it('[HED-170] [HED-224] tells deleted, executed, immutable and unknown schedules apart', async () => {
    const scene = await withPeople('A', 'B')
    const body = (nonce: number) => scene.transfer('A', 'B', nonce)
    const id = await scene.created(body(1), admin)
    expect(await statusOf(scene.delete(id))).to.equal('INVALID_SIGNATURE')
    const { status, record } = await scene.delete(id, ['admin'])
    expect(status).to.equal('SUCCESS')
    expect((await scene.network.info(id)).info?.deletionTime).to.deep.equal(record?.consensusTimestamp)
    expect(await statusOf(scene.delete(id, ['admin']))).to.equal('SCHEDULE_ALREADY_DELETED')
    const executed = await scene.created(body(2), { ...admin, signs: ['A'] })
    expect(await statusOf(scene.delete(executed, ['admin']))).to.equal('SCHEDULE_ALREADY_EXECUTED')
    expect(await statusOf(scene.delete(await scene.created(body(3)), ['admin']))).to.equal('SCHEDULE_IS_IMMUTABLE')
    expect(await statusOf(scene.delete('0.0.1', ['admin']))).to.equal('INVALID_SCHEDULE_ID')
    await scene.pass(1_800)
    expect(await statusOf(scene.delete(executed, ['admin']))).to.equal('INVALID_SCHEDULE_ID')
    expect(await scene.infoStatus(id)).to.equal('INVALID_SCHEDULE_ID')
  })
})
