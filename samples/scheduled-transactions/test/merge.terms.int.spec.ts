/** Under policy `merge`: what a create that joins a schedule has to agree with, and how long signatures are good for. */
import { expect } from 'chai'
import { keyList, thresholdKey } from '../model/KeyTree.js'
import { key, keyPair, Scene, statusOf, type SceneOptions } from './Scene.js'
import { defaultSettings } from '../model/Settings.js'
import { signIdentity, Wallet } from '../client/Wallet.js'

const withPeople = (options: SceneOptions, ...names: readonly string[]): Promise<Scene> =>
  Scene.withPeople(names, options)
const otherTerms = 'IDENTICAL_SCHEDULE_HAS_OTHER_TERMS'
const forged = 'SOME_SIGNATURES_WERE_INVALID'
const outOfTime = 'SIGNATURE_OUT_OF_TIME'

describe('joining an identical schedule', () => {
  it('is refused for another expiration or another word on waiting, by a code of its own that names the schedule', async () => {
    const scene = await withPeople({}, 'A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const expirationTime = scene.second + 3_600
    const id = await scene.created(body, { expirationTime, signs: ['D'] })
    const later = await scene.create(body, { expirationTime: expirationTime + 1, signs: ['A'] })
    expect([later.status, later.receipt?.schedule]).to.deep.equal([otherTerms, id])
    expect(await statusOf(scene.create(body, { expirationTime, waitForExpiry: true, signs: ['A'] }))).to.equal(
      otherTerms,
    )
    expect((await scene.network.info(id)).info?.signers, 'nobody has joined').to.deep.equal([key('D')])
  })

  it('asks nothing of a create that leaves the expiration out, nor of one that names the same', async () => {
    const scene = await withPeople({}, 'A', 'B', 'C')
    const body = scene.transfers({ A: -1, B: -1, C: 2 })
    const expirationTime = scene.second + 3_600
    const id = await scene.created(body, { expirationTime, signs: ['D'] })
    expect(await scene.created(body, { signs: ['A'] })).to.equal(id)
    expect(await scene.create(body, { expirationTime, signs: ['B'] })).to.have.property('execution')
    const ordinary = await scene.created(scene.transfer('A', 'C', 1), { signs: ['D'] })
    const { expirationTime: calculated = 0 } = (await scene.network.info(ordinary)).info ?? {}
    expect(await scene.created(scene.transfer('A', 'C', 1), { expirationTime: calculated })).to.equal(ordinary)
  })

  it('never executes at once what asks to wait, and never leaves hanging what wants to run now', async () => {
    const scene = await withPeople({}, 'A', 'B')
    const expirationTime = scene.second + 3_600
    const now = scene.transfer('A', 'B', 1)
    await scene.created(now, { signs: ['D'] })
    const waiting = await scene.create(now, { expirationTime, waitForExpiry: true, signs: ['A'] })
    expect([waiting.status, waiting.execution]).to.deep.equal([otherTerms, undefined])
    const later = scene.transfer('A', 'B', 2)
    await scene.created(later, { expirationTime, waitForExpiry: true, signs: ['D'] })
    expect(await statusOf(scene.create(later, { signs: ['D', 'A'] }))).to.equal(otherTerms)
    expect(await scene.balance('B')).to.equal(1_000)
  })

  it('knows no terms where schedules cannot wait', async () => {
    const scene = await withPeople({ settings: { longTerm: false } }, 'A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const id = await scene.created(body, { signs: ['D'] })
    expect(await scene.created(body, { waitForExpiry: true })).to.equal(id)
  })

  it('takes a nonce of 0 for none', async () => {
    const scene = await withPeople({}, 'A', 'B')
    const id = await scene.created(scene.transfer('A', 'B', 1), { signs: ['D'] })
    const zero = scene.transfer('A', 'B', 1).replace('{', '{"transactionID":{"nonce":0},')
    expect(zero).to.include('nonce')
    const joined = await scene.create(zero, { signs: ['A'] })
    expect([joined.receipt?.schedule, joined.execution?.receipt.status]).to.deep.equal([id, 'SUCCESS'])
  })
})

describe('a signature on a schedule', () => {
  it('of one that has expired or was deleted completes no later one; another nonce does it again', async () => {
    const scene = await withPeople({}, 'A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const expired = await scene.created(body, { signs: ['A'] })
    await scene.pass(1_800)
    expect(await scene.ended(expired)).to.equal('expired')
    expect(await statusOf(scene.create(body, { signs: ['D', 'A'] }))).to.equal(forged)
    const next = await scene.created(body, { signs: ['D'] })
    expect(await statusOf(scene.sign(next, ['A']))).to.equal(forged)
    const small = scene.transfer('A', 'B', 2)
    const adminKey = key('D')
    const deleted = await scene.created(small, { adminKey, signs: ['A'] })
    expect(await statusOf(scene.delete(deleted))).to.equal('SUCCESS')
    expect(await statusOf(scene.create(small, { adminKey, signs: ['D', 'A'] }))).to.equal(forged)
    const again = scene.transfer('A', 'B', 1, { nonce: 1 })
    expect(await scene.create(again, { signs: ['D', 'A'] })).to.have.property('execution')
  })

  it('that came too late for one that was executed completes no later one, whoever had made it', async () => {
    const scene = await withPeople({}, 'B')
    await scene.person('A', { key: thresholdKey(1, key('a'), key('a2')), keys: ['a'] })
    const body = scene.transfer('A', 'B', 1)
    const late = scene.signature('a2', body)
    const executed = await scene.created(body, { signs: ['D', 'a'] })
    expect(await scene.result(executed)).to.equal('SUCCESS')
    expect(await statusOf(scene.sign(executed, [], { sigMap: [late] }))).to.equal('INVALID_SCHEDULE_ID')
    const next = await scene.created(body)
    expect(await statusOf(scene.sign(next, [], { sigMap: [late] }))).to.equal(forged)
    expect(await statusOf(scene.create(body, { signs: ['a2'] }))).to.equal(forged)
    expect(await scene.balance('B'), 'moved once').to.equal(1_001)
  })

  it('is good for a span of time, so that one that came too late completes no later schedule', async () => {
    const scene = await withPeople({}, 'A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const never = [scene.signature('D', body), scene.signature('A', body)]
    const expired = await scene.created(body)
    await scene.pass(1_800)
    expect(await statusOf(scene.sign(expired, [], { sigMap: never }))).to.equal('INVALID_SCHEDULE_ID')
    await scene.pass(1)
    const next = await scene.created(body)
    expect(await statusOf(scene.sign(next, [], { sigMap: never }))).to.equal(outOfTime)
    expect(await statusOf(scene.create(body, { sigMap: never }))).to.equal(outOfTime)
    expect((await scene.network.info(next)).info?.signers, 'nobody has signed it').to.deep.equal([])
    expect(await scene.sign(next, ['D', 'A']), 'who signs anew').to.have.property('execution')
  })

  for (const ending of ['expires', 'is deleted', 'expires unsigned'] as const)
    it(`that was never recorded counts on no identical schedule that comes after one that ${ending}`, async () => {
      const scene = await withPeople({}, 'A', 'B')
      const adminKey = key('A')
      const alsoSigning = [keyPair('A')]
      const body = scene.transfer('A', 'B', 1)
      const first = await scene.created(body, { adminKey, alsoSigning, expirationTime: scene.second + 10 })
      // Refused together with one that is wrong, so it is on the ledger nowhere, and it is good for half an hour.
      const held = scene.signature('A', body, { adminKey })
      const wrong = { ...scene.signature('D', body, { adminKey }), ed25519: held.ed25519 }
      expect(await statusOf(scene.sign(first, [], { sigMap: [held, wrong] }))).to.equal(forged)
      if (ending === 'expires') expect(await statusOf(scene.sign(first, ['D']))).to.equal('SUCCESS')
      if (ending === 'is deleted') expect(await statusOf(scene.delete(first, [], { alsoSigning }))).to.equal('SUCCESS')
      await scene.pass(11)
      const next = await scene.created(body, { adminKey, alsoSigning })
      expect(await statusOf(scene.sign(next, [], { sigMap: [held] }))).to.equal(outOfTime)
      const joining = { adminKey, alsoSigning, sigMap: [held] }
      expect(await statusOf(scene.create(body, joining)), 'by a create that joins').to.equal(outOfTime)
      const unsaid = { ...held, from: scene.second }
      expect(await statusOf(scene.sign(next, [], { sigMap: [unsaid] })), 'made later by another').to.equal(forged)
      expect((await scene.network.info(next)).info?.signers, 'nobody has signed it').to.deep.equal([])
      expect(await statusOf(scene.sign(next, ['A'])), 'who signs anew').to.equal('SUCCESS')
    })

  it('says until when it is good, which is no longer than the network takes', async () => {
    const scene = await withPeople({ settings: { signatureSecs: 3_600 } }, 'A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const id = await scene.created(body, { signs: ['D'] })
    const identity = { transactionBody: body, payer: scene.id('D'), adminKey: null, memo: '' }
    const signing = (until: number | undefined) => {
      const pair = signIdentity(scene.network.ledgerID, keyPair('A'), identity, until === undefined ? {} : { until })
      return statusOf(scene.sign(id, [], { sigMap: [pair] }))
    }
    expect(await signing(undefined), 'for ever').to.equal(outOfTime)
    expect(await signing(scene.second - 1)).to.equal(outOfTime)
    expect(await signing(scene.second + 3_601)).to.equal(outOfTime)
    const lengthened = { ...scene.signature('A', body), until: scene.second + 3_600 }
    expect(await statusOf(scene.sign(id, [], { sigMap: [lengthened] })), 'lengthened by another').to.equal(forged)
    expect(await signing(scene.second + 3_600)).to.equal('SUCCESS')
  })

  it('and one on a transaction are good on one ledger alone, which get info names', async () => {
    const [here, there] = [await withPeople({}, 'A', 'B'), await withPeople({ party: 'Other operator' }, 'A', 'B')]
    const body = here.transfer('A', 'B', 1)
    expect(there.transfer('A', 'B', 1)).to.equal(body)
    const id = await here.created(body)
    const { ledgerID = '' } = (await here.network.info(id)).info ?? {}
    expect(ledgerID).to.match(/^[0-9a-f]{64}$/)
    expect(there.network.ledgerID).to.not.equal(ledgerID)
    const elsewhere = await there.created(body)
    const identity = { transactionBody: body, payer: here.id('D'), adminKey: null, memo: '' }
    const foreign = signIdentity(ledgerID, keyPair('A'), identity, { until: here.second })
    expect(await statusOf(there.sign(elsewhere, [], { sigMap: [foreign] }))).to.equal(forged)
    const transfer = { kind: 'cryptoTransfer', transfers: [] }
    const signed = new Wallet(ledgerID, here.id('A'), [keyPair('A')]).transaction(transfer, there.now)
    expect(await statusOf(there.network.submit(signed))).to.equal('INVALID_PAYER_SIGNATURE')
    expect(await statusOf(here.network.submit(signed))).to.equal('SUCCESS')
  })

  it('counts in one spelling of base64 only', async () => {
    const scene = await withPeople({}, 'A', 'B')
    const body = scene.transfer('A', 'B', 1)
    const id = await scene.created(body, { signs: ['D'] })
    const pair = scene.signature('A', body)
    const last = pair.ed25519.at(-3) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const unused = alphabet[alphabet.indexOf(last) + 1] ?? ''
    for (const ed25519 of [
      pair.ed25519.replace(/=+$/, ''),
      ` ${pair.ed25519}`,
      `${pair.ed25519}=`,
      `${pair.ed25519.slice(0, -3)}${unused}==`,
    ])
      expect(await statusOf(scene.sign(id, [], { sigMap: [{ ...pair, ed25519 }] })), ed25519).to.equal(forged)
    expect(await scene.sign(id, [], { sigMap: [pair] })).to.have.property('execution')
  })
})

describe('the fee', () => {
  for (const onIdentical of ['merge', 'reject'] as const)
    it(`grows with signatures and with keys, under ${onIdentical}`, async () => {
      const scene = await withPeople({ settings: { onIdentical } }, 'A', 'B', 'C')
      const feeOf = async (made: ReturnType<Scene['create']>) => (await made).record?.transactionFee ?? NaN
      const amounts = (amount: number) => scene.transfers({ A: -amount, B: -amount, C: 2 * amount })
      const { signaturePrice, keyPrice } = defaultSettings
      const plain = await feeOf(scene.create(amounts(1)))
      expect(await feeOf(scene.create(amounts(2), { signs: ['A', 'B'] }))).to.equal(plain + 2 * signaturePrice)
      const adminKey = keyList(key('A'), key('B'))
      const admin = { adminKey, alsoSigning: [keyPair('A'), keyPair('B')] }
      const keyed = plain + 2 * signaturePrice + 2 * keyPrice
      expect(await feeOf(scene.create(amounts(3), admin))).to.equal(keyed)
      const id = await scene.created(amounts(4))
      const one = await feeOf(scene.sign(id, ['A']))
      const other = await scene.created(amounts(5))
      expect(await feeOf(scene.sign(other, ['A', 'B']))).to.equal(one + signaturePrice)
    })
})

describe('a chosen second', () => {
  for (const onIdentical of ['merge', 'reject'] as const)
    it(`that is full is refused before anything is charged, under ${onIdentical}`, async () => {
      const scene = await withPeople({ settings: { onIdentical, expiryCapacity: 2 } }, 'A', 'B')
      const expirationTime = scene.second + 3_600
      for (const amount of [1, 2]) await scene.created(scene.transfer('A', 'B', amount), { expirationTime })
      const before = await scene.balance('D')
      const refused = await scene.create(scene.transfer('A', 'B', 3), { expirationTime })
      expect(refused).to.deep.equal({ status: 'SCHEDULE_EXPIRY_IS_BUSY', handled: false })
      expect(await scene.balance('D')).to.equal(before)
      if (onIdentical === 'merge')
        expect(await statusOf(scene.create(scene.transfer('A', 'B', 2), { expirationTime, signs: ['D'] }))).to.equal(
          'SUCCESS',
        )
    })
})
