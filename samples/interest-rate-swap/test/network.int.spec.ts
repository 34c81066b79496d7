/** The flows between two banks, an oracle, a notary and a regulator. */
import { expect } from 'chai'
import {
  CarillonError,
  defineApp,
  defineFlow,
  defineState,
  instant,
  PartyC,
  type FlowBody,
  type TransactionPart,
} from 'carillon'
import { localDate as day, tenor } from 'carillon/calendars'
import type { VirtualNetwork } from 'carillon/testing'
import { left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { bankApp } from '../app.js'
import { Fixing } from '../flows/fixing.js'
import { Offer } from '../flows/offer.js'
import { PaymentsInMemory, type PaymentSystem } from '../flows/PaymentSystem.js'
import { rate } from '../money.js'
import { agree, announce, names, partiesOf, startSwapNetwork } from '../network.js'
import { Announce } from '../oracle/app.js'
import { AskToSign, FetchFix, Query } from '../oracle/ask.js'
import { FixC, FixCommand, type Fix } from '../oracle/Fix.js'
import { generate } from '../schedule.js'
import { AgreeCommand, MatureCommand, type SwapData } from '../swap/SwapKind.js'
import { Swap } from '../swap/Swap.js'
import type { Terms } from '../terms/Terms.js'
import { exampleRates, exampleTrade } from '../trades.js'

const banks = [names.fixedPayer, names.floatingPayer] as const

const errorOf = (promise: Promise<unknown>): Promise<CarillonError> =>
  promise.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => (error instanceof CarillonError ? error : expect.fail(String(error))),
  )

const swapAt = async (network: VirtualNetwork, name: string): Promise<SwapData> =>
  (await network.node(name).states(Swap, { includeIrrelevant: true }))[0]?.data ?? expect.fail(`${name} holds no swap`)

const flowsOf = async (network: VirtualNetwork, name: string, flow: string) =>
  (await network.node(name).flows({ name: flow })).items

describe('Offer and acceptance', () => {
  it('give both banks the same state, and the regulator a copy that asks for nothing', async () => {
    const network = await startSwapNetwork()
    const ref = await agree(network, exampleTrade(partiesOf(network)))
    for (const name of [...banks, names.regulator])
      expect(
        (await network.node(name).states(Swap, { includeIrrelevant: true })).map((state) => state.ref),
        name,
      ).to.deep.equal([ref])
    const agendas = await Promise.all(
      [...banks, names.regulator].map(async (name) => (await network.node(name).agenda()).items),
    )
    expect(agendas.map((items) => items.map(({ flow, due, actsAt = due }) => `${flow} ${actsAt}`))).to.deep.equal([
      ['swap/Fixing 2016-03-09T14:45:00.000Z'],
      ['swap/Fixing 2016-03-09T11:45:00.000Z'],
      [],
    ])
  })

  const refused = async (terms: (usual: Terms) => Terms, by: string = names.fixedPayer): Promise<string> => {
    const network = await startSwapNetwork({
      bank: {
        payments: new PaymentsInMemory(),
        accepts: ({ fixed }) => (fixed.notional.minor > 5_000_000_000 ? left('more than our limit') : right(undefined)),
      },
    })
    const offer = await network.node(by).start(Offer, { terms: terms(exampleTrade(partiesOf(network))) })
    await network.advanceBy({ minutes: 1 })
    const { message } = await errorOf(offer.result())
    for (const name of banks) expect(await network.node(name).states(Swap)).to.deep.equal([])
    return message
  }

  it('end with a reason when the other bank does not want the trade', async () => {
    const large = { currency: 'EUR', minor: 5_000_000_001 } as Terms['fixed']['notional']
    const message = await refused((usual) => ({
      ...usual,
      fixed: { ...usual.fixed, notional: large },
      floating: { ...usual.floating, notional: large },
    }))
    expect(message).to.contain('Bank B refused to sign: more than our limit')
  })

  it('end when the two banks have a trade of that id', async () => {
    const network = await startSwapNetwork()
    await agree(network, exampleTrade(partiesOf(network)))
    for (const name of banks) {
      const again = agree(network, exampleTrade(partiesOf(network)), name)
      expect((await errorOf(again)).code).to.equal('swap/id-taken')
    }
  })

  it('end before they begin with terms that break the contract, or that are not ours', async () => {
    expect(await refused((usual) => ({ ...usual, fixed: { ...usual.fixed, rate: rate('-0.001') } }))).to.contain(
      'rate of the fixed leg',
    )
    expect(await refused((usual) => usual, names.regulator).catch(String)).to.contain('flow swap/Offer')
  })

  it('end when the offered schedule is not what the terms give', async () => {
    const Cheat = defineFlow({
      name: 'swap/Offer',
      input: Offer.input,
      *run(io, { terms }): FlowBody<void> {
        // A period that ends on a holiday is worth a day more, and the contract has no list of holidays.
        const bent: Terms = { ...terms, fixed: { ...terms.fixed, calendar: [], roll: 'previous' } }
        const session = yield* io.initiate(terms.floating.payer)
        yield* io.finalise(
          (tx) =>
            tx
              .produce(Swap, { ...terms, calculation: generate(bent) })
              .command(AgreeCommand, [io.me, terms.floating.payer], { tradeId: terms.common.tradeId })
              .timeWindow({ until: instant('2016-04-01T00:00Z') }),
          { sessions: [session] },
        )
      },
    })
    const network = await startSwapNetwork()
    await network.stop(names.fixedPayer)
    await network.restart(names.fixedPayer, {
      app: defineApp({ name: 'interest-rate-swap', states: [Swap], flows: [Cheat] }),
    })
    const cheat = await network.node(names.fixedPayer).start(Cheat, { terms: exampleTrade(partiesOf(network)) })
    await network.advanceBy({ minutes: 1 })
    expect((await errorOf(cheat.result())).message).to.contain(
      'period 1 of its fixed schedule is not what its terms give',
    )
  })
})

