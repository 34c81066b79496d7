/**
 * The pace of a notary before which so many states were spent.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { Renew, Stock } from './dealApp.js'
import { spentStores } from './spentStores.js'
import { inOneProcess, type ThreeNodes } from './threeNodes.js'
import type { Bench } from './Workload.js'

export const requestsInFlight = 50

/** Renews states of its own one by one, so many under way; how many milliseconds that took. */
const renewSingly = async ({ alice, notary }: ThreeNodes, requests: number): Promise<number> => {
  const stock = { count: 1, notary: notary.party }
  const first = await Promise.all(Array.from({ length: requestsInFlight }, () => alice.run(Stock, stock)))
  const startedMs = performance.now()
  await Promise.all(
    first.map(async (states) => {
      let renewed = states
      for (let round = 0; round < requests / requestsInFlight; round++)
        renewed = await alice.run(Renew, { states: renewed, notary: notary.party })
    }),
  )
  return performance.now() - startedMs
}

/** From here on measuring adds next to nothing to what was spent, and a copy would take much of the disk. */
const inPlaceFrom = 1_000_000

const storesFor = async (bench: Bench, spent: number): Promise<string> => {
  const stores = await spentStores(bench, spent)
  if (spent >= inPlaceFrom) return stores
  const copy = join(bench.folder, `spent-${spent}`)
  cpSync(stores, copy, { recursive: true })
  return copy
}

/** Answers a second, after a tenth as many that do not count. */
export const notaryPace = async (bench: Bench, spent: number, requests: number): Promise<number> => {
  const folder = await storesFor(bench, spent)
  const nodes = await inOneProcess(folder, 'nonValidating')
  try {
    await renewSingly(nodes, requests / 10)
    return (requests / (await renewSingly(nodes, requests))) * 1_000
  } finally {
    await nodes.stop()
  }
}
