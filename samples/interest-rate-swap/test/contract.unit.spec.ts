/** Every rule of the contract, broken once. */
import { expect } from 'chai'
import { instant, plus, type Instant, type Party } from 'carillon'
import { localDate as day, tenor } from 'carillon/calendars'
import { ledger, testParty, type TransactionTrial } from 'carillon/testing'
import { observerApp } from '../app.js'
import { withFix } from '../flows/fixing.js'
import { amount, percent, rate, type Rate } from '../money.js'
import { FixCommand, type Fix } from '../oracle/Fix.js'
import { generate, type Calculation, type FloatingPeriod } from '../schedule.js'
import {
  fixingInstant,
  maturityInstant,
  nextEvent,
  nextUnfixed,
  overdueFrom,
  paymentDates,
  paymentInstant,
  paymentOn,
} from '../swap/events.js'
import {
  AgreeCommand,
  MatureCommand,
  OverdueCommand,
  PayCommand,
  RefixCommand,
  type SwapData,
} from '../swap/SwapKind.js'
import { withOverdue, withPaid } from '../swap/changes.js'
import { Swap } from '../swap/Swap.js'
import type { Terms } from '../terms/Terms.js'
import { exampleTrade } from '../trades.js'
import { actualDaysTrade, delayedTrade } from './otherTrades.js'
import { parties } from './parties.js'

const { fixedPayer, floatingPayer, oracle } = parties
const banks = [fixedPayer, floatingPayer]
const until = instant('2015-04-17T12:00:30Z')

const agreed = (terms: Terms): SwapData => ({ ...terms, calculation: generate(terms) })
const example = agreed(exampleTrade(parties))
const tradeId = 'example'

const fixFor = (swap: SwapData, value: Rate): Fix => ({
  of: {
    index: swap.floating.index.name,
    day: nextUnfixed(swap)?.fixes ?? expect.fail('all is fixed'),
    tenor: swap.floating.index.tenor,
  },
  rate: value,
})

const periodOf = (swap: SwapData): FloatingPeriod => nextUnfixed(swap) ?? expect.fail('all is fixed')
const refixed = (swap: SwapData, value: Rate): SwapData => withFix(swap, periodOf(swap), fixFor(swap, value))
const fixedOut = (swap: SwapData, value: Rate): SwapData =>
  nextUnfixed(swap) === undefined ? swap : fixedOut(refixed(swap, value), value)

const withCalculation = (swap: SwapData, change: Partial<Calculation>): SwapData => ({
  ...swap,
  calculation: { ...swap.calculation, ...change },
})

const changedRow = (swap: SwapData, index: number, change: Partial<FloatingPeriod>): SwapData =>
  withCalculation(swap, {
    floating: swap.calculation.floating.map((row, at) => (at === index ? { ...row, ...change } : row)),
  })

const agreeing = (swap: SwapData): TransactionTrial =>
  ledger(observerApp)
    .transaction()
    .produce(Swap, swap)
    .command(AgreeCommand, banks, { tradeId: swap.common.tradeId })
    .timeWindow({ until })

/** A transaction from one swap to another, or to none. */
const from = (before: SwapData): TransactionTrial => {
  const book = ledger(observerApp)
  return book.transaction().consume(book.given(Swap, before))
}

const refixing = (
  before: SwapData,
  fix: Fix,
  after: SwapData,
  options: { readonly signers?: readonly Party[]; readonly at?: Instant } = {},
): TransactionTrial =>
  from(before)
    .produce(Swap, after)
    .command(RefixCommand, options.signers ?? banks, { tradeId: before.common.tradeId, fix })
    .timeWindow({ from: options.at ?? fixingInstant(before, periodOf(before)) })

const rate1 = rate('0.0063518')