describe('Fixing', () => {
  it('is done by the bank that pays the floating rate, at its time, with the oracle seeing the fix alone', async () => {
    const network = await startSwapNetwork()
    await announce(network, exampleRates)
    const ref = await agree(network, exampleTrade(partiesOf(network)))
    await network.advanceTo(instant('2016-03-09T11:44:59Z'))
    expect((await swapAt(network, names.fixedPayer)).calculation.floating[0]?.rate).to.be.null
    await network.advanceTo(instant('2016-03-09T11:46:00Z'))
    for (const name of [...banks, names.regulator])
      expect((await swapAt(network, name)).calculation.floating[0], name).to.include({
        rate: '0.0063518',
        flow: 4_058_800,
      })
    expect(await network.node(names.fixedPayer).occurrences(ref)).to.deep.equal([])
    expect((await network.node(names.floatingPayer).occurrences(ref)).map(({ outcome }) => outcome)).to.deep.equal([
      'completed',
    ])
    const seen: string[] = []
    for await (const { events } of network.node(names.oracle).readLog()) seen.push(...events)
    expect(seen.join()).to.contain('rates/Fix').and.not.to.contain('notional')
    expect(await flowsOf(network, names.regulator, 'swap/Fixing')).to.deep.equal([])
  })

  it('waits for the rate as long as the tolerance goes', async () => {
    const network = await startSwapNetwork()
    await agree(network, exampleTrade(partiesOf(network)))
    await network.advanceTo(instant('2016-03-09T13:30:00Z'))
    const [waiting] = await flowsOf(network, names.floatingPayer, 'swap/Fixing')
    expect(waiting).to.include({ status: 'running', progress: 'waiting for ICE LIBOR 3M of 2016-03-09' })
    await announce(network, exampleRates)
    await network.advanceTo(instant('2016-03-09T13:46:00Z'))
    expect((await swapAt(network, names.fixedPayer)).calculation.floating[0]?.rate).to.equal('0.0063518')
  })

  it('then ends with an error that says what was waited for; the other bank tries, and so does the next start', async () => {
    const network = await startSwapNetwork()
    const ref = await agree(network, exampleTrade(partiesOf(network)))
    await network.advanceTo(instant('2016-03-09T13:46:00Z'))
    const [failed] = await flowsOf(network, names.floatingPayer, 'swap/Fixing')
    expect(failed?.status).to.equal('failed')
    expect(failed?.error).to.deep.include({
      code: 'rates/not-announced',
      details: { oracle: 'Oracle', index: 'ICE LIBOR', day: '2016-03-09', tenor: '3M', waitedMs: 7_200_000 },
    })
    expect((await network.node(names.floatingPayer).why(ref)).story.join(' ')).to.contain('has not announced')
    await network.advanceTo(instant('2016-03-09T16:46:00Z'))
    const [second] = await flowsOf(network, names.fixedPayer, 'swap/Fixing')
    expect(second?.error?.code).to.equal('rates/not-announced')

    await announce(network, exampleRates)
    await network.crash(names.floatingPayer)
    await network.restart(names.floatingPayer)
    await network.advanceBy({ minutes: 1 })
    expect((await swapAt(network, names.fixedPayer)).calculation.floating[0]?.rate).to.equal('0.0063518')
  })

  it('does not believe a rate that is out of range', async () => {
    const network = await startSwapNetwork()
    const terms = exampleTrade(partiesOf(network))
    const plausible = { rate: rate('0.02'), within: rate('0.01') }
    await announce(network, exampleRates)
    await agree(network, { ...terms, floating: { ...terms.floating, fixing: { ...terms.floating.fixing, plausible } } })
    await network.advanceTo(instant('2016-03-09T11:46:00Z'))
    const [failed] = await flowsOf(network, names.floatingPayer, 'swap/Fixing')
    expect(failed?.error).to.include({ code: 'rates/out-of-range' })
  })

  it('is taken over by the other bank when the first is down, and is not done twice', async () => {
    const network = await startSwapNetwork()
    await announce(network, exampleRates)
    await agree(network, exampleTrade(partiesOf(network)))
    await network.crash(names.floatingPayer)
    await network.advanceTo(instant('2016-03-09T15:00:00Z'))
    expect((await flowsOf(network, names.fixedPayer, 'swap/Fixing')).map(({ status }) => status)).to.deep.equal([
      'running',
    ])
    await network.restart(names.floatingPayer)
    await network.advanceBy({ hours: 1 })
    for (const name of banks)
      expect(
        (await swapAt(network, name)).calculation.floating.filter(({ rate: fixed }) => fixed !== null),
      ).to.have.lengthOf(1)
    const ends = await Promise.all(banks.map((name) => flowsOf(network, name, 'swap/Fixing')))
    for (const { status } of ends.flat()) expect(status).to.be.oneOf(['completed', 'superseded'])
  })

  it('works with negative rates: then the fixed rate payer pays both legs', async () => {
    const payments = new PaymentsInMemory()
    const network = await startSwapNetwork({ bank: { payments } })
    await announce(
      network,
      exampleRates.map(({ of }) => ({ of, rate: rate('-0.0033') })),
    )
    await agree(network, exampleTrade(partiesOf(network)))
    await network.advanceTo(instant('2016-09-13T00:00:00Z'))
    expect(payments.made.map(({ from, amount }) => `${from} ${amount.minor}`)).to.deep.equal([
      'Bank A 2108700',
      `Bank A ${21_067_320 + 2_039_400}`,
    ])
  })
})

