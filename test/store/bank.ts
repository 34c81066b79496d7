/**
 * The smallest app with something to lose: coins that are minted, one by one or after an outside step.
 */
import * as t from 'io-ts'
import { defineApp, defineCommand, defineFlow, defineState, IntegerC, PartyC, type FlowBody } from '../../src/index.js'

export const Coin = defineState({
  type: 'bank/Coin',
  data: t.strict({ owner: PartyC, value: IntegerC }),
  participants: ({ owner }) => [owner],
})

const Mint = defineCommand({ type: 'bank/Mint' })

export const MintCoin = defineFlow({
  name: 'bank/MintCoin',
  input: t.strict({ value: IntegerC }),
  *run(io, { value }): FlowBody<number> {
    yield* io.finalise((tx) => tx.produce(Coin, { owner: io.me, value }).command(Mint, [io.me]))
    return value
  },
})

/** An app whose second flow asks the given function before it mints. */
export const bankWith = (ask: () => Promise<number>) => {
  const MintAsked = defineFlow({
    name: 'bank/MintAsked',
    input: t.strict({}),
    *run(io): FlowBody<number> {
      const value = yield* io.step('ask', ask)
      return yield* io.subFlow(MintCoin, { value })
    },
  })
  return { app: defineApp({ name: 'bank', states: [Coin], flows: [MintCoin, MintAsked] }), MintAsked }
}

export const { app: bank } = bankWith(() => Promise.resolve(0))
