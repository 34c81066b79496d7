/**
 * The sample's command line: ten years of a swap in seconds, or with --live in real processes at a chosen speed.
 */
import { parseArgs } from 'node:util'
import { canonicalText } from 'carillon'
import { runCommand, wholeNumber } from '../shared/commandLine.js'
import { runWithCrashes } from './run/crashes.js'
import { liveRun } from './run/liveRun.js'
import { cashFlowTable, Progress, progressLine } from './run/show.js'
import { runToMaturity } from './run/virtualRun.js'
import { showAmount, showPercent } from './money.js'

const usage = `npm run sample:swap -- [options]

  --live             real processes that talk over TLS, on a clock that runs faster
  --speed DAYS       how many days pass in a second (with --live); 365
  --folder FOLDER    where the network is kept (with --live); a folder that is removed at the end
  --kills NUMBER     kill so many of the processes on the way, with SIGKILL (with --live)
  --crashes NUMBER   run a short trade so many times, with parties crashing at random moments
  --help             this text
`

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

await runCommand(async () => {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    options: { live: flag, speed: text, folder: text, kills: text, crashes: text, help: flag },
  })
  if (values.help) return void process.stdout.write(usage)
  const { live, speed = '365', folder, kills = '0', crashes } = values
  const stray = (['speed', 'folder', 'kills'] as const).find((name) => values[name] !== undefined)
  if (stray !== undefined && !live)
    throw new RangeError(`--${stray} is about real processes. Add --live, or leave it out.`)
  if (crashes !== undefined && live)
    throw new RangeError('--crashes lets parties of one process crash. With --live it is --kills that kills processes.')
  if (crashes !== undefined) return crashing(wholeNumber('--crashes', crashes, 1))
  if (!live) return virtually()
  const daysPerSecond = wholeNumber('--speed', speed, 1)
  await liveRun({ daysPerSecond, kills: wholeNumber('--kills', kills, 0), say, folder })
})