describe('Payment', () => {
  const reluctant = (): PaymentSystem & { open: boolean } => {
    const made = new PaymentsInMemory()
    return {
      open: false,
      pay: made.pay,
      hasArrived(reference, instruction) {
        return this.open ? made.hasArrived(reference, instruction) : Promise.resolve(false)
      },
    }
  }

  const startPaying = async (payments: PaymentSystem) => {
    const network = await startSwapNetwork({ bank: { payments } })
    await announce(network, exampleRates)
    await agree(network, exampleTrade(partiesOf(network)))
    await network.advanceTo(instant('2016-06-13T14:59:59Z'))
    return network
  }

  it('is made once by the bank that owes, and both say so', async () => {
    const payments = new PaymentsInMemory()
    const network = await startPaying(payments)
    expect(payments.made).to.deep.equal([])
    await network.advanceTo(instant('2016-06-13T15:01:00Z'))
    expect(payments.made).to.deep.equal([
      {
        key: 'example/Bank A/Bank B/2016-06-13',
        from: 'Bank B',
        to: 'Bank A',
        amount: { currency: 'EUR', minor: 4_058_800 },
      },
    ])
    for (const name of [...banks, names.regulator])
      expect((await swapAt(network, name)).calculation.paid, name).to.deep.equal([
        { date: '2016-06-13', net: -4_058_800, reference: 'example/Bank A/Bank B/2016-06-13' },
      ])
  })

  it('that does not arrive is called overdue by the payee, asked for every day, and settled when it comes', async () => {
    const payments = reluctant()
    const network = await startPaying(payments)
    await network.advanceTo(instant('2016-06-13T15:01:00Z'))
    const [refused] = await flowsOf(network, names.floatingPayer, 'swap/Payment')
    expect(refused?.error).to.include({ code: 'signature-refused' })
    expect(refused?.error?.message).to.contain('the money of 2016-06-13 has not arrived')
    await network.advanceTo(instant('2016-06-14T15:01:00Z'))
    for (const name of [...banks, names.regulator])
      expect((await swapAt(network, name)).calculation.overdue, name).to.deep.equal([
        { date: '2016-06-13', chased: 1, chaseAt: '2016-06-14T15:00:00.000Z' },
      ])
    await network.advanceTo(instant('2016-06-15T15:01:00Z'))
    expect((await swapAt(network, names.fixedPayer)).calculation.overdue[0]?.chased).to.equal(2)
    payments.open = true
    await network.advanceTo(instant('2016-06-16T15:01:00Z'))
    const { paid, overdue } = (await swapAt(network, names.fixedPayer)).calculation
    expect(paid.map(({ date }) => date)).to.deep.equal(['2016-06-13'])
    expect(overdue).to.deep.equal([])
  })

  it('of a bank that is down is called overdue, and made once it is back', async () => {
    const payments = new PaymentsInMemory()
    const network = await startPaying(payments)
    await network.crash(names.floatingPayer)
    await network.advanceTo(instant('2016-06-15T12:00:00Z'))
    expect((await swapAt(network, names.fixedPayer)).calculation.overdue).to.have.lengthOf(1)
    await network.restart(names.floatingPayer)
    await network.advanceTo(instant('2016-06-17T15:01:00Z'))
    expect((await swapAt(network, names.fixedPayer)).calculation.paid).to.have.lengthOf(1)
    expect(payments.made).to.have.lengthOf(1)
  })

  it('can be made by hand while a fixing that has failed is the next activity', async () => {
    const payments = new PaymentsInMemory()
    const network = await startSwapNetwork({ bank: { payments } })
    await announce(network, exampleRates.slice(0, 10))
    await agree(network, exampleTrade(partiesOf(network)))
    await network.advanceTo(instant('2016-09-09T00:00:00Z'))
    const [state] = await network.node(names.fixedPayer).states(Swap)
    const ref = state?.ref ?? expect.fail('no swap')
    expect((await network.node(names.floatingPayer).why(ref)).story.join(' ')).to.contain('2016-09-08')
    await network.advanceTo(instant('2016-09-12T15:00:00Z'))
    expect(payments.made).to.have.lengthOf(1)
    const Payment = bankApp({ payments }).flows.find(({ name }) => name === 'swap/Payment') ?? expect.fail('no flow')
    const paying = await network.node(names.fixedPayer).start(Payment, { swap: ref, date: day('2016-09-12') })
    await network.advanceBy({ minutes: 1 })
    expect(await paying.result()).to.equal('paid')
    expect(payments.made).to.have.lengthOf(2)
  })
})

