import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { realUrl } from './serverUnderTest.js'
import { withEventStoreDb } from '../../bench/eventStoreDb.js'

const root = join(import.meta.dirname, '../..')

/** All specs of EventStoreDB but this one. */
const specs = readdirSync(import.meta.dirname)
  .filter((file) => /\.(int|prop)\.spec\.ts$/.test(file))
  .map((file) => join('test/eventstoredb', file))

type Titles = readonly { readonly fullTitle: string }[]
type Report = { readonly passes: Titles; readonly pending: Titles; readonly failures: Titles }

const runOn = (url: string): Promise<Report> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', '--reporter', 'json', ...specs], {
      cwd: root,
      env: { ...process.env, ESDB_URL: url },
    })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.on('close', () => {
      try {
        resolve(JSON.parse(said.slice(said.indexOf('{\n'))) as Report)
      } catch {
        reject(new Error(said))
      }
    })
  })

describe('The specs of EventStoreDB on a server that is known by its address alone', function () {
  this.timeout(240_000)

  // With ESDB_URL, this whole run is on such a server.
  const define = realUrl === undefined ? it : it.skip

  define('run, node and standbys included; what needs a fault of the test server is skipped by name', async () => {
    const { passes, pending, failures } = await withEventStoreDb(runOn)
    const titles = (of: Titles): readonly string[] => of.map(({ fullTitle }) => fullTitle)
    expect(titles(failures)).to.deep.equal([])
    for (const subject of [
      'EventStoreDbLog on the server that ESDB_URL names as an event log',
      'A node on EventStoreDB',
      'Standbys on EventStoreDB',
      'A node whose stream is set to forget while it runs',
      'A stream that is not what Carillon has made',
    ])
      expect(
        titles(passes).some((title) => title.startsWith(subject)),
        subject,
      ).to.equal(true)
    const skipped = titles(pending)
    expect(skipped).to.have.length.greaterThan(50)
    for (const title of skipped) expect(title).to.contain('(needs a fault of the test server)')
  })
})
