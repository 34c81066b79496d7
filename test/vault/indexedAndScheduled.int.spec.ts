import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  instant,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from '../../src/index.js'
import { digestViews } from '../../src/storage/digest.js'
import { foldLog } from '../../src/entries/logs.js'
import { VirtualNode } from '../../src/testing/index.js'

const firstDue = instant('2030-01-01T00:00:00.000Z')

const Change = defineCommand({ type: 'rent/Change' })

/** The same state, known by a key or not: each is assessed in its own way. */
const rentApp = (isKeyed: boolean) => {
  const Rent = defineState({
    type: 'rent/Rent',
    data: t.strict({ owner: PartyC, amount: IntegerC, dueAt: InstantC }),
    participants: ({ owner }) => [owner],
    ...(isKeyed ? { key: () => 'first floor' } : {}),
    indexed: { amount: ({ amount }) => amount },
    nextScheduledActivity: ({ dueAt }, ref) => some(Raise.at(dueAt, { rent: ref })),
  })
  const Raise = defineFlow({
    name: 'rent/Raise',
    schedulable: true,
    input: t.strict({ rent: StateRefC }),
    *run(io, { rent }): FlowBody<void> {
      const current = yield* io.load(Rent, rent)
      const { amount, dueAt } = current.data
      yield* io.finalise((tx) =>
        tx
          .consume(current)
          .produce(Rent, { ...current.data, amount: amount + 1, dueAt: plus(dueAt, { days: 365 }) })
          .command(Change, [io.me]),
      )
    },
  })
  const Let = defineFlow({
    name: 'rent/Let',
    input: t.strict({ amount: IntegerC }),
    *run(io, { amount }): FlowBody<void> {
      yield* io.finalise((tx) => tx.produce(Rent, { owner: io.me, amount, dueAt: firstDue }).command(Change, [io.me]))
    },
  })
  return { Rent, Let, app: defineApp({ name: 'rent', states: [Rent], flows: [Raise, Let] }) }
}

describe('A state with indexed fields and an activity', () => {
  for (const isKeyed of [false, true]) {
    it(`is found by its fields, before and after it has fired, and in rebuilt views too: ${isKeyed ? 'with' : 'without'} a key`, async () => {
      const { Rent, Let, app } = rentApp(isKeyed)
      const virtual = await VirtualNode.start({ app, seed: 'rent' })
      const { node } = virtual
      const withAmount = async (is: number): Promise<number> =>
        (await node.query(Rent, { where: { field: 'amount', is } })).items.length
      await node.run(Let, { amount: 500 })
      expect(await withAmount(500)).to.equal(1)
      await virtual.advanceTo(firstDue)
      expect(await withAmount(500)).to.equal(0)
      expect(await withAmount(501)).to.equal(1)
      const folded = await foldLog(node.readLog())
      expect(digestViews(folded)).to.equal(await node.viewsDigest())
      folded.close()
      await virtual.stop()
    })
  }
})
