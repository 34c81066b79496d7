/**
 * Records the logs of the samples for the version in package.json: `npm run replay:record`. A version that has been
 * released is never recorded again; `--again` is for one that has not, and names after it record only those samples.
 */
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { exportLog } from 'carillon/logs'
import { replay } from 'carillon/testing'
import { recordings } from './recordings.js'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const folder = join(import.meta.dirname, version)
const named = process.argv.slice(2).filter((word) => word !== '--again')
const unknown = named.filter((name) => recordings[name] === undefined)
if (unknown.length > 0) throw new Error(`No sample is recorded under the name ${unknown.join(' or ')}.`)
if (existsSync(folder) && !process.argv.includes('--again')) {
  console.error(
    `The logs of ${version} are recorded. If it has not been released yet: npm run replay:record -- --again`,
  )
  process.exit(1)
}
for (const [sample, { app, live }] of Object.entries(recordings)) {
  if (named.length > 0 && !named.includes(sample)) continue
  rmSync(join(folder, sample), { recursive: true, force: true })
  mkdirSync(join(folder, sample), { recursive: true })
  for (const [name, ticks] of await live()) {
    const file = join(folder, sample, `${name}.ndjson`)
    const output = createWriteStream(file)
    const events = await exportLog(ticks, (line) => {
      output.write(`${line}\n`)
    })
    output.end()
    await once(output, 'close')
    const { answersDigest, problems } = await replay(file, { app: app() })
    for (const { what } of problems) console.error(what)
    if (problems.length > 0) process.exitCode = 1
    writeFileSync(file.replace('.ndjson', '.answers.json'), `{ "answersDigest": "${answersDigest}" }\n`)
    console.log(`${version}/${sample}/${name}: ${events} events`)
  }
}
