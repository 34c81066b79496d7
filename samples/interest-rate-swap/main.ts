/**
 * The sample's command line: ten years of a swap in seconds, or with --live in real processes at a chosen speed.
 *
 *   npm run sample:swap
 *   npm run sample:swap -- --live --speed 365
 *   npm run sample:swap -- --live --kills 5
 */
import { CarillonError, canonicalText } from 'carillon'
import { Command } from 'commander'
import { runWithCrashes } from './run/crashes.js'
import { liveRun } from './run/liveRun.js'
import { cashFlowTable, fixingsChart, Progress, progressLine } from './run/show.js'
import { runToMaturity } from './run/virtualRun.js'
import { showAmount, showPercent } from './money.js'

type Options = {
  readonly live?: true
  readonly speed?: string
  readonly folder?: string
  readonly kills?: string
  readonly crashes?: string
}

const say = (...lines: readonly string[]): void => {
  for (const line of lines) console.log(line)
}

const virtually = async (): Promise<void> => {
  const started = performance.now()
  const progress = new Progress(process.stdout)
  const { last, isMatured } = await runToMaturity({
    onProgress: (swap, now, from, until) => {
      progress.show(progressLine(swap, from, until, now))
    },
  })
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  progress.end()
  const { fixed, floating } = last
  say(
    `${fixed.payer.name} pays ${showPercent(fixed.rate)} on ${showAmount(fixed.notional)}, ${floating.payer.name} pays ${floating.index.name} ${floating.index.tenor}.`,
    '',
    ...cashFlowTable(last),
    '',
    `Fixings of ${floating.index.name} ${floating.index.tenor}`,
    '',
    ...fixingsChart(last),
    '',
    `${isMatured ? 'Matured.' : 'NOT matured.'} ${fixed.effective} to ${fixed.termination} in ${seconds} s: two banks, a notary, an oracle and a regulator, each with a log of its own.`,
  )
  if (!isMatured) process.exitCode = 1
}

/** The same short trade with parties crashing all the time, once for each seed; each must come out like the calm one. */
const crashing = async (seeds: number): Promise<void> => {
  const { held, payments } = await runWithCrashes()
  let crashes = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const run = await runWithCrashes(String(seed))
    crashes += run.crashes
    const isSame = canonicalText({ held: run.held, payments: run.payments }) === canonicalText({ held, payments })
    if (isSame) continue
    say(`Seed ${seed} came out otherwise.`)
    process.exitCode = 1
  }
  say(`${seeds} runs with ${crashes} crashes; ${process.exitCode === 1 ? 'not all' : 'all'} came out the same.`)
}

const refuse = (message: string): void => {
  console.error(message)
  process.exitCode = 2
}

await new Command('sample:swap')
  .description('An interest rate swap from the offer to maturity')
  .option('--live', 'real processes that talk over TLS, on a clock that runs faster')
  .option('--speed <days>', 'how many days pass in a second (with --live); default: 365')
  .option('--folder <folder>', 'where the network is kept (with --live); default: a folder that is removed at the end')
  .option('--kills <number>', 'kill so many of the processes on the way, with SIGKILL (with --live)')
  .option('--crashes <seeds>', 'run a short trade so many times, with parties crashing at random moments')
  .action(async (options: Options) => {
    const { speed = '365', kills: killed = '0' } = options
    const stray = (['speed', 'folder', 'kills'] as const).find((name) => options[name] !== undefined)
    if (stray !== undefined && options.live === undefined)
      return refuse(`--${stray} is about real processes. Add --live, or leave it out.`)
    if (options.crashes !== undefined && options.live !== undefined)
      return refuse('--crashes lets parties of one process crash. With --live it is --kills that kills processes.')
    if (options.crashes !== undefined) {
      const seeds = Number(options.crashes)
      if (Number.isInteger(seeds) && seeds > 0) return crashing(seeds)
      return refuse(`--crashes is "${options.crashes}"; give a number of runs, such as 10.`)
    }
    if (options.live === undefined) return virtually()
    const daysPerSecond = Number(speed)
    if (!(daysPerSecond > 0)) return refuse(`--speed is "${speed}"; give the days that pass in a second, such as 365.`)
    const kills = Number(killed)
    if (!Number.isInteger(kills) || kills < 0)
      return refuse(`--kills is "${killed}"; give how many processes are to be killed, such as 5.`)
    return liveRun({
      daysPerSecond,
      kills,
      say,
      ...(options.folder === undefined ? {} : { folder: options.folder }),
    }).then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof CarillonError)) throw error
        refuse(error.message)
      },
    )
  })
  .parseAsync()
