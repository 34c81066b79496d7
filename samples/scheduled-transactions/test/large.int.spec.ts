import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { IntegerC } from 'carillon'
import { entityOf } from '../model/ids.js'
import { keyList, thresholdKey } from '../model/KeyTree.js'
import { mostNamed, needs } from '../model/Account.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings, type Settings } from '../model/Settings.js'
import { sigPair, witness } from '../model/SignatureMap.js'
import { defineOperation } from '../operations/Operation.js'
import { key, keyPair, Scene, statusOf } from './Scene.js'

const firstOfMany = 500_000

/** Makes many accounts at once, or as many as it is told to. */
const populate = defineOperation({
  kind: 'populate',
  asked: t.readonly(t.strict({ from: IntegerC, count: IntegerC })),
  needs: () => needs({}),
  *perform(books, { from, count }) {
    for (let number = from; number < from + count; number++)
      yield* books.accounts.put({
        operator: books.io.me,
        accountID: entityOf(number),
        key: key('many'),
        balance: 0,
        receiverSigRequired: false,
        deleted: false,
      })
    return right({})
  },
})

const open = (settings: Partial<Settings> = {}): Promise<Scene> =>
  Scene.open({ operations: [populate], settings: { maxTransfers: 1_000, ...settings } })

const many = async (scene: Scene, count: number): Promise<void> => {
  for (let made = 0; made < count; made += 300)
    expect(
      await statusOf(scene.submit({ kind: 'populate', from: firstOfMany + made, count: Math.min(300, count - made) })),
    ).to.equal('SUCCESS')
}

/** The text of a transfer from A of one to each of many. */
const toMany = (scene: Scene, count: number): string =>
  transactionBody({
    kind: 'cryptoTransfer',
    transfers: [
      { accountID: scene.id('A'), amount: -count },
      ...Array.from({ length: count }, (_, number) => ({ accountID: entityOf(firstOfMany + number), amount: 1 })),
    ],
  })

