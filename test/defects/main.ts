/**
 * Hunts every seeded defect and writes the table of docs/reference/seeded-defects.md: `npm run test:defects`. Names after
 * the command hunt only those, and write nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defects } from './defects.js'
import { hunt, type Hunted } from './huntDefect.js'
import { page, tableOf } from './table.js'

const mostSeeds = 30
const atATime = 2

const wanted = process.argv.slice(2)
const hunted = defects.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const results = new Map<string, Hunted>()
const left = [...hunted]
const work = async (): Promise<void> => {
  for (let defect = left.shift(); defect !== undefined; defect = left.shift()) {
    const result = await hunt(defect, mostSeeds)
    results.set(defect.name, result)
    const found =
      result.found === undefined ? 'NOT FOUND' : `${result.found.app} ${result.found.seed}: ${result.found.invariant}`
    console.log(`${defect.name}: ${found}, after ${result.histories} histories`)
  }
}
await Promise.all(Array.from({ length: atATime }, work))
const missed = hunted.filter(({ name }) => results.get(name)?.found === undefined)
if (missed.length > 0) console.error(`Not found: ${missed.map(({ name }) => name).join(', ')}`)
process.exitCode = missed.length === 0 ? 0 : 1
if (wanted.length === 0) {
  const file = join(import.meta.dirname, '../..', page)
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text.replace(/(<!-- made by npm run test:defects -->)[\s\S]*?(<!-- end -->)/, `$1\n\n${tableOf(results)}\n\n$2`),
  )
}