describe('Agreeing on a swap', () => {
  it('is possible on the terms of the sample', () => {
    for (const terms of [exampleTrade, delayedTrade, actualDaysTrade]) agreeing(agreed(terms(parties))).verifies()
  })

  type Change = (terms: Terms) => Terms
  const fixedLeg =
    (change: Partial<Terms['fixed']>): Change =>
    (terms) => ({ ...terms, fixed: { ...terms.fixed, ...change } })
  const floatingLeg =
    (change: Partial<Terms['floating']>): Change =>
    (terms) => ({ ...terms, floating: { ...terms.floating, ...change } })
  const both =
    (change: Partial<Terms['fixed']>): Change =>
    (terms) =>
      floatingLeg(change)(fixedLeg(change)(terms))
  const common =
    (change: Partial<Terms['common']>): Change =>
    (terms) => ({ ...terms, common: { ...terms.common, ...change } })

  const badTerms: readonly [string, Change, string][] = [
    ['a notional of nothing', both({ notional: amount('EUR', 0) }), 'notional of the fixed leg is more than nothing'],
    ['a negative rate', fixedLeg({ rate: percent('-0.1') }), 'rate of the fixed leg is more than nothing'],
    ['a rate of nothing', fixedLeg({ rate: rate('0') }), 'rate of the fixed leg is more than nothing'],
    ['two currencies', fixedLeg({ notional: amount('JPY', 2_500_000_000) }), 'of one currency'],
    [
      'two notionals',
      floatingLeg({ notional: { ...amount('EUR', 25_000_000), minor: 2_500_000_001 } }),
      'both notionals are the same',
    ],
    ['two effective dates', fixedLeg({ effective: day('2016-03-10') }), 'become effective on the same date'],
    ['two termination dates', fixedLeg({ termination: day('2026-03-10') }), 'end on the same date'],
    [
      'a negative offset',
      (terms) => floatingLeg({ fixing: { ...terms.floating.fixing, offset: -1 } })(terms),
      'offset',
    ],
    [
      'a negative delay',
      fixedLeg({ paymentDelay: { days: -1, counted: 'calendar' } }),
      'payment delay of the fixed leg',
    ],
    ['no id', common({ tradeId: '' }), 'has an id'],
    ['one bank on both sides', floatingLeg({ payer: fixedPayer }), 'different parties'],
    ['a bank as the oracle', (terms) => ({ ...terms, oracle: fixedPayer }), 'oracle is neither'],
    [
      'payments overdue before they are due',
      (terms) => common({ payments: { ...terms.common.payments, overdueAfterMs: 0 } })(terms),
      'overdue some time after',
    ],
    [
      'a fixing after the payment',
      (terms) =>
        floatingLeg({ paymentRule: 'in-advance', fixing: { ...terms.floating.fixing, rule: 'in-arrears' } })(terms),
      'fixed before it is paid',
    ],
    [
      'a document nobody can read',
      (terms) => common({ creditSupport: { ...terms.common.creditSupport, dailyInterestAmount: '1 +' } })(terms),
      'expressions can be read',
    ],
  ]
  for (const [what, change, violation] of badTerms)
    it(`is refused with ${what}`, () => {
      agreeing(agreed(change(exampleTrade(parties)))).failsWith(violation)
    })

  it('is refused with a termination before the effective date, on either leg', () => {
    const late = { effective: day('2026-03-11'), termination: day('2016-03-11') }
    const swap = { ...example, fixed: { ...example.fixed, ...late }, floating: { ...example.floating, ...late } }
    agreeing(swap).failsWith(
      'effective date of the fixed leg is before',
      'effective date of the floating leg is before',
    )
  })

  const badSchedules: readonly [string, (swap: SwapData) => SwapData, string][] = [
    ['no fixed periods', (swap) => withCalculation(swap, { fixed: [] }), 'there are periods in the fixed schedule'],
    ['no floating periods', (swap) => withCalculation(swap, { floating: [] }), 'periods in the floating schedule'],
    ['a rate fixed beforehand', (swap) => refixed(swap, rate1), 'no period of the floating schedule is fixed yet'],
    [
      'something paid beforehand',
      (swap) => withCalculation(swap, { paid: [{ date: day('2016-09-12'), net: 1, reference: 'x' }] }),
      'nothing is paid',
    ],
    [
      'a flow that is a cent more',
      (swap) =>
        withCalculation(swap, {
          fixed: swap.calculation.fixed.map((row, index) => (index === 3 ? { ...row, flow: row.flow + 1 } : row)),
        }),
      'flows of the fixed schedule',
    ],
    [
      'a day more in a period',
      (swap) => changedRow(swap, 5, { days: 91 }),
      'days and factors of the floating schedule',
    ],
    ['another factor', (swap) => changedRow(swap, 5, { factor: '0.3' }), 'days and factors of the floating schedule'],
    [
      'a hole between two periods',
      (swap) => withCalculation(swap, { floating: swap.calculation.floating.filter((_, index) => index !== 7) }),
      'periods of the floating schedule follow one another',
    ],
    [
      'a last period too few',
      (swap) => withCalculation(swap, { floating: swap.calculation.floating.slice(0, -1) }),
      'end where its frequency and its termination date',
    ],
    [
      'a payment a month late',
      (swap) => changedRow(swap, 5, { pays: day('2017-10-11') }),
      'is paid when its terms say',
    ],
    ['another beginning', (swap) => changedRow(swap, 0, { from: day('2016-03-12') }), 'begins on the effective date'],
  ]
  for (const [what, change, violation] of badSchedules)
    it(`is refused with ${what}`, () => {
      agreeing(change(example)).failsWith(violation)
    })

  it('needs both signatures, a time window that ends, and nothing consumed', () => {
    const trial = ledger(observerApp).transaction().produce(Swap, example).timeWindow({ until })
    trial.command(AgreeCommand, [fixedPayer], { tradeId }).failsOnlyWith('Bank B must be a signer')
    trial
      .command(AgreeCommand, [oracle], { tradeId })
      .failsOnlyWith('Bank A must be a signer', 'Bank B must be a signer')
    agreeing(example).without('timeWindow').failsWith('has a time window')
    agreeing(example).timeWindow({ from: until }).failsOnlyWith('time window that ends')
    from(example)
      .produce(Swap, example)
      .command(AgreeCommand, banks, { tradeId })
      .timeWindow({ until })
      .failsOnlyWith('an agreement consumes no state')
  })

  it('needs one command about each trade, and no command about others', () => {
    agreeing(example)
      .without('commands')
      .command(FixCommand, [oracle], fixFor(example, rate1))
      .failsOnlyWith('there is a command about a swap', 'one command about trade')
    agreeing(example).command(AgreeCommand, banks, { tradeId }).failsOnlyWith('one command about trade "example"')
    agreeing(example).command(AgreeCommand, banks, { tradeId: 'x' }).failsOnlyWith('a command is about trade "x"')
  })
})

