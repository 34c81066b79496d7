/** Locks and other parties: a flow of this node consents to nothing that another one has locked; what is final wins. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineFlow,
  defineResponder,
  defineState,
  PartyC,
  StateRefC,
  type FlowBody,
  type StateRef,
} from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { settle } from './agreement.js'

const Do = defineCommand({ type: 'deal/Do' })
const Deal = defineState({
  type: 'deal/Deal',
  data: t.strict({ parties: t.readonlyArray(PartyC) }),
  participants: ({ parties }) => parties,
})
const Make = defineFlow({
  name: 'deal/Make',
  input: t.strict({ with: PartyC }),
  *run(io, { with: other }): FlowBody<StateRef> {
    const parties = [io.me, other]
    return yield* settle(io, parties, (tx) => tx.produce(Deal, { parties }).command(Do, parties))
  },
})
const End = defineFlow({
  name: 'deal/End',
  input: t.strict({ deal: StateRefC }),
  *run(io, { deal }): FlowBody<StateRef> {
    const current = yield* io.load(Deal, deal)
    const { parties } = current.data
    return yield* settle(io, parties, (tx) => tx.consume(current).produce(Deal, { parties }).command(Do, parties))
  },
})
const responder = (flow: string, sleepSeconds: number) =>
  defineResponder({
    name: `${flow}Too`,
    respondsTo: flow,
    *run(io, session): FlowBody<void> {
      yield* io.signProposal(session, () => right(undefined))
      yield* io.sleep({ seconds: sleepSeconds })
      yield* io.receiveFinality(session)
    },
  })
const Lock = defineFlow({
  name: 'deal/Lock',
  input: t.strict({ deal: StateRefC }),
  *run(io, { deal }): FlowBody<string> {
    yield* io.lock(deal)
    yield* io.sleep({ minutes: 1 })
    const loaded = yield* io.attempt(io.load(Deal, deal))
    return loaded._tag === 'Left' ? loaded.left.code : 'still there'
  },
})
const app = defineApp({
  name: 'deal',
  states: [Deal],
  flows: [Make, End, Lock, responder('deal/Make', 0), responder('deal/End', 10)],
})

const started = async () => {
  const network = await VirtualNetwork.start({
    parties: { Ada: { app }, Ben: { app }, Notary: { app, notary: 'validating' } },
  })
  const making = await network.node('Ada').start(Make, { with: network.party('Ben') })
  await network.advanceBy({ seconds: 10 })
  return { network, deal: await making.result() }
}

const codeOf = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    () => 'completed',
    (error: unknown) => (error instanceof CarillonError ? (error.details['code'] ?? error.code) : String(error)),
  )

describe('A lock of one party', () => {
  it('keeps its own responder from signing what consumes the state', async () => {
    const { network, deal } = await started()
    const locking = await network.node('Ben').start(Lock, { deal })
    const ending = await network.node('Ada').start(End, { deal })
    await network.advanceBy({ seconds: 30 })
    expect(await codeOf(ending.result())).to.equal('state-locked')
    await network.advanceBy({ minutes: 2 })
    expect(await locking.result()).to.equal('still there')
  })

  it('does not keep out what is final: the state is consumed, and the lock is gone with it', async () => {
    const { network, deal } = await started()
    const ending = await network.node('Ada').start(End, { deal })
    await network.advanceBy({ seconds: 5 })
    // Ben has signed, and its finality is yet to come to him.
    const locking = await network.node('Ben').start(Lock, { deal })
    await network.advanceBy({ minutes: 2 })
    expect(await codeOf(ending.result())).to.equal('completed')
    expect(await locking.result()).to.equal('state-consumed')
  })
})
