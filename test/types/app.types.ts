/**
 * What the compiler knows of an app, and must refuse. This file is compiled by `npm run types` and never run. Each line that is
 * expected not to compile fails the build when it does.
 */
import * as t from 'io-ts'
import {
  codec,
  defineApp,
  defineFlow,
  defineSignal,
  defineState,
  instant,
  refuseWith,
  some,
  startNode,
  type Instant,
  type Node,
  type StateRef,
} from 'carillon'

const Plants = defineState({
  type: 'plants/Plants',
  data: codec.strict({ owner: codec.party, pots: codec.integer, waterAt: codec.instant }),
  participants: ({ owner }) => [owner],
  key: ({ owner }) => owner.name,
})

/** A state and a flow that name each other, and no type is annotated. */
const Thirsty = defineState({
  type: 'plants/Thirsty',
  data: codec.strict({ owner: codec.party, waterAt: codec.instant }),
  participants: ({ owner }) => [owner],
}).withActivity(({ waterAt }, ref) => some(Water.at(waterAt, { ref })))

const Water = defineFlow({
  name: 'plants/Water',
  schedulable: true,
  input: codec.strict({ ref: codec.stateRef }),
  *run(io, { ref }) {
    const { data } = yield* io.load(Thirsty, ref)
    return data.waterAt
  },
})

export const wateredAt = (node: Node, ref: StateRef): Promise<Instant> => node.run(Water, { ref })

export const badInput = Plants.withActivity(({ waterAt }, plants) =>
  // @ts-expect-error -- the input of the flow has another name
  some(Water.at(waterAt, { plants })),
)

// @ts-expect-error -- an activity may be absent, so it is an Option
export const noOption = Plants.withActivity(({ waterAt }, ref) => Water.at(waterAt, { ref }))

export const badInstant = Plants.withActivity((_, ref) =>
  // @ts-expect-error -- text is no instant until it was checked
  some(Water.at('2026-01-01T00:00:00.000Z', { ref })),
)

export const badParticipants = defineState({
  type: 'plants/Other',
  data: t.strict({ owner: t.string }),
  // @ts-expect-error -- a name is no party
  participants: ({ owner }) => [owner],
})

export const badField = defineState({
  type: 'plants/Field',
  data: t.strict({ owner: codec.party }),
  participants: ({ owner }) => [owner],
  // @ts-expect-error -- there is no such field
  key: ({ name }) => String(name),
})

const Sell = defineFlow({
  name: 'plants/Sell',
  input: codec.strict({ pots: codec.integer }),
  refusals: codec.literal('sold out'),
  *run(io, { pots }) {
    yield* io.finalise((tx) => tx.produce(Plants, { owner: io.me, pots, waterAt: instant('2026-01-01T00:00:00.000Z') }))
    // @ts-expect-error -- the number of pots is missing
    yield* io.finalise((tx) => tx.produce(Plants, { owner: io.me, waterAt: instant('2026-01-01T00:00:00.000Z') }))
    // @ts-expect-error -- a key is text
    yield* io.find(Plants, 1)
    const plants = yield* io.find(Plants, 'mine')
    // @ts-expect-error -- there may be none
    yield* io.finalise((tx) => tx.consume(plants))
    if (plants !== undefined) {
      yield* io.finalise((tx) => tx.replace(plants, { pots: 2 }))
      // @ts-expect-error -- there is no such field
      yield* io.finalise((tx) => tx.replace(plants, { pot: 2 }))
    }
    return pots > 1 ? pots : refuseWith('sold out')
  },
})

export const forgottenStar = defineFlow({
  name: 'plants/Star',
  input: codec.strict({}),
  // @ts-expect-error -- an operation is asked for with yield*
  *run(io) {
    yield io.now()
  },
})

export const awaited = defineFlow({
  name: 'plants/Await',
  input: codec.strict({}),
  // @ts-expect-error -- a flow is a generator
  run: async () => Promise.resolve(1),
})

const Rain = defineSignal({ name: 'plants/Rain', data: t.strict({ litres: t.number }) })

export const ask = async (node: Node): Promise<void> => {
  const sold: number = await node.run(Sell, { pots: 2 })
  // @ts-expect-error -- pots are a number
  await node.run(Sell, { pots: 'two' })
  // @ts-expect-error -- nothing more is asked for
  await node.run(Sell, { pots: 2, more: 1 })
  // @ts-expect-error -- it returns a number
  const text: string = await node.run(Sell, { pots: 2 })
  const [first] = await node.states(Plants)
  // @ts-expect-error -- there may be none
  console.log(first.data.pots)
  const flow = await node.start(Sell, { pots: sold })
  await node.signal(flow.id, Rain, { litres: 1 })
  // @ts-expect-error -- litres are a number
  await node.signal(flow.id, Rain, { litres: text })
  // @ts-expect-error -- a state is named by transaction and index
  await node.why({ transaction: 'abc' })
  for await (const event of node.subscribe({ from: 'present', types: ['FlowEnded'] })) {
    // @ts-expect-error -- other events have other fields
    console.log(event.produced)
  }
}

export const start = async (): Promise<void> => {
  const app = defineApp({ name: 'plants', states: [Plants, Thirsty], flows: [Sell, Water] })
  await startNode({ app, store: 'data' })
  // @ts-expect-error -- a folder, or a store that was opened
  await startNode({ app, store: {} })
  // @ts-expect-error -- there is no such option
  await startNode({ app, folder: 'data' })
}
