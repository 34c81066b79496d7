import { expect } from 'chai'
import * as t from 'io-ts'
import { right, type Either } from 'fp-ts/lib/Either.js'
import {
  allOf,
  both,
  defineCommand,
  defineContract,
  defineFlow,
  defineState,
  instant,
  IntegerC,
  PartyC,
  rule,
  StateRefC,
  type FlowBody,
  type StateRef,
} from '../../src/index.js'
import type { Violations } from '../../src/entries/types.js'
import {
  appOf,
  eventsOf,
  expectAlive,
  flowOf,
  Note,
  refusal,
  startVirtual,
  Write,
  writeNote,
} from '../flow/ledgerOfNotes.js'

const Rate = defineState({
  type: 'notes/Rate',
  data: t.strict({ owner: PartyC, percent: IntegerC }),
  participants: ({ owner }) => [owner],
})
const Apply = defineCommand({ type: 'notes/Apply', data: t.strict({ reason: t.string, steps: IntegerC }) })
const Loan = defineState({
  type: 'notes/Loan',
  data: t.strict({ owner: PartyC, percent: IntegerC }),
  participants: ({ owner }) => [owner],
  contract: defineContract({
    name: 'notes/Loan',
    verify: (tx): Either<Violations, void> => {
      const [rate] = tx.referencesOf(Rate)
      const [apply] = tx.commandsOf(Apply)
      const [loan] = tx.outputsOf(Loan)
      return both(
        allOf([
          rule('a rate is referenced', rate !== undefined),
          rule('the command says why', (apply?.data.reason ?? '') !== ''),
        ]),
        allOf([
          rule(
            'the loan has the rate plus the steps',
            loan?.data.percent === (rate?.data.percent ?? 0) + (apply?.data.steps ?? 0),
          ),
          rule('the owner signs', loan !== undefined && tx.signers.has(loan.data.owner.key)),
        ]),
      )
    },
  }),
})

const SetRate = flowOf(function* (io): FlowBody<StateRef> {
  const made = yield* io.finalise((tx) => tx.produce(Rate, { owner: io.me, percent: 3 }).command(Write, [io.me]))
  return made.output()
}, 'notes/SetRate')
const DropRate = flowOf(function* (io): FlowBody<void> {
  const [rate] = yield* io.query(Rate)
  yield* io.finalise((tx) => tx.consume(rate!).command(Write, [io.me]))
}, 'notes/DropRate')
const Lend = defineFlow({
  name: 'notes/Lend',
  input: t.strict({ rate: t.union([StateRefC, t.null]), percent: IntegerC, reason: t.string }),
  *run(io, { rate, percent, reason }): FlowBody<StateRef> {
    const made = yield* io.finalise((tx) => {
      if (rate !== null) tx.reference(rate)
      return tx.produce(Loan, { owner: io.me, percent }).command(Apply, [io.me], { reason, steps: 2 })
    })
    return made.output()
  },
})
const app = appOf([SetRate, DropRate, Lend], [Rate, Loan])

