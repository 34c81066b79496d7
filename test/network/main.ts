/** Runs any number of random networks: `npm run test:network -- --seeds 1000 --from 0`. */
import { describeFailure, describeReport, simulate } from 'carillon/testing'
import { marketSimulation } from './marketSimulation.js'

const numberOf = (option: string, otherwise: number): number => {
  const place = process.argv.indexOf(option)
  const value = place < 0 ? otherwise : Number(process.argv[place + 1])
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`${option} wants a whole number`)
}

const seeds = numberOf('--seeds', 100)
const from = numberOf('--from', 0)
let done = 0
const report = await simulate({
  ...marketSimulation,
  seeds: Array.from({ length: seeds }, (_, index) => from + index),
  onSeed: (seed, failure) => {
    done += 1
    if (failure !== undefined)
      console.error(describeFailure(failure, `npm run test:network -- --seeds 1 --from ${seed}`).join('\n'))
    if (done % 50 === 0) console.log(`${done} of ${seeds} networks`)
  },
})
console.log(
  `${describeReport(report)} ${Math.round((10_000 * report.seeds) / report.elapsedMs) / 10} networks a second.`,
)
process.exitCode = report.failures.length === 0 ? 0 : 1
