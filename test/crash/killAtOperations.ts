/**
 * Lets a node kill itself after every operation of flows that wait, or after some of them, and after every outside effect;
 * starts it anew each time, until all flows have ended. Before each start the store is compared with the model.
 */
import { mkdirSync } from 'node:fs'
import { storeFiles } from '../../src/folder/StoreFolder.js'
import { seededRandom } from '../../src/testing/index.js'
import { campaignFiles } from './campaignLines.js'
import { oneAtATime } from './dyingStoreFolder.js'
import type { Campaign } from './runCampaign.js'
import { bundleChild, endOf, startChild } from './startChild.js'
import { StoreAgainstModel } from './StoreAgainstModel.js'

export type OperationKills = {
  /** How many operations a process gets done at most; one of them kills it after each. */
  readonly operationsPerRun: number
  readonly seed: string
  readonly folder: string
}

/** Whoever needs more starts than this makes no progress. */
const mostRuns = 2_000

/** How often the node was killed, and what the looks at its store have found. */
export type KilledAtOperations = Pick<Campaign, 'folder' | 'seed' | 'looks' | 'differences'> & {
  readonly kills: number
}

export const killAtOperations = async ({
  operationsPerRun,
  seed,
  folder,
}: OperationKills): Promise<KilledAtOperations> => {
  mkdirSync(folder, { recursive: true })
  const bundle = await bundleChild(folder)
  const random = seededRandom(seed)
  const model = new StoreAgainstModel(oneAtATime)
  const { database } = storeFiles(campaignFiles(folder).store)
  for (let run = 0; run < mostRuns; run++) {
    const operations = 1 + (parseInt(random.hex(4), 16) % operationsPerRun)
    const child = startChild([bundle, folder, String(run), seed, 'operations', String(operations)])
    const { signal, code, complaints } = await endOf(child)
    const isDone = code === 0
    if (!isDone && signal !== 'SIGKILL')
      throw new Error(`Run ${run} ended with ${String(code ?? signal)} instead of killing itself: ${complaints}`)
    await model.look(database, isDone)
    if (isDone) return { folder, seed, kills: run, looks: model.looks, differences: model.differences }
  }
  throw new Error(`After ${mostRuns} starts the flows have not ended.`)
}
