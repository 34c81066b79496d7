/**
 * The example trade in real processes, each with its store on disk, talking over TLS, on a clock that runs so many
 * days a second.
 */
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Json } from 'carillon'
import { names } from '../network.js'
import { maturityInstant } from '../swap/events.js'
import { SwapC, type SwapData } from '../swap/SwapKind.js'
import type { Terms } from '../terms/Terms.js'
import { exampleTrade, type Parties } from '../trades.js'
import { cashFlowTable, fixingsChart, Progress, progressLine } from './show.js'
import { LiveNetwork } from './LiveNetwork.js'
import { exampleBegins } from './virtualRun.js'

export type LiveOptions = {
  readonly daysPerSecond: number
  readonly say: (...lines: readonly string[]) => void
  /** Default: a folder that is removed at the end. */
  readonly folder?: string | undefined
  /** Default: the example trade. */
  readonly trade?: (parties: Parties) => Terms
  /** How many processes are killed on the way, the banks first. Default 0. */
  readonly kills?: number
}

/** In whose turn processes are killed, and how far into what happens. */
const victims = [names.floatingPayer, names.fixedPayer, names.oracle, names.notary, names.regulator]
const longestMs = 80

const look = async (
  network: LiveNetwork,
  name: string,
): Promise<{ readonly swap: SwapData | undefined; readonly isOver: boolean }> => {
  const { swap, isOver } = await network.order(name, { type: 'look' })
  if (swap === null) return { swap: undefined, isOver }
  const decoded = SwapC.decode(swap)
  if (isLeft(decoded)) throw new Error(`${name} reports a swap that cannot be read.`)
  return { swap: decoded.right, isOver }
}

const runToEnd = async (
  network: LiveNetwork,
  { daysPerSecond, say, kills = 0 }: Pick<LiveOptions, 'daysPerSecond' | 'say' | 'kills'>,
): Promise<SwapData> => {
  const progress = new Progress(process.stdout)
  const from = network.now
  let killed = 0
  let lastDay = from.slice(0, 10)
  try {
    for (;;) {
      const goesOn = await network.step(daysPerSecond)
      // One on a day on which something is due, and not yet on the day of the offer.
      const day = network.now.slice(0, 10)
      if (killed < kills && day > lastDay) {
        say(await network.killDuring(victims[killed++ % victims.length] ?? '', randomInt(longestMs)))
        lastDay = day
      }
      const { swap, isOver } = await look(network, names.fixedPayer)
      if (swap !== undefined) {
        progress.show(progressLine(swap, from, maturityInstant(swap), network.now))
        if (isOver && (await look(network, names.floatingPayer)).isOver) return swap
      }
      if (!goesOn) throw new Error('Nothing is left to do, and the trade is not over.')
    }
  } finally {
    progress.end()
  }
}

export const liveRun = async (options: LiveOptions): Promise<SwapData> => {
  const { say, folder, trade = exampleTrade } = options
  const scratch = folder === undefined ? mkdtempSync(join(tmpdir(), 'carillon-swap-')) : undefined
  const network = await LiveNetwork.start(folder ?? join(scratch ?? '', 'network'), exampleBegins)
  const giveUp = (): void => {
    network.kill()
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true })
    process.exit(130)
  }
  process.once('SIGINT', giveUp)
  try {
    say(...network.processIds, '')
    await network.order(names.oracle, { type: 'announce' })
    const terms = trade({
      fixedPayer: network.party(names.fixedPayer),
      floatingPayer: network.party(names.floatingPayer),
      oracle: network.party(names.oracle),
      regulators: [network.party(names.regulator)],
    })
    await network.order(names.fixedPayer, { type: 'offer', terms: terms as unknown as Json })
    const last = await runToEnd(network, options)
    say(...cashFlowTable(last), '', ...fixingsChart(last), '', 'Matured.')
    await network.stop()
    return last
  } catch (error) {
    network.kill()
    throw error
  } finally {
    process.removeListener('SIGINT', giveUp)
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true })
  }
}