describe('Fixing a rate', () => {
  const fix = fixFor(example, rate1)
  const after = refixed(example, rate1)
  const signed = (trial: TransactionTrial, value: Fix = fix, by: Party = oracle): TransactionTrial =>
    trial.command(FixCommand, [by], value)

  it('is possible with the oracle signing the fix and both banks the result', () => {
    signed(refixing(example, fix, after)).verifies()
  })

  it('is possible for several trades in one transaction', () => {
    const first = agreed(delayedTrade(parties))
    const second: SwapData = { ...first, common: { ...first.common, tradeId: 'second' } }
    const book = ledger(observerApp)
    const both = [first, second]
    const refs = both.map((swap) => book.given(Swap, swap))
    const shared = fixFor(first, rate1)
    expect(shared.of.day).to.equal('2016-03-08')
    const at = fixingInstant(first, periodOf(first))
    const trial = both.reduce(
      (tx, swap) =>
        tx
          .produce(Swap, refixed(swap, rate1))
          .command(RefixCommand, banks, { tradeId: swap.common.tradeId, fix: shared }),
      book
        .transaction()
        .consume(...refs)
        .timeWindow({ from: at }),
    )
    trial.failsWith('Oracle signs the very fix')
    signed(trial, shared).verifies()
  })

  it('works with negative rates and with a rate of nothing', () => {
    for (const value of [rate('-0.0033'), rate('0')]) {
      const negative = fixFor(example, value)
      signed(refixing(example, negative, refixed(example, value)), negative).verifies()
    }
    expect(refixed(example, rate('-0.0033')).calculation.floating[0]?.flow).to.equal(-2_108_700)
  })

  it('goes on until all is fixed, a trade of ten years through', () => {
    let swap = agreed(delayedTrade(parties))
    for (let count = 0; count < 40; count++) {
      const value = fixFor(swap, percent('0.052'))
      const next = refixed(swap, percent('0.052'))
      signed(refixing(swap, value, next), value).verifies()
      swap = next
    }
    expect(nextUnfixed(swap)).to.be.undefined
    signed(
      from(swap).produce(Swap, swap).command(RefixCommand, banks, { tradeId: 'delayed', fix }).timeWindow({ until }),
    ).failsWith('there is a period left to fix')
  })

  it('takes the fixings of the trade by actual days on these days, and on no others', () => {
    let swap = agreed(actualDaysTrade(parties))
    for (const [date, value] of [
      ['2015-03-06', '0.6'],
      ['2015-06-08', '0.75'],
      ['2015-09-08', '0.8'],
      ['2015-12-08', '0.55'],
      ['2016-03-08', '0.644'],
    ] as const) {
      const of = { index: 'USD LIBOR', day: day(date), tenor: tenor('3M') }
      const right = { of, rate: percent(value) }
      const next = refixed(swap, percent(value))
      const wrong = { of: { ...of, day: day('2015-03-07') }, rate: percent(value) }
      signed(refixing(swap, wrong, next), wrong).failsOnlyWith('fixing date of the period')
      signed(refixing(swap, right, next), right).verifies()
      swap = next
    }
  })

  it('needs every signature', () => {
    signed(refixing(example, fix, after, { signers: [oracle] })).failsOnlyWith('Bank A must', 'Bank B must')
    signed(refixing(example, fix, after, { signers: [fixedPayer] })).failsOnlyWith('Bank B must be a signer')
    refixing(example, fix, after).failsOnlyWith('Oracle signs the very fix')
    signed(refixing(example, fix, after), fix, testParty('Mallory')).failsOnlyWith('Oracle signs the very fix')
    signed(refixing(example, fix, after), { ...fix, rate: rate('0.0063519') }).failsOnlyWith(
      'Oracle signs the very fix',
    )
  })

  it('is not early', () => {
    signed(refixing(example, fix, after, { at: instant('2016-03-09T11:44:59.999Z') })).failsOnlyWith('is not early')
    signed(refixing(example, fix, after).without('timeWindow')).failsWith('has a time window', 'is not early')
  })

  const alterations: readonly [string, (swap: SwapData) => SwapData, string][] = [
    ['nothing', () => example, 'at least one period of the floating schedule changes'],
    ['two periods', (swap) => refixed(swap, rate1), 'only one period of the floating schedule changes'],
    ['the flow', (swap) => changedRow(swap, 0, { flow: 4_058_801 }), 'flow of the period'],
    ['the rate', (swap) => changedRow(swap, 0, { rate: rate('0.5') }), 'the period gets the rate of the fix'],
    ['the days of the period', (swap) => changedRow(swap, 0, { days: 93 }), 'dates, days and factor'],
    ['the payment date', (swap) => changedRow(swap, 0, { pays: day('2016-06-14') }), 'dates, days and factor'],
    [
      'the number of periods',
      (swap) => withCalculation(swap, { floating: swap.calculation.floating.slice(0, 39) }),
      'keeps its 40 periods, and does not have 39',
    ],
    [
      'the number of periods upwards',
      (swap) => withCalculation(swap, { floating: [...swap.calculation.floating, ...swap.calculation.floating] }),
      'keeps its 40 periods, and does not have 80',
    ],
    ['the fixed schedule', (swap) => withCalculation(swap, { fixed: [] }), 'fixed schedule does not change'],
    ['the expression', (swap) => withCalculation(swap, { expression: '1' }), 'expression does not change'],
    ['the fixed leg', (swap) => ({ ...swap, fixed: { ...swap.fixed, rate: rate('1') } }), 'fixed leg does not'],
    [
      'the floating leg',
      (swap) => ({ ...swap, floating: { ...swap.floating, roll: 'none' } }),
      'floating leg does not',
    ],
    [
      'the index, which is not looked at twice',
      (swap) => ({ ...swap, floating: { ...swap.floating, index: { ...swap.floating.index, source: 'x' } } }),
      'floating leg does not change',
    ],
    ['the common terms', (swap) => ({ ...swap, common: { ...swap.common, regulators: [] } }), 'common terms do not'],
    ['the oracle', (swap) => ({ ...swap, oracle: testParty('Mallory') }), 'oracle does not change'],
    [
      'what was paid',
      (swap) => withCalculation(swap, { paid: [{ date: day('2016-06-13'), net: 0, reference: '' }] }),
      'what was paid stays',
    ],
    [
      'what is overdue',
      (swap) => withCalculation(swap, { overdue: [{ date: day('2016-06-13'), chased: 1, chaseAt: until }] }),
      'what is overdue stays',
    ],
  ]
  for (const [what, change, violation] of alterations)
    it(`is refused when it changes ${what}`, () => {
      signed(refixing(example, fix, change(after))).failsWith(violation)
    })

  it('goes by the order of the periods, and leaves what is fixed alone', () => {
    const second = example.calculation.floating[1] ?? expect.fail('no second period')
    signed(refixing(example, fix, withFix(example, second, fix))).failsWith('fixed in their order')
    const again = changedRow(refixed(after, rate1), 0, { rate: rate('0.5'), flow: 1 })
    const next = fixFor(after, rate1)
    signed(refixing(after, next, again), next).failsWith('only one period', 'a rate that was fixed stays')
  })

  it('is of the index and the tenor of the trade', () => {
    for (const change of [{ index: 'EURIBOR' }, { tenor: tenor('6M') }]) {
      const other = { ...fix, of: { ...fix.of, ...change } }
      signed(refixing(example, other, after), other).failsOnlyWith('index, the tenor and the fixing date')
    }
  })

  it('is about one state that becomes another', () => {
    signed(refixing(example, fix, after).without('outputs')).failsWith(
      'consumes one state of the trade and produces one',
    )
    signed(refixing(example, fix, after).without('inputs')).failsWith(
      'consumes one state of the trade and produces one',
    )
  })
})

