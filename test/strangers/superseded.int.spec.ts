/** What a hostile member cannot do by saying that a state is gone: an activity is not forgotten for it. */
import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineFlow,
  defineResponder,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { showRef, type StateRef } from '../../src/ledger/StateRef.js'
import { agreeTo, settle } from '../session/agreement.js'

const Do = defineCommand({ type: 'shop/Do' })
const kind = {
  type: 'shop/Lease',
  data: t.strict({ parties: t.readonlyArray(PartyC), renewed: IntegerC, dueAt: InstantC }),
  participants: ({ parties }: { readonly parties: readonly t.TypeOf<typeof PartyC>[] }) => parties,
} as const
const Lease = defineState({
  ...kind,
  nextScheduledActivity: ({ renewed, dueAt }, lease) => (renewed > 0 ? none : some(Renew.at(dueAt, { lease }))),
})
/** The same state for who starts nothing. */
const IdleLease = defineState(kind)

const Sign = defineFlow({
  name: 'shop/Sign',
  input: t.strict({ with: PartyC }),
  *run(io, { with: other }): FlowBody<StateRef> {
    const parties = [io.me, other]
    const dueAt = plus(yield* io.now(), { minutes: 5 })
    return yield* settle(io, parties, (tx) => tx.produce(Lease, { parties, renewed: 0, dueAt }).command(Do, parties))
  },
})
const Renew = defineFlow({
  name: 'shop/Renew',
  schedulable: true,
  input: t.strict({ lease: StateRefC }),
  *run(io, { lease }): FlowBody<void> {
    const held = yield* io.load(Lease, lease)
    const { parties } = held.data
    yield* settle(io, parties, (tx) =>
      tx
        .consume(held)
        .produce(Lease, { ...held.data, renewed: held.data.renewed + 1 })
        .command(Do, parties),
    )
  },
})
/** Says that the state which is to be consumed is gone, and that is a lie. */
const Lie = defineResponder({
  name: 'shop/Lie',
  respondsTo: 'shop/Renew',
  *run(_io, session): FlowBody<void> {
    const { transaction } = yield* session.receive(
      t.type({ transaction: t.type({ body: t.type({ inputs: t.readonlyArray(StateRefC) }) }) }),
    )
    const [ref] = transaction.body.inputs
    throw new CarillonError('state-consumed', 'It is gone.', { ref: ref === undefined ? '' : showRef(ref) })
  },
})

describe('An activity whose state another party says is consumed', () => {
  it('needs attention when the state is still there some time later', async () => {
    const network = await VirtualNetwork.start({
      parties: {
        Bob: { app: defineApp({ name: 'shop', states: [Lease], flows: [Sign, Renew] }) },
        Mallory: { app: defineApp({ name: 'shop', states: [IdleLease], flows: [agreeTo('shop/Sign'), Lie] }) },
        Notary: { app: defineApp({ name: 'notary', states: [], flows: [] }), notary: 'validating' },
      },
      seed: 'superseded',
    })
    const signing = await network.node('Bob').start(Sign, { with: network.party('Mallory') })
    await network.advanceBy({ minutes: 1 })
    const ref = await signing.result()
    await network.advanceBy({ minutes: 10 })
    const bob = network.node('Bob')
    expect((await bob.states(Lease)).map((state) => state.data.renewed)).to.deep.equal([0])
    const attention = async () => (await bob.agenda({ show: 'attention' })).items
    expect(await attention()).to.deep.equal([])
    await network.advanceBy({ hours: 2 })
    // Something is recorded, and time has passed for the views.
    await bob.start(Sign, { with: network.party('Mallory') })
    await network.advanceBy({ minutes: 1 })
    expect((await attention()).map((entry) => [showRef(entry.ref), entry.error?.code])).to.deep.equal([
      [showRef(ref), 'state-not-consumed'],
    ])
  })
})
