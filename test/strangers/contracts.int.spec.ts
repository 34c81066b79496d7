/** Old rules of a contract, as a hostile member would like to go on using them. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  allOf,
  CarillonError,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineResponder,
  defineState,
  instant,
  IntegerC,
  PartyC,
  rule,
  type FlowBody,
  type Json,
  type LedgerTransaction,
} from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import type { TransactionBody } from '../../src/ledger/Transaction.js'
import { agreeTo } from '../session/agreement.js'
import { recordedBy, outputOf, Say, Stranger } from './Stranger.js'

const retiredFrom = instant('2026-02-01T00:00:00.000Z')
const Pay = defineCommand({ type: 'cash/Pay' })
const CashC = t.strict({ issuer: PartyC, owner: PartyC, amount: IntegerC })
const Kind = { type: 'cash/Cash', data: CashC } as const

const ownersSign = (tx: LedgerTransaction) =>
  tx.inputsOf(Kind).map(({ data }) => rule('the owner signs', tx.signers.has(data.owner.key)))
/** The hole of version 1: whoever likes can issue. */
const v1 = (tx: LedgerTransaction) => allOf(ownersSign(tx))
const v2 = (tx: LedgerTransaction) =>
  allOf([
    ...ownersSign(tx),
    ...(tx.inputsOf(Kind).length > 0
      ? []
      : tx.outputsOf(Kind).map(({ data }) => rule('the issuer signs', tx.signers.has(data.issuer.key)))),
  ])
const contracts = {
  open: defineContract({ name: 'cash/Cash', version: 2, verify: v2, earlier: { 1: v1 } }),
  closed: defineContract({
    name: 'cash/Cash',
    version: 2,
    verify: v2,
    earlier: { 1: v1 },
    retired: { 1: retiredFrom },
  }),
}

const appWith = (contract: (typeof contracts)['open']) => {
  const Cash = defineState({ ...Kind, contract, participants: ({ owner }) => [owner] })
  const Take = defineResponder({
    name: 'cash/Take',
    respondsTo: 'cash/Give',
    *run(io, session): FlowBody<void> {
      yield* io.receiveFinality(session, { any: true })
    },
  })
  const Issue = defineFlow({
    name: 'cash/Issue',
    input: t.strict({ amount: IntegerC }),
    *run(io, { amount }): FlowBody<void> {
      yield* io.finalise((tx) => tx.produce(Cash, { issuer: io.me, owner: io.me, amount }).command(Pay, [io.me]))
    },
  })
  return defineApp({ name: 'cash', states: [Cash], flows: [Take, Issue, agreeTo('cash/Ask'), Say] })
}

const start = async (seed: string, which: keyof typeof contracts): Promise<Stranger> => {
  const app = appWith(contracts[which])
  const notary = 'validating' as const
  return new Stranger(
    await VirtualNetwork.start({
      parties: { Bank: { app }, Bob: { app }, Mallory: { app }, Notary: { app, notary } },
      seed,
    }),
    seed,
  )
}

const cash = (mallory: Stranger, version: number, parts: Partial<TransactionBody> = {}): TransactionBody => {
  const data: Json = { issuer: mallory.party('Bank'), owner: mallory.party('Bob'), amount: 1_000_000 }
  return {
    ...mallory.body({}),
    outputs: [{ type: 'cash/Cash', version: 1, contract: { name: 'cash/Cash', version }, data }],
    ...parts,
  }
}

const give = (mallory: Stranger, body: TransactionBody, signers = ['Mallory']) =>
  mallory.say('Bob', 'cash/Give', { type: 'finality', transaction: mallory.sign(body, signers) })

