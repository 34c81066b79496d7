/**
 * The example trade in real processes, each with its store on disk, talking over TLS, on a clock that runs so many
 * days a second.
 */
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exampleBegins, names } from '../network.js'
import { maturityInstant } from '../swap/events.js'
import type { SwapData } from '../swap/SwapKind.js'
import { exampleEnds } from '../trades.js'
import { cashFlowTable, Progress, progressLine } from './show.js'
import { LiveNetwork } from './LiveNetwork.js'

export type LiveOptions = {
  readonly daysPerSecond: number
  readonly say: (...lines: readonly string[]) => void
  /** Default: a folder that is removed at the end. */
  readonly folder?: string | undefined
  /** The day on which the trade ends. Default: that of the example. */
  readonly until?: string
  /** How many processes are killed on the way, the banks first. Default 0. */
  readonly kills?: number
}

/** In whose turn processes are killed, and how far into what happens. */
const victims = [names.floatingPayer, names.fixedPayer, names.oracle, names.notary, names.regulator]
const longestMs = 80

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
      const reports = await network.settle()
      const standing = reports.get(names.fixedPayer)?.standing
      if (standing) {
        const { swap, isOver } = standing
        progress.show(progressLine(swap, from, maturityInstant(swap), network.now))
        if (isOver && reports.get(names.floatingPayer)?.standing?.isOver === true) return swap
      }
      const wakes = [...reports.values()].flatMap(({ nextMs }) => nextMs ?? [])
      if (wakes.length === 0) throw new Error('Nothing is left to do, and the trade is not over.')
      await network.goOnTo(Math.min(...wakes), daysPerSecond)
      // One on a day on which something is due, and not yet on the day of the offer.
      const day = network.now.slice(0, 10)
      const victim = victims[killed % victims.length]
      if (killed === kills || day === lastDay || victim === undefined) continue
      say(await network.killDuring(victim, randomInt(longestMs)))
      killed += 1
      lastDay = day
    }
  } finally {
    progress.end()
  }
}

export const liveRun = async (options: LiveOptions): Promise<SwapData> => {
  const { say, folder, until = exampleEnds } = options
  const scratch = folder === undefined ? mkdtempSync(join(tmpdir(), 'carillon-swap-')) : undefined
  const network = await LiveNetwork.start(folder ?? join(scratch ?? '', 'network'), exampleBegins, until)
  const giveUp = (): void => {
    network.kill()
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true })
    process.exit(130)
  }
  process.once('SIGINT', giveUp)
  try {
    say(...network.processIds, '')
    const last = await runToEnd(network, options)
    say(...cashFlowTable(last), '', 'Matured.')
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
