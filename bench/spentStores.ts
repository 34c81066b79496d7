/**
 * Stores of a party and its notary after so many states were spent, kept between runs.
 */
import { cpSync } from 'node:fs'
import type { Node, StateRef } from 'carillon'
import { Renew, Stock } from './dealApp.js'
import { kept } from './kept.js'
import { inOneProcess } from './threeNodes.js'
import type { Bench } from './Workload.js'

/** Counts up when they are to be made anew. */
const version = 1
/** What one takes of the disk at the party and at the notary together, as measured. */
const bytesPerSpent = 2_600
/** As many as a transaction that is shared has room for, which is the quickest way to spend much. */
const perTransaction = 400
const lotsInFlight = 6

const spend = async (alice: Node, notary: Node, count: number, progress: (share: number) => void): Promise<void> => {
  const size = Math.min(perTransaction, Math.ceil(count / lotsInFlight))
  let left = count
  const renewLot = async (): Promise<void> => {
    let states: readonly StateRef[] = await alice.run(Stock, { count: size, notary: notary.party })
    while (left > 0) {
      left -= size
      states = await alice.run(Renew, { states, notary: notary.party })
      progress(1 - left / count)
    }
  }
  await Promise.all(Array.from({ length: lotsInFlight }, renewLot))
}

/** The folder of their stores. A size stands on the one a tenth of it, as long as that is not tiny itself. */
export const spentStores = (bench: Bench, spent: number): Promise<string> =>
  kept(bench, `spent-${spent}-v${version}`, spent * bytesPerSpent, async ({ folder, progress }) => {
    const before = spent > 10_000 ? spent / 10 : 0
    if (before > 0) cpSync(await spentStores(bench, before), folder, { recursive: true })
    const { alice, notary, stop } = await inOneProcess(folder, 'nonValidating')
    try {
      await spend(alice, notary, spent - before, progress)
    } finally {
      await stop()
    }
  })
