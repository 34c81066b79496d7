/** Compares the two verifiers of the log at length: `npm run test:verifier -- --count 10000 --seed abc`. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runCampaign } from './runCampaign.js'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    /** Begins with another case than the first. */
    from: { type: 'string', default: '0' },
    /** A file that the last case is written to. */
    write: { type: 'string' },
  },
})
const count = Number(values.count)
const from = Number(values.from)
if (!Number.isInteger(count) || count < 1) throw new Error(`--count takes a whole number from 1, not ${values.count}`)
if (!Number.isInteger(from) || from < 0) throw new Error(`--from takes a whole number from 0, not ${values.from}`)
const seed = values.seed ?? randomBytes(4).toString('hex')
const startedMs = performance.now()
console.log(`seed ${seed}, ${count} changes`)
const { cases, found, disagreements } = await runCampaign({
  ...{ seed, count, from },
  onCase: (_, { bytes }) => {
    if (values.write !== undefined) writeFileSync(values.write, bytes)
  },
})
for (const [kinds, times] of [...found].sort(([, one], [, other]) => other - one)) console.log(`${times}  ${kinds}`)
for (const text of disagreements) console.error(text)
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
console.log(`${cases} changes, ${disagreements.length} disagreements, ${seconds} s`)
process.exitCode = disagreements.length === 0 ? 0 : 1
