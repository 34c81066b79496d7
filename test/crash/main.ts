/**
 * The crash campaign in full, by its own command: npm run test:crash -- --kills 200 --seed abc
 *
 * The seed fixes what is asked and when the kills are aimed; where exactly they hit is up to the machine. With --operations
 * flows that wait are killed after each of their operations and effects instead, one after the other.
 */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { campaignFiles } from './campaignLines.js'
import { checkStore } from './checkStore.js'
import { describeCampaign } from './describeCampaign.js'
import { readEvidence } from './Evidence.js'
import { judgeEvidence, judgeFlows } from './judgeCampaign.js'
import { killAtOperations } from './killAtOperations.js'
import { newCampaignFolder, runCampaign } from './runCampaign.js'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    operations: { type: 'boolean', default: false },
    seed: { type: 'string' },
    keep: { type: 'boolean' },
  },
})
const kills = Number(values.kills)
if (!Number.isInteger(kills) || kills < 1) throw new Error(`--kills takes a whole number from 1, not ${values.kills}`)
const seed = values.seed ?? randomBytes(4).toString('hex')
const folder = newCampaignFolder()
const startedMs = performance.now()
console.log(`seed ${seed}, ${values.operations ? 'a kill after every operation' : `${kills} kills`}, in ${folder}`)

const faults: string[] = []
try {
  if (values.operations) {
    const { kills: killed, differences } = await killAtOperations({ operationsPerRun: 1, seed, folder })
    console.log(`${killed} kills`)
    faults.push(...differences, ...judgeFlows(await readEvidence(folder)))
  } else {
    const campaign = await runCampaign({ kills, seed, longestRunMs: 500, folder })
    const evidence = await readEvidence(folder)
    console.log(JSON.stringify(describeCampaign(campaign, evidence), null, 2))
    faults.push(...campaign.differences, ...judgeEvidence(evidence))
  }
  faults.push(...(await checkStore(campaignFiles(folder).store)))
} catch (error) {
  faults.push(error instanceof Error ? error.message : String(error))
}

const shown = 50
for (const fault of faults.slice(0, shown)) console.error(`BROKEN: ${fault}`)
if (faults.length > shown) console.error(`… and ${faults.length - shown} more`)
console.log(`${faults.length} promises broken, ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
if (faults.length > 0 || values.keep === true) console.log(`seed ${seed}; everything it left is in ${folder}`)
else rmSync(folder, { recursive: true, force: true })
process.exitCode = faults.length > 0 ? 1 : 0
