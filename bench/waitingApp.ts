/** Flows that wait for a state each, and what records such states. */
import * as t from 'io-ts'
import { defineApp, defineCommand, defineFlow, defineState, PartyC, type FlowBody } from 'carillon'

const Put = defineCommand({ type: 'bench/Put' })

const Parcel = defineState({
  type: 'bench/Parcel',
  data: t.strict({ owner: PartyC, number: t.number }),
  participants: ({ owner }) => [owner],
  key: ({ number }) => String(number),
})

export const Await = defineFlow({
  name: 'bench/Await',
  input: t.strict({ number: t.number }),
  *run(io, { number }): FlowBody<number> {
    return (yield* io.waitFor(Parcel, { key: String(number) })).data.number
  },
})

export const Deliver = defineFlow({
  name: 'bench/Deliver',
  input: t.strict({ number: t.number }),
  *run(io, { number }): FlowBody<string> {
    return (yield* io.finalise((tx) => tx.produce(Parcel, { owner: io.me, number }).command(Put, [io.me]))).id
  },
})

export const waitingApp = defineApp({ name: 'bench-waiting', states: [Parcel], flows: [Await, Deliver] })