describe('The versions of a contract', () => {
  it('do not fall back behind what is consumed', async () => {
    const mallory = await start('fallback', 'open')
    const own = { issuer: mallory.party('Mallory'), owner: mallory.party('Mallory'), amount: 1 }
    const issued = mallory.sign(
      cash(mallory, 2, {
        outputs: [{ type: 'cash/Cash', version: 1, contract: { name: 'cash/Cash', version: 2 }, data: own }],
      }),
    )
    const spend = (version: number) => cash(mallory, version, { inputs: [outputOf(issued)] })
    expect(await give(mallory, issued.body)).to.deep.equal([{ type: 'recorded' }])
    expect(await give(mallory, spend(1), ['Mallory', 'Notary'])).to.deep.equal([{ error: 'contract-outdated' }])
    expect(await give(mallory, spend(2), ['Mallory', 'Notary'])).to.deep.equal([{ type: 'recorded' }])
    expect((await recordedBy(mallory.network, 'Bob')).all).to.have.lengthOf(2)
  })

  it('are refused once they are retired, whatever the time is and whoever says so', async () => {
    const mallory = await start('retired', 'closed')
    const windows = {
      none: undefined,
      'open end': { from: instant('2026-01-01T00:00:00.000Z') },
      'ends too late': { until: instant('2026-02-01T00:00:00.001Z') },
    }
    for (const [what, timeWindow] of Object.entries(windows)) {
      const body = cash(mallory, 1, timeWindow === undefined ? {} : { timeWindow })
      const signers = timeWindow === undefined ? ['Mallory'] : ['Mallory', 'Notary']
      expect(await give(mallory, body, signers), what).to.deep.equal([{ error: 'contract-outdated' }])
    }
    const inTime = cash(mallory, 1, { timeWindow: { until: retiredFrom } })
    expect(await give(mallory, inTime, ['Mallory', 'Notary'])).to.deep.equal([{ type: 'recorded' }])
  })

  it('that are retired are not vouched for by whoever is its own notary', async () => {
    const mallory = await start('dated back', 'closed')
    const mine = { issuer: mallory.party('Bank'), owner: mallory.party('Mallory'), amount: 1_000_000 }
    const dated = mallory.sign(
      cash(mallory, 1, {
        outputs: [{ type: 'cash/Cash', version: 1, contract: { name: 'cash/Cash', version: 1 }, data: mine }],
        notary: mallory.party('Mallory'),
        timeWindow: { until: retiredFrom },
      }),
    )
    const answers = await mallory.say(
      'Bob',
      'cash/Give',
      {
        type: 'finality',
        transaction: mallory.sign(cash(mallory, 2, { inputs: [outputOf(dated)] }), ['Mallory', 'Notary']),
      },
      { type: 'ancestors', ids: [outputOf(dated).transaction] },
      [{ type: 'history', transactions: [dated] }, { type: 'historyEnd' }],
    )
    expect(answers.at(-1)).not.to.deep.equal({ type: 'recorded' })
    expect((await recordedBy(mallory.network, 'Bob')).all).to.deep.equal([])
  })

  it('that are retired can still be consumed, and their states go on under the new rules', async () => {
    const mallory = await start('consumed', 'closed')
    const { network } = mallory
    const mine = { issuer: mallory.party('Bank'), owner: mallory.party('Mallory'), amount: 1 }
    const old = mallory.sign(
      cash(mallory, 1, {
        outputs: [{ type: 'cash/Cash', version: 1, contract: { name: 'cash/Cash', version: 1 }, data: mine }],
        timeWindow: { until: retiredFrom },
      }),
      ['Mallory', 'Notary'],
    )
    expect(await give(mallory, old.body, ['Mallory', 'Notary'])).to.deep.equal([{ type: 'recorded' }])
    await network.advanceTo(instant('2026-03-01T00:00:00.000Z'))
    const spend = (version: number) => cash(mallory, version, { inputs: [outputOf(old)] })
    expect(await give(mallory, spend(1), ['Mallory', 'Notary'])).to.deep.equal([{ error: 'contract-outdated' }])
    expect(await give(mallory, spend(2), ['Mallory', 'Notary'])).to.deep.equal([{ type: 'recorded' }])
  })

  it('are looked at by a signer and by a validating notary too', async () => {
    const mallory = await start('notary', 'closed')
    const body = cash(mallory, 1, { signers: [[mallory.party('Mallory').key, mallory.party('Bob').key]] })
    const asked = await mallory.say('Bob', 'cash/Ask', { type: 'sign', transaction: mallory.sign(body) })
    expect(asked).to.deep.equal([{ error: 'contract-outdated' }])
    const window = cash(mallory, 1, { timeWindow: { until: instant('2027-01-01T00:00:00.000Z') } })
    const request = { type: 'whole', transaction: mallory.sign(window), callerSignature: 'x' }
    const notarised = await mallory.say('Notary', 'carillon/Notarise', { type: 'notarise', request })
    expect(notarised).to.deep.equal([{ error: 'contract-outdated' }])
  })

  it('are retired only when there is a newer one', () => {
    const retire = (retired: Record<number, typeof retiredFrom>) => () =>
      defineContract({ name: 'cash/Cash', version: 2, verify: v2, earlier: { 1: v1 }, retired })
    expect(retire({ 2: retiredFrom })).to.throw(CarillonError, /only versions before 2/)
    expect(retire({ 3: retiredFrom })).to.throw(CarillonError, /only versions before 2/)
    expect(right(undefined)._tag).to.equal('Right')
  })
})