describe('The oracle', () => {
  const libor = (of: string, value: string, index = 'LIBOR', on = '2016-03-16'): Fix => ({
    of: { index, day: day(on), tenor: tenor(of) },
    rate: rate(value),
  })
  const known = [
    libor('1M', '0.678'),
    libor('2M', '0.685'),
    libor('1Y', '0.890'),
    libor('2Y', '0.962'),
    libor('1M', '0.123', 'EURIBOR', '2016-03-15'),
    libor('2M', '0.111', 'EURIBOR', '2016-03-15'),
  ]
  const start = async (): Promise<VirtualNetwork> => {
    const network = await startSwapNetwork()
    await announce(network, known)
    return network
  }
  const query = async (network: VirtualNetwork, ...of: readonly Fix['of'][]) => {
    const asked = await network.node(names.fixedPayer).start(Query, { oracle: network.party(names.oracle), of })
    await network.advanceBy({ minutes: 1 })
    return asked.result()
  }

  it('answers what it knows, what lies between, and names the first that it does not know', async () => {
    const network = await start()
    const [oneMonth, , , , euribor] = known.map(({ of }) => of)
    if (oneMonth === undefined || euribor === undefined) return expect.fail('no rates')
    expect(await query(network, oneMonth)).to.deep.equal({ type: 'known', fixes: [known[0]] })
    const unknown = { ...oneMonth, day: day('2016-03-15') }
    expect(await query(network, oneMonth, unknown)).to.deep.equal({ type: 'unknown', of: unknown })
    const between = await query(network, { ...oneMonth, tenor: tenor('5M') })
    expect(between)
      .to.have.nested.property('fixes[0].rate')
      .that.satisfies((text: string) => Math.abs(Number(text) - 0.7316228) < 1e-7)
    expect(await query(network, { ...euribor, tenor: tenor('3M') })).to.have.property('type', 'unknown')
  })

  it('does not answer an empty question, and takes nothing back', async () => {
    const network = await start()
    expect((await errorOf(query(network))).details['code']).to.equal('rates/empty-query')
    const again = network.node(names.oracle).run(Announce, { fixes: [libor('1M', '0.679')] })
    expect((await errorOf(again)).code).to.equal('rates/already-announced')
    await network.node(names.oracle).run(Announce, { fixes: [libor('1M', '0.678'), libor('3M', '0.7')] })
  })

  it('is believed within a tolerance', async () => {
    const network = await start()
    const fetch = async (expected: string, within: string) => {
      const asked = await network.node(names.fixedPayer).start(FetchFix, {
        oracle: network.party(names.oracle),
        of: known[0]?.of ?? expect.fail('no rates'),
        toleranceMs: 0,
        plausible: { rate: rate(expected), within: rate(within) },
      })
      await network.advanceBy({ minutes: 1 })
      return asked.result()
    }
    expect(await fetch('0.675', '0.1')).to.have.property('rate', '0.678')
    expect((await errorOf(fetch('0.695', '0.01'))).message).to.contain('Fix out of range by 0.017')
  })

  const Note = defineState({
    type: 'test/Note',
    data: t.strict({ owner: PartyC, text: t.string }),
    participants: ({ owner }) => [owner],
  })

  /** A transaction with a fix in it, shown to the oracle in whatever way. */
  const tryToSign = async (fix: Fix, reveal: ((part: TransactionPart) => boolean) | undefined): Promise<string> => {
    const Try = defineFlow({
      name: 'test/Try',
      input: t.strict({ oracle: PartyC, fix: FixC }),
      *run(io, { oracle, fix: value }): FlowBody<string> {
        const session = yield* io.subFlow(AskToSign, { oracle })
        const done = yield* io.finalise(
          (tx) =>
            tx
              .produce(Note, { owner: io.me, text: 'secret' })
              .command(FixCommand, [oracle], value)
              .command(MatureCommand, [io.me], { tradeId: 'secret' }),
          { tearOffs: [{ session, ...(reveal === undefined ? {} : { reveal }) }] },
        )
        return done.id
      },
    })
    const network = await start()
    await network.stop(names.fixedPayer)
    await network.restart(names.fixedPayer, {
      app: defineApp({ name: 'interest-rate-swap', states: [Note], flows: [Try, AskToSign] }),
    })
    const trial = await network.node(names.fixedPayer).start(Try, { oracle: network.party(names.oracle), fix })
    await network.advanceBy({ minutes: 1 })
    return trial.result().catch((error: unknown) => String(error))
  }
  const right678 = libor('1M', '0.678')
  const isFix = (part: TransactionPart): boolean => part.group === 'commands' && part.type === FixCommand.type

  it('signs when it is shown its fix and nothing else', async () => {
    expect(await tryToSign(right678, undefined)).to.match(/^[0-9a-f]{64}$/)
    expect(await tryToSign(libor('5M', '0.7316228395'), isFix)).to.match(/^[0-9a-f]{64}$/)
  })

  const refusals: readonly [string, Fix, (part: TransactionPart) => boolean, string][] = [
    ['a rate that is not so', libor('1M', '0.6789'), isFix, 'LIBOR 1M of 2016-03-16 is 0.678, not 0.6789'],
    ['a rate that it does not know', libor('1M', '0.678', 'SONIA'), isFix, 'it does not know SONIA 1M'],
    ['more commands than its fix', right678, ({ group }) => group === 'commands', 'a command that is no fix'],
    ['another command alone', right678, (part) => !isFix(part), 'is hidden'],
    ['nothing', right678, () => false, 'is hidden'],
    ['states as well', right678, (part) => isFix(part) || part.group === 'outputs', 'no business to see'],
  ]
  for (const [what, fix, reveal, why] of refusals)
    it(`refuses to sign when it is shown ${what}`, async () => {
      expect(await tryToSign(fix, reveal)).to.contain(why)
    })

  it('knows what it has announced after a crash', async () => {
    const network = await start()
    await network.crash(names.oracle)
    await network.restart(names.oracle)
    expect(await query(network, right678.of)).to.deep.equal({ type: 'known', fixes: [right678] })
  })
})

describe('Fixing by hand', () => {
  it('does nothing to a trade that is fixed, and cannot be done before its time', async () => {
    const network = await startSwapNetwork()
    await announce(network, exampleRates)
    const ref = await agree(network, exampleTrade(partiesOf(network)))
    const early = await network.node(names.floatingPayer).start(Fixing, { swap: ref, toleranceMs: 0 })
    await network.advanceBy({ minutes: 1 })
    expect((await errorOf(early.result())).details['code']).to.equal('time-window-closed')
    await network.advanceTo(instant('2016-03-09T11:46:00Z'))
    expect((await swapAt(network, names.fixedPayer)).calculation.floating[0]?.rate).to.equal('0.0063518')
  })
})