describe('Paying', () => {
  const swap = refixed(refixed(example, rate1), rate1)
  const date = day('2016-06-13')
  const net = paymentOn(swap, date)?.net ?? expect.fail('not fixed')
  const paying = (
    before: SwapData,
    on = date,
    amountOf = net,
    { signers = banks, at = paymentInstant(before, on), after = withPaid(before, on, amountOf, 'ref') } = {},
  ): TransactionTrial =>
    from(before)
      .produce(Swap, after)
      .command(PayCommand, signers, { tradeId, date: on, net: amountOf, reference: 'ref' })
      .timeWindow({ from: at })

  it('is possible, with the flows of both legs set off against each other', () => {
    expect(net).to.equal(-4_058_800)
    expect(paymentOn(swap, day('2016-09-12'))?.net).to.equal(21_067_320 - 3_925_412)
    paying(swap).verifies()
  })

  it('needs both signatures, the right sum, and its day', () => {
    paying(swap, date, net, { signers: [floatingPayer] }).failsOnlyWith('Bank A must be a signer')
    paying(swap, date, net + 1).failsOnlyWith('what the two legs owe')
    paying(swap, date, net, { at: instant('2016-06-13T14:59:59.999Z') }).failsOnlyWith('a payment is not early')
  })

  it('is refused for a date without a payment, one that is not fixed, and one that is paid', () => {
    paying(swap, day('2016-06-14'), 0).failsWith('something is paid on 2016-06-14')
    paying(swap, day('2016-12-12'), 0).failsWith('every rate that the payment of 2016-12-12 depends on is fixed')
    paying(withPaid(swap, date, net, 'ref')).failsWith('has not been paid')
  })

  it('changes nothing else, and needs a reference', () => {
    paying(swap, date, net, { after: withPaid(refixed(swap, rate1), date, net, 'ref') }).failsWith(
      'the floating schedule does not change',
    )
    paying(swap, date, net, { after: swap }).failsOnlyWith('is added to what was paid')
    from(swap)
      .produce(Swap, withPaid(swap, date, net, ''))
      .command(PayCommand, banks, { tradeId, date, net, reference: '' })
      .timeWindow({ from: paymentInstant(swap, date) })
      .failsOnlyWith('has a reference')
  })

  const overdue = (
    before: SwapData,
    { signer = fixedPayer, at = overdueFrom(before, date), after = withOverdue(before, date) } = {},
  ): TransactionTrial =>
    from(before).produce(Swap, after).command(OverdueCommand, [signer], { tradeId, date }).timeWindow({ from: at })

  it('is called overdue by the payee alone, and not too early; then once more each day', () => {
    overdue(swap).verifies()
    overdue(swap, { signer: floatingPayer }).failsOnlyWith('Bank A must be a signer')
    overdue(swap, { at: instant('2016-06-14T14:59:59.999Z') }).failsOnlyWith('is not early')
    const once = withOverdue(swap, date)
    expect(once.calculation.overdue).to.deep.equal([{ date, chased: 1, chaseAt: '2016-06-14T15:00:00.000Z' }])
    overdue(once, { at: plus(overdueFrom(once, date), { milliseconds: -1 }) }).failsOnlyWith('is not early')
    overdue(once).verifies()
    overdue(swap, { after: withOverdue(once, date) }).failsOnlyWith('the payment becomes overdue')
    expect(withPaid(once, date, net, 'ref').calculation.overdue).to.deep.equal([])
    paying(once).verifies()
    overdue(withPaid(swap, date, net, 'ref')).failsWith('has not been paid')
  })

  const paidOut = paymentDates(example).reduce(
    (before, on) => withPaid(before, on, paymentOn(before, on)?.net ?? 0, 'ref'),
    fixedOut(example, rate1),
  )
  const maturing = (before: SwapData, { signers = banks, at = maturityInstant(before) } = {}): TransactionTrial =>
    from(before).command(MatureCommand, signers, { tradeId }).timeWindow({ from: at })

  it('comes to an end when all is fixed and paid, and not before', () => {
    maturing(paidOut).verifies()
    maturing(paidOut, { signers: [fixedPayer] }).failsOnlyWith('Bank B must be a signer')
    maturing(paidOut, { at: instant('2026-03-11T15:59:59.999Z') }).failsOnlyWith('a maturity is not early')
    maturing(fixedOut(example, rate1)).failsOnlyWith('everything is paid')
    maturing(example).failsWith('no fixing is left', 'everything is paid')
    maturing(paidOut).produce(Swap, paidOut).failsOnlyWith('consumes one state of the trade and produces none')
  })

  it('is what the swap asks for in its turn', () => {
    const kinds = (state: SwapData): string => `${nextEvent(state).kind} ${nextEvent(state).at}`
    expect(kinds(example)).to.equal('fixing 2016-03-09T11:45:00.000Z')
    expect(kinds(refixed(example, rate1))).to.equal('fixing 2016-06-09T10:45:00.000Z')
    expect(kinds(swap)).to.equal('payment 2016-06-13T15:00:00.000Z')
    expect(kinds(withOverdue(swap, date))).to.equal('overdue 2016-06-14T15:00:00.000Z')
    expect(kinds(withPaid(swap, date, net, 'ref'))).to.equal('fixing 2016-09-08T10:45:00.000Z')
    expect(kinds(paidOut)).to.equal('maturity 2026-03-11T16:00:00.000Z')
  })
})
