/** Whatever app code throws, it is the app's error: not even one that looks like the node's own stops the node. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineState,
  InstantC,
  instant,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from 'carillon'
import type { ErrorCode } from 'carillon/types'
import { VirtualNode } from 'carillon/testing'

const PlaceC = t.keyof({ activity: null, contract: null, flow: null, step: null, nowhere: null })
const isAt = (place: string, data: unknown): boolean => t.type({ place: t.literal(place) }).is(data)
const Make = defineCommand({ type: 'trap/Make' })

/** An app that throws an error of the given code in the place that its state names. */
const trapping = (code: ErrorCode) => {
  const spring = (): never => {
    throw new CarillonError(code, 'thrown by the app')
  }
  const contract = defineContract({
    name: 'trap/Trap',
    verify: ({ outputs }) => (outputs.some(({ data }) => isAt('contract', data)) ? spring() : right(undefined)),
  })
  const Trap = defineState({
    type: 'trap/Trap',
    data: t.strict({ owner: PartyC, place: PlaceC, at: InstantC }),
    participants: ({ owner }) => [owner],
    contract,
    nextScheduledActivity: ({ place, at }, ref) =>
      place === 'activity' ? spring() : some(Spring.at(at, { trap: ref })),
  })
  const Spring = defineFlow({
    name: 'trap/Spring',
    schedulable: true,
    input: t.strict({ trap: StateRefC }),
    *run(io, { trap }): FlowBody<string> {
      const { data } = yield* io.load(Trap, trap)
      if (data.place === 'flow') spring()
      if (data.place === 'step') yield* io.step('spring', () => spring(), { retry: { attempts: 1 } })
      return 'unharmed'
    },
  })
  const Lay = defineFlow({
    name: 'trap/Lay',
    input: t.strict({ place: PlaceC }),
    *run(io, { place }): FlowBody<void> {
      const at = plus(yield* io.now(), { minutes: 1 })
      yield* io.finalise((tx) => tx.produce(Trap, { owner: io.me, place, at }).command(Make, [io.me]))
    },
  })
  return { app: defineApp({ name: 'trap', states: [Trap], flows: [Spring, Lay] }), Lay }
}

describe('An error that app code throws in the name of the node', () => {
  for (const code of ['invariant-broken', 'store-corrupt', 'disk-full'] as const) {
    it(`stops nothing: ${code} in an activity, a contract, a flow and a step`, async () => {
      const { app, Lay } = trapping(code)
      const virtual = await VirtualNode.start({ app, start: instant('2026-01-01T00:00:00Z') })
      for (const place of ['activity', 'contract', 'flow', 'step', 'nowhere'] as const) {
        await virtual.node.run(Lay, { place }).catch(() => undefined)
      }
      await virtual.advanceBy({ hours: 1 })
      const flows = (await virtual.node.flows({ name: 'trap/Spring' })).items
      expect(flows.map(({ status }) => status)).to.deep.equal(['completed', 'failed', 'failed'])
      expect(flows.at(-1)?.error?.code).to.equal(code)
      const [parked] = (await virtual.node.agenda({ show: 'attention' })).items
      expect(parked?.standing).to.equal('parked')
    })
  }
})
