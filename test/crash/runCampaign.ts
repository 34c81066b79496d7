/**
 * Kills a node again and again at random moments and starts it anew on what it left behind. Before each start the store
 * is compared with the model, and what the projections have saved is noted; whether the node kept its other promises is judged afterwards, from the log.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeFiles } from '../../src/folder/StoreFolder.js'
import { seededRandom } from '../../src/testing/index.js'
import { PostgresServer } from '../postgres/PostgresServer.js'
import { campaignFiles, lineOf } from './campaignLines.js'
import { savedCounts } from './SavedCounts.js'
import { bundleChild, endOf, said, startChild } from './startChild.js'
import { StoreAgainstModel } from './StoreAgainstModel.js'

/** What the kill was aimed at. */
export const aims = ['opening', 'catching up', 'working'] as const
export type Aim = (typeof aims)[number]

export type Kill = { readonly aim: Aim; readonly atMs: number; readonly wasReady: boolean }

export type Campaign = {
  readonly folder: string
  readonly seed: string
  readonly kills: readonly Kill[]
  /** After how many kills the store was compared with the model, and where it differed. */
  readonly looks: number
  readonly differences: readonly string[]
}

export type CampaignOptions = {
  readonly kills: number
  readonly seed: string
  /** The longest a run may work before it is killed. */
  readonly longestRunMs: number
  readonly folder?: string
}

export const newCampaignFolder = (): string => mkdtempSync(join(tmpdir(), 'carillon-crash-'))

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** As long as anything may take; it does not keep the process alive by itself. */
const patience = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, patienceMs).unref()
  })

const patienceMs = 60_000
/** On a machine that has other work, all that is overdue takes a while. */
const lastRunMs = 300_000
/** How long such a run is given until its projections have caught up. */
const countingMs = 3_000

export const runCampaign = async (options: CampaignOptions): Promise<Campaign> => {
  const postgres = await PostgresServer.start()
  try {
    return await killAgainAndAgain(options, postgres.url)
  } finally {
    await postgres.remove()
  }
}

const killAgainAndAgain = async (options: CampaignOptions, postgresUrl: string): Promise<Campaign> => {
  const { seed } = options
  const folder = options.folder ?? newCampaignFolder()
  mkdirSync(folder, { recursive: true })
  const bundle = await bundleChild(folder)
  const random = seededRandom(seed)
  const below = (bound: number): number => parseInt(random.hex(4), 16) % bound
  const kills: Kill[] = []
  const model = new StoreAgainstModel()
  const files = campaignFiles(folder)
  const { database, projections } = storeFiles(files.store)
  /** What the next start will find, before it finds it. */
  const look = async (whole = false): Promise<void> => {
    await model.look(database, whole)
    for (const saved of await savedCounts(projections, postgresUrl)) appendFileSync(files.counts, lineOf(saved))
  }
  let openingMs = 200

  for (let run = 0; run < options.kills; run++) {
    const startedMs = performance.now()
    const child = startChild([bundle, folder, String(run), seed, 'work', postgresUrl])
    const ended = endOf(child)
    let wasReady = false
    const ready = said(child, 'ready').then(() => {
      wasReady = true
      openingMs = performance.now() - startedMs
    })
    // The first run is let through to work, so that every later kill has something to destroy.
    const draw = run === 0 ? 9 : below(10)
    const aim: Aim = draw < 2 ? 'opening' : draw < 5 ? 'catching up' : 'working'
    if (aim === 'opening') await Promise.race([ended, pause(openingMs / 3 + below(Math.ceil(openingMs)))])
    else {
      await Promise.race([ready, ended, patience()])
      // Sometimes its projections are to be hit at work, too, the one in PostgreSQL with them.
      if (aim === 'working' && run % 3 === 0)
        await Promise.race([said(child, 'counting'), ended, run === 0 ? patience() : pause(countingMs)])
      await Promise.race([ended, pause(aim === 'catching up' ? below(25) : below(options.longestRunMs))])
    }
    const killed = child.kill('SIGKILL')
    const atMs = Date.now()
    const { signal, code, complaints } = await ended
    if (!killed || signal !== 'SIGKILL')
      throw new Error(
        `Run ${run} ended by itself with ${String(code ?? signal)} instead of being killed: ${complaints}`,
      )
    kills.push({ aim, atMs, wasReady })
    if (existsSync(database)) await look()
    // Sometimes the node stays down for a while, so that there is something to catch up with.
    if (below(3) === 0) await pause(below(150))
  }

  const last = startChild([bundle, folder, String(options.kills), seed, 'finish', postgresUrl])
  const ended = endOf(last)
  const timer = setTimeout(() => last.kill('SIGKILL'), lastRunMs)
  const { signal, code, complaints } = await ended
  clearTimeout(timer)
  if (code !== 0) throw new Error(`The last run did not come to its end (${String(code ?? signal)}): ${complaints}`)
  await look(true)
  return { folder, seed, kills, looks: model.looks, differences: model.differences }
}
