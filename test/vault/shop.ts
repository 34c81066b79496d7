/**
 * A shop's orders: a kind of state with indexed fields, some of them missing at times, and flows to make, change and
 * ship them. What the specs about queries ask is judged against the plain data.
 */
import * as t from 'io-ts'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  IntegerC,
  PartyC,
  StateRefC,
  type FlowBody,
} from '../../src/index.js'

export const OrderC = t.strict({
  owner: PartyC,
  number: IntegerC,
  colour: t.union([t.string, t.undefined]),
  size: t.number,
  paid: t.boolean,
})
export type Order = t.TypeOf<typeof OrderC>

export const Order = defineState({
  type: 'shop/Order',
  data: OrderC,
  participants: ({ owner }) => [owner],
  key: ({ number }) => `order ${number}`,
  indexed: { colour: ({ colour }) => colour, size: ({ size }) => size, paid: ({ paid }) => paid },
})
export const Parcel = defineState({
  type: 'shop/Parcel',
  data: t.strict({ owner: PartyC, size: t.number }),
  participants: ({ owner }) => [owner],
})
export const Act = defineCommand({ type: 'shop/Act' })

const WishC = t.strict({
  number: IntegerC,
  colour: t.union([t.string, t.undefined]),
  size: t.number,
  paid: t.boolean,
})

export const Place = defineFlow({
  name: 'shop/Place',
  input: t.strict({ orders: t.readonlyArray(WishC) }),
  *run(io, { orders }): FlowBody<void> {
    yield* io.finalise((tx) => {
      for (const order of orders) tx.produce(Order, { owner: io.me, ...order })
      tx.produce(Parcel, { owner: io.me, size: orders.length })
      return tx.command(Act, [io.me])
    })
  },
})

export const Ship = defineFlow({
  name: 'shop/Ship',
  input: t.strict({ orders: t.readonlyArray(StateRefC) }),
  *run(io, { orders }): FlowBody<void> {
    yield* io.finalise((tx) => tx.consume(...orders).command(Act, [io.me]))
  },
})

/** Every order is used up and made again in another size. */
export const Resize = defineFlow({
  name: 'shop/Resize',
  input: t.strict({ orders: t.readonlyArray(StateRefC), size: t.number }),
  *run(io, { orders, size }): FlowBody<void> {
    for (const ref of orders) {
      const order = yield* io.load(Order, ref)
      yield* io.finalise((tx) =>
        tx
          .consume(order)
          .produce(Order, { ...order.data, size })
          .command(Act, [io.me]),
      )
    }
  },
})

export const shop = defineApp({ name: 'shop', states: [Order, Parcel], flows: [Place, Ship, Resize] })