describe('a transaction that names very many', () => {
  it('executes in one commit as long as one commit can hold it, and else fails in a record of its own', async () => {
    const scene = await open()
    await scene.person('A', { balance: 10_000 })
    await many(scene, mostNamed - 1)
    const fits = await scene.created(toMany(scene, 300), { signs: ['D'] })
    expect((await scene.sign(fits, ['A'])).execution?.receipt.status).to.equal('SUCCESS')
    expect(await scene.balance('A')).to.equal(9_700)
    expect(await scene.network.balance(entityOf(firstOfMany + 299))).to.equal(1)
    const tooLarge = await scene.created(toMany(scene, mostNamed - 1), { signs: ['D'] })
    const { status, execution } = await scene.sign(tooLarge, ['A'])
    expect([status, execution?.receipt.status]).to.deep.equal(['SUCCESS', 'TRANSACTION_OVERSIZE'])
    expect(await scene.balance('A')).to.equal(9_700)
  })

  it('is refused by name when it is larger, scheduled or submitted, and charged for like any other', async () => {
    const scene = await open({ maxTransactionBytes: 1_000_000 })
    await scene.person('A')
    for (const count of [mostNamed, 1_000, 1_500]) {
      const before = await scene.balance('D')
      const { status, handled } = await scene.create(toMany(scene, count), { signs: ['D', 'A'] })
      expect({ status, handled }).to.deep.equal({ status: 'TRANSACTION_OVERSIZE', handled: true })
      expect(before - (await scene.balance('D'))).to.equal(102)
    }
    const transfers = Array.from({ length: 1_200 }, (_, number) => ({ accountID: entityOf(number + 10), amount: 0 }))
    expect(await statusOf(scene.submit({ kind: 'cryptoTransfer', transfers }))).to.equal('TRANSACTION_OVERSIZE')
  })

  it('is not even taken when its text is too long', async () => {
    const scene = await open()
    await scene.person('A')
    const body = transactionBody({ kind: 'cryptoTransfer', transfers: [], pad: 'x'.repeat(65_536) })
    const { status, handled } = await scene.create(body)
    expect({ status, handled }).to.deep.equal({ status: 'TRANSACTION_OVERSIZE', handled: false })
  })

  it('fails in a record of its own when it turns out to change more than one commit can hold', async () => {
    const scene = await open({ whitelist: [...defaultSettings.whitelist, 'populate'] })
    for (const when of ['signed', 'waiting'] as const) {
      const body = transactionBody({ kind: 'populate', from: 1_000_000, count: 1_001 }, { memo: when })
      const expires = when === 'waiting' ? { expirationTime: scene.second + 60, waitForExpiry: true } : {}
      const id = await scene.created(body, { signs: ['D'], ...expires })
      await scene.pass(60)
      expect([await scene.ended(id), await scene.result(id)]).to.deep.equal(['executed', 'TRANSACTION_OVERSIZE'])
      expect(await scene.network.account(entityOf(1_000_000))).to.equal(undefined)
    }
  })

  it('executes or fails by the room that large keys leave, and never stops the network', async () => {
    const scene = await open()
    const tree = keyList(...Array.from({ length: 400 }, (_, number) => key(`signer ${number}`)))
    const crowd = Array.from({ length: 10 }, (_, number) => `crowd ${number}`)
    for (const name of crowd) await scene.person(name, { key: tree, keys: [] })
    for (const [receivers, result] of [
      [6, 'SUCCESS'],
      [10, 'TRANSACTION_OVERSIZE'],
    ] as const) {
      const amounts = { D: -receivers, ...Object.fromEntries(crowd.slice(0, receivers).map((name) => [name, 1])) }
      const expires = { expirationTime: scene.second + 60, waitForExpiry: true }
      const id = await scene.created(scene.transfers(amounts), { signs: ['D'], ...expires })
      await scene.pass(60)
      expect(await scene.result(id)).to.equal(result)
    }
  })

  it('may need hundreds of signatures, a key tree as large as a transaction can bring', async () => {
    const scene = await open()
    const names = Array.from({ length: 300 }, (_, number) => `signer ${number}`)
    const half = names.slice(0, 150)
    const tree = keyList(thresholdKey(100, ...half.map(key)), thresholdKey(1, ...names.slice(150).map(key)))
    await scene.person('A', { key: tree, keys: [names[0]!] })
    await scene.people('B')
    const id = await scene.created(scene.transfer('A', 'B', 1), { signs: ['D', ...half.slice(0, 99)] })
    expect((await scene.sign(id, [names[299]!])).execution).to.equal(undefined)
    expect((await scene.sign(id, [half[149]!])).execution?.receipt.status).to.equal('SUCCESS')
    expect((await scene.network.history(id)).history?.signers).to.have.lengthOf(102)
  })

  it('takes no more signatures than its end can hold, so that every schedule ends', async () => {
    const scene = await open()
    const signers = Array.from({ length: 2_100 }, (_, number) => `signer ${number}`)
    const names = ['A', 'B', 'C']
    for (const [index, name] of names.entries()) {
      const keys = signers.slice(index * 700, index * 700 + 700)
      await scene.person(name, { key: thresholdKey(1, ...keys.map(key)), keys: [keys[0]!] })
    }
    const id = await scene.created(scene.transfers({ A: -1, B: -1, C: -1, D: 3 }))
    const answers: string[] = []
    for (let from = 0; from < signers.length; from += 210)
      answers.push(await statusOf(scene.sign(id, signers.slice(from, from + 210))))
    expect(answers.slice(0, 3)).to.deep.equal(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    expect(answers.at(-1)).to.equal('TRANSACTION_OVERSIZE')
    await scene.pass(1_800)
    expect(await scene.ended(id)).to.equal('expired')
  })

  it('is soon answered, however many keys signatures that tell none of their digits would fit', async () => {
    const keys = Array.from({ length: 100 }, (_, number) => keyPair(`signer ${number}`))
    const asked = keys.map(({ publicKey }) => publicKey)
    const signedBy = (digits: number) =>
      witness(
        keys.map((each) => sigPair(each, 'text', digits)),
        asked,
        'text',
      ).signed.size
    expect(signedBy(64)).to.equal(100)
    expect(signedBy(1)).to.equal(100)
    expect(signedBy(0)).to.equal(20)
  })
})
