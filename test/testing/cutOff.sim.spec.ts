/** A history ends at an instant, and not when everyone is silent: who talks then is not stuck. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, defineResponder, IntegerC, PartyC, type FlowBody } from 'carillon'
import { describeFailure, simulate, type SimulationOptions } from 'carillon/testing'

const BallC = t.strict({ ball: IntegerC })

/** Plays for ever. */
const Serve = defineFlow({
  name: 'tennis/Serve',
  input: t.strict({ to: PartyC }),
  *run(io, { to }): FlowBody<void> {
    const session = yield* io.initiate(to)
    for (let ball = 0; ; ball++) yield* session.sendAndReceive({ ball }, BallC)
  },
})
const Return = defineResponder({
  name: 'tennis/Return',
  respondsTo: 'tennis/Serve',
  *run(_io, session): FlowBody<void> {
    for (;;) yield* session.send(yield* session.receive(BallC))
  },
})
/** Waits for a ball that the other side waits for, too. */
const Stare = defineResponder({
  name: 'tennis/Stare',
  respondsTo: 'tennis/Serve',
  *run(_io, session): FlowBody<void> {
    yield* session.receive(BallC)
    yield* session.receive(BallC)
  },
})

const match = (answer: typeof Return): SimulationOptions => ({
  app: defineApp({ name: 'tennis', states: [], flows: [Serve, answer] }),
  parties: ['Ann', 'Ben'],
  notary: false,
  seeds: 8,
  actions: 1,
  settle: { seconds: 5 },
  shrinkTries: 0,
  workload: async ({ name, parties, start }) => {
    const other = parties.find((party) => party.name !== name)
    if (other !== undefined) await start(Serve, { to: other })
  },
})

describe('A history that ends while two parties talk', () => {
  it('finds neither of them stuck', async () => {
    const { failures } = await simulate(match(Return))
    expect(failures.flatMap((failure) => describeFailure(failure, 'again')).join('\n')).to.equal('')
  })

  it('finds those who wait for each other', async () => {
    const { failures } = await simulate(match(Stare))
    expect(failures).to.have.lengthOf(8)
    expect(failures[0]?.violations[0]?.what).to.include('wait for each other')
  })
})
