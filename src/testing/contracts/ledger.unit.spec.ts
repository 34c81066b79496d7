import { AssertionError } from 'node:assert'
import { expect } from 'chai'
import * as t from 'io-ts'
import {
  allOf,
  defineCommand,
  defineContract,
  defineState,
  instant,
  IntegerC,
  participantsSign,
  PartyC,
  rule,
} from '../../index.js'
import { ledger, testParty } from '../index.js'

const ann = testParty('Ann')
const ben = testParty('Ben')

const CoinC = t.strict({ owner: PartyC, pence: IntegerC })
const CoinKind = { type: 'test/Coin', data: CoinC } as const
const Mint = defineCommand({ type: 'test/Mint' })
const Pay = defineCommand({ type: 'test/Pay', data: t.strict({ memo: t.string }) })

const Coin = defineState({
  ...CoinKind,
  contract: defineContract({
    name: 'test/Coin',
    verify: (transaction) => {
      const sum = (coins: readonly { readonly data: { readonly pence: number } }[]): number =>
        coins.reduce((total, { data }) => total + data.pence, 0)
      const before = transaction.inputsOf(CoinKind)
      const after = transaction.outputsOf(CoinKind)
      return allOf([
        rule(
          'a coin is worth something',
          after.every(({ data }) => data.pence > 0),
        ),
        ...(transaction.commandsOf(Mint).length > 0
          ? []
          : [rule('no money is made or lost', sum(before) === sum(after))]),
        ...before.map(({ data }) => rule(`${data.owner.name} signs`, transaction.signers.has(data.owner.key))),
      ])
    },
  }),
  participants: ({ owner }) => [owner],
})
const Plain = defineState({
  type: 'test/Plain',
  data: t.strict({ owner: PartyC }),
  participants: ({ owner }) => [owner],
})
const app = { states: [Coin, Plain] }

const failureOf = (assertion: () => unknown): AssertionError => {
  try {
    assertion()
  } catch (error) {
    if (error instanceof AssertionError) return error
    throw error
  }
  return expect.fail('the assertion holds')
}

describe('A ledger for tests of contracts', () => {
  it('keeps what a verified transaction produced under its label, for the next one to consume', () => {
    const bank = ledger(app)
    bank.transaction().produce(Coin, { owner: ann, pence: 5 }, 'coin').command(Mint, [ann]).verifies()
    bank
      .transaction()
      .consume('coin')
      .produce(Coin, { owner: ben, pence: 2 }, 'paid')
      .produce(Coin, { owner: ann, pence: 3 }, 'change')
      .command(Pay, [ann], { memo: 'tea' })
      .verifies()
    expect(bank.state(Coin, 'paid').data).to.deep.equal({ owner: ben, pence: 2 })
  })

  it('refuses to consume twice, as a notary would', () => {
    const bank = ledger(app)
    bank.given(Coin, { owner: ann, pence: 5 }, 'coin')
    const pay = bank
      .transaction()
      .consume('coin')
      .produce(Coin, { owner: ben, pence: 5 })
      .command(Pay, [ann], { memo: '' })
    pay.verifies()
    pay.failsOnlyWith(/"coin" was already consumed by transaction [0-9a-f]{64}/)
  })

  it('tries a tweak without a trace, and goes on with the original', () => {
    const bank = ledger(app)
    bank.given(Coin, { owner: ann, pence: 5 }, 'coin')
    bank
      .transaction()
      .consume('coin')
      .produce(Coin, { owner: ben, pence: 5 }, 'paid')
      .tweak((tx) => tx.command(Pay, [ben], { memo: '' }).failsOnlyWith('Ann signs'))
      .tweak((tx) =>
        tx
          .change(Coin, (coin) => ({ ...coin, pence: 6 }))
          .command(Pay, [ann], { memo: '' })
          .failsWith('no money'),
      )
      .tweak((tx) =>
        tx
          .change(Coin, (coin) => ({ ...coin, pence: 5 }), 'paid')
          .command(Pay, [ann], { memo: '' })
          .verifies(),
      )
      .command(Pay, [ann], { memo: '' })
      .verifies()
  })

  it('lists every violation when others were expected', () => {
    const trial = ledger(app).transaction().produce(Coin, { owner: ann, pence: -1 }).command(Pay, [ann], { memo: '' })
    const failure = failureOf(() => trial.failsWith('a coin is round'))
    expect(failure.message).to.equal(
      'The transaction is refused, but not because of a coin is round. All its violations:\n  - a coin is worth something\n  - no money is made or lost',
    )
    expect(failure.actual).to.deep.equal(['a coin is worth something', 'no money is made or lost'])
    expect(failureOf(() => trial.failsOnlyWith('a coin is worth something')).message).to.include(
      'for more than was expected',
    )
    expect(failureOf(() => trial.verifies()).message).to.include('- no money is made or lost')
  })

  it('says so when a transaction that should be refused verifies', () => {
    const trial = ledger(app).transaction().produce(Coin, { owner: ann, pence: 1 }).command(Mint, [ann])
    expect(failureOf(() => trial.failsWith('anything')).message).to.include('but it verifies')
  })

  it('judges what has no contract of its own by the default one, and a malformed transaction before any', () => {
    const bank = ledger(app)
    expect(Plain.contract).to.equal(participantsSign)
    bank.transaction().produce(Plain, { owner: ann }).command(Mint, [ben]).failsOnlyWith('Ann takes part')
    bank.transaction().produce(Plain, { owner: ann }).failsOnlyWith('it has no command')
    bank.transaction().command(Mint, [ann]).failsOnlyWith('it neither consumes nor produces a state')
  })

  it('takes what does not fit a codec, or names nothing, for a violation like any other', () => {
    const bank = ledger(app)
    bank
      .transaction()
      .produce(Coin, { owner: ann, pence: 0.5 })
      .command(Mint, [ann])
      .failsOnlyWith('does not fit its codec')
    bank.given(Coin, { owner: ann, pence: 1 }, 'coin')
    bank
      .transaction()
      .consume('coi')
      .command(Mint, [ann])
      .failsOnlyWith('Nothing on this ledger is labelled "coi". Its labels are "coin".')
    expect(() => bank.state(Plain, 'coin')).to.throw('"coin" is a test/Coin, not a test/Plain')
    expect(() => bank.transaction().change(Coin, (coin) => coin)).to.throw('produces no test/Coin')
  })

  it('shows a contract the time window and the states that are only read', () => {
    let seen: unknown
    const Watched = defineState({
      type: 'test/Watched',
      data: t.strict({ owner: PartyC }),
      participants: ({ owner }) => [owner],
      contract: defineContract({
        name: 'test/Watched',
        verify: (transaction) => {
          seen = {
            window: transaction.timeWindow,
            read: transaction.referencesOf(CoinKind).map(({ data }) => data.pence),
          }
          return allOf([])
        },
      }),
    })
    const bank = ledger({ states: [Coin, Watched] })
    const from = instant('2026-01-01T00:00:00Z')
    bank.given(Coin, { owner: ann, pence: 7 }, 'coin')
    bank
      .transaction()
      .reference('coin')
      .produce(Watched, { owner: ann })
      .command(Mint, [ann])
      .timeWindow({ from })
      .verifies()
    expect(seen).to.deep.equal({ window: { from }, read: [7] })
    bank.transaction().consume('coin').command(Mint, [ann]).verifies()
  })
})
