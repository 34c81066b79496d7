/** Runs any number of random networks: `npm run test:network -- --seeds 1000 --from 0`. */
import { runSeed } from './runSeed.js'

const numberOf = (option: string, otherwise: number): number => {
  const place = process.argv.indexOf(option)
  const value = place < 0 ? otherwise : Number(process.argv[place + 1])
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`${option} wants a whole number`)
}

const seeds = numberOf('--seeds', 100)
const from = numberOf('--from', 0)
const began = Date.now()
let failed = 0
let transactions = 0
let superseded = 0
for (let seed = from; seed < from + seeds; seed++) {
  const verdict = await runSeed(seed).catch((error: unknown) => ({
    problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    transactions: 0,
    superseded: 0,
  }))
  transactions += verdict.transactions
  superseded += verdict.superseded
  if (verdict.problems.length > 0) {
    failed += 1
    console.error(
      `Seed ${seed} failed:\n  ${verdict.problems.join('\n  ')}\nRepeat it with: npm run test:network -- --seeds 1 --from ${seed}`,
    )
  }
  if ((seed - from + 1) % 50 === 0) console.log(`${seed - from + 1} of ${seeds} networks, ${failed} failed`)
}
console.log(
  `${seeds} networks in ${Math.round((Date.now() - began) / 1_000)} s: ${transactions} transactions, ${superseded} lost races, ${failed} failed.`,
)
process.exitCode = failed === 0 ? 0 : 1
