/**
 * The pace of a notary after more and more states were spent before it.
 */
import type { Node, StateRef } from 'carillon'
import { Renew, Stock } from './dealApp.js'
import { inOneProcess } from './threeNodes.js'

const perTransaction = 100
export const requestsInFlight = 50

type Lots = readonly (readonly StateRef[])[]

const renewAll = async (alice: Node, notary: Node, lots: Lots, rounds: number): Promise<Lots> =>
  Promise.all(
    lots.map(async (lot) => {
      let states = lot
      for (let round = 0; round < rounds; round++) states = await alice.run(Renew, { states, notary: notary.party })
      return states
    }),
  )

export type NotaryPace = { readonly spent: number; readonly perSecond: number }

/** Spends up to each level in large transactions, and then measures so many requests of one input each. */
export async function* notaryPaces(
  folder: string,
  levels: readonly number[],
  requests: number,
): AsyncGenerator<NotaryPace> {
  const { alice, notary, stop } = await inOneProcess(folder, 'nonValidating')
  try {
    const stock = async (count: number): Promise<Lots> =>
      Promise.all(Array.from({ length: requestsInFlight }, () => alice.run(Stock, { count, notary: notary.party })))
    let single = await stock(1)
    const lots = Math.max(1, Math.min(10, Math.floor((levels[0] ?? 0) / perTransaction)))
    let filled: Lots = (await stock(perTransaction)).slice(0, lots)
    let spent = 0
    for (const level of levels) {
      const perRound = filled.length * perTransaction
      const rounds = Math.max(0, Math.ceil((level - spent) / perRound))
      filled = await renewAll(alice, notary, filled, rounds)
      spent += rounds * perRound
      const startedMs = performance.now()
      single = await renewAll(alice, notary, single, requests / requestsInFlight)
      const perSecond = (requests / (performance.now() - startedMs)) * 1_000
      spent += requests
      yield { spent: level, perSecond }
    }
  } finally {
    await stop()
  }
}
