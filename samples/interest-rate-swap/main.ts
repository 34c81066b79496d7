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

/** What is wrong with what was asked for; undefined when nothing is. */
const faultOf = ({ live, crashes, ...options }: Options): string | undefined => {
  const stray = (['speed', 'folder', 'kills'] as const).find((name) => options[name] !== undefined)
  if (stray !== undefined && live === undefined)
    return `--${stray} is about real processes. Add --live, or leave it out.`
  if (crashes !== undefined && live !== undefined)
    return '--crashes lets parties of one process crash. With --live it is --kills that kills processes.'
  if (crashes !== undefined && !(Number.isInteger(Number(crashes)) && Number(crashes) > 0))
    return `--crashes is "${crashes}"; give a number of runs, such as 10.`
  if (options.speed !== undefined && !(Number(options.speed) > 0))
    return `--speed is "${options.speed}"; give the days that pass in a second, such as 365.`
  if (options.kills !== undefined && !(Number.isInteger(Number(options.kills)) && Number(options.kills) >= 0))
    return `--kills is "${options.kills}"; give how many processes are to be killed, such as 5.`
  return undefined
}

const run = async (options: Options): Promise<void> => {
  const fault = faultOf(options)
  if (fault !== undefined) throw new CarillonError('usage', fault)
  const { live, crashes, speed = 365, kills = 0, folder } = options
  if (crashes !== undefined) return crashing(Number(crashes))
  if (live === undefined) return virtually()
  await liveRun({ daysPerSecond: Number(speed), kills: Number(kills), say, folder })
}

await new Command('sample:swap')
  .description('An interest rate swap from the offer to maturity')
  .option('--live', 'real processes that talk over TLS, on a clock that runs faster')
  .option('--speed <days>', 'how many days pass in a second (with --live); default: 365')
  .option('--folder <folder>', 'where the network is kept (with --live); default: a folder that is removed at the end')
  .option('--kills <number>', 'kill so many of the processes on the way, with SIGKILL (with --live)')
  .option('--crashes <seeds>', 'run a short trade so many times, with parties crashing at random moments')
  .action((options: Options) =>
    run(options).catch((error: unknown) => {
      if (!(error instanceof CarillonError)) throw error
      console.error(error.message)
      process.exitCode = 2
    }),
  )
  .parseAsync()