describe('A transaction', () => {
  it('shows its contract references and command data, and does not use references up', async () => {
    const virtual = await startVirtual(app)
    const rate = await virtual.node.run(SetRate, {})
    for (let n = 0; n < 2; n++) await virtual.node.run(Lend, { rate, percent: 5, reason: 'asked' })
    expect(await virtual.node.states(Rate)).to.have.length(1)
    expect(await virtual.node.states(Loan)).to.have.length(2)
    const recorded = (await eventsOf(virtual.node)).filter(({ type }) => type === 'TransactionRecorded').at(-1)
    expect(recorded).to.have.nested.property('body.references[0].transaction', rate.transaction)
    expect(recorded).to.have.nested.property('body.commands[0].data.reason', 'asked')
    await virtual.stop()
  })

  it('may not reference a state that is consumed', async () => {
    const virtual = await startVirtual(app)
    const rate = await virtual.node.run(SetRate, {})
    await virtual.node.run(DropRate, {})
    const error = await refusal(virtual.node.run(Lend, { rate, percent: 5, reason: 'asked' }), 'state-consumed')
    expect(error.details['ref']).to.equal(`${rate.transaction}:0`)
    await virtual.stop()
  })

  it('learns of every rule it breaks, across all contracts that govern it', async () => {
    const Never = defineState({
      type: 'notes/Never',
      data: t.strict({ owner: PartyC }),
      participants: ({ owner }) => [owner],
      contract: defineContract({ name: 'notes/Never', verify: () => allOf([rule('there is no such thing', false)]) }),
    })
    const flow = flowOf(function* (io): FlowBody<void> {
      yield* io.finalise((tx) =>
        tx
          .produce(Loan, { owner: io.me, percent: 9 })
          .produce(Never, { owner: io.me })
          .produce(Loan, { owner: io.me, percent: 9 })
          .command(Apply, [io.me], { reason: '', steps: 2 }),
      )
    })
    const virtual = await startVirtual(appOf([flow], [Loan, Never, Rate]))
    const error = await refusal(virtual.node.run(flow, {}), 'contract-violated')
    expect(error.details['violations']).to.deep.equal([
      'a rate is referenced',
      'the command says why',
      'the loan has the rate plus the steps',
      'there is no such thing',
    ])
    await virtual.stop()
  })

  it('must be signed by the participants of what it consumes and produces, unless its contract says otherwise', async () => {
    const Free = defineState({
      type: 'notes/Free',
      data: t.strict({ n: IntegerC }),
      participants: () => [],
      contract: defineContract({ name: 'notes/Free', verify: () => right(undefined) }),
    })
    const flow = flowOf(function* (io): FlowBody<void> {
      yield* io.finalise((tx) => tx.produce(Free, { n: 1 }).command(Write, [io.me]))
    })
    const virtual = await startVirtual(appOf([flow], [Free]))
    await virtual.node.run(flow, {})
    const page = await virtual.node.queryVault({ type: 'notes/Free', includeIrrelevant: true })
    expect(page.items.map(({ relevant }) => relevant)).to.deep.equal([false])
    await virtual.stop()
  })

  it('is notarised from the first instant of its time window on, until before the last', async () => {
    const from = instant('2026-01-01T01:00:00.000Z')
    const until = instant('2026-01-01T02:00:00.000Z')
    const flow = flowOf(function* (io): FlowBody<string> {
      const outcome = yield* io.attempt(
        io.finalise((tx) =>
          tx.produce(Note, { owner: io.me, text: 'in time', n: 0 }).command(Write, [io.me]).timeWindow({ from, until }),
        ),
      )
      return outcome._tag === 'Left' ? outcome.left.code : 'notarised'
    })
    const virtual = await startVirtual(appOf([flow]))
    const outcomes: string[] = []
    for (const at of ['00:59:59.999', '01:00:00.000', '01:59:59.999', '02:00:00.000']) {
      await virtual.advanceTo(instant(`2026-01-01T${at}Z`))
      outcomes.push(await virtual.node.run(flow, {}))
    }
    expect(outcomes).to.deep.equal(['time-window-closed', 'notarised', 'notarised', 'time-window-closed'])
    await virtual.stop()
  })

  it('that lost a race hears of the race, even when its time window has closed too', async () => {
    const flow = flowOf(function* (io): FlowBody<string> {
      const ref = yield* writeNote(io, 'raced for')
      yield* io.finalise((tx) => tx.consume(ref).command(Write, [io.me]))
      const until = instant('2020-01-01T00:00Z')
      const late = yield* io.attempt(io.finalise((tx) => tx.consume(ref).command(Write, [io.me]).timeWindow({ until })))
      return late._tag === 'Left' ? late.left.code : 'notarised'
    })
    const virtual = await startVirtual(appOf([flow]))
    expect(await virtual.node.run(flow, {})).to.equal('state-consumed')
    await virtual.stop()
  })

  it('has outputs that its flow finds by place, and no others', async () => {
    const flow = flowOf(function* (io): FlowBody<string> {
      const made = yield* io.finalise((tx) =>
        tx.produce(Note, { owner: io.me, text: 'only', n: 0 }).command(Write, [io.me]),
      )
      expect(made.output(0)).to.deep.equal(made.outputs[0])
      try {
        made.output(1)
      } catch (error) {
        return String(error)
      }
      return 'found'
    })
    const virtual = await startVirtual(appOf([flow]))
    expect(await virtual.node.run(flow, {})).to.include('has 1 outputs; there is none at place 1')
    await expectAlive(virtual)
    await virtual.stop()
  })
})

describe('A query in a flow', () => {
  const Heard = defineState({
    type: 'notes/Heard',
    data: t.strict({ n: IntegerC }),
    participants: () => [],
    contract: defineContract({ name: 'notes/Heard', verify: () => right(undefined) }),
    isRelevant: ({ n }) => n >= 3,
  })

  it('gives as many relevant states as it was asked for, whatever else the vault holds', async () => {
    const flow = flowOf(function* (io): FlowBody<number[]> {
      for (let n = 0; n < 6; n++) yield* io.finalise((tx) => tx.produce(Heard, { n }).command(Write, [io.me]))
      return (yield* io.query(Heard, { limit: 2 })).map(({ data }) => data.n)
    })
    const virtual = await startVirtual(appOf([flow], [Heard]))
    expect(await virtual.node.run(flow, {})).to.deep.equal([3, 4])
    await virtual.stop()
  })

  it('of a kind the vault has never held is empty', async () => {
    const flow = flowOf(function* (io): FlowBody<number> {
      return (yield* io.query(Heard)).length
    })
    const virtual = await startVirtual(appOf([flow], [Heard]))
    expect(await virtual.node.run(flow, {})).to.equal(0)
    await virtual.stop()
  })
})
