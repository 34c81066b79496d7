import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { Cluster } from '../eventstoredb/Cluster.js'
import { postgresUrl } from '../postgres/testDatabase.js'

const root = join(import.meta.dirname, '../..')

const specsIn = (folder: string): readonly string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(int|sim)\.spec\.ts$/.test(file))
        .map((file) => join(folder, file))
    : []

/** What a node promises whatever its log is: the samples of time, and what a restart goes on with. */
const specs = [
  ...specsIn('samples/heartbeat'),
  ...specsIn('samples/interest-rate-swap'),
  'test/log/swapInShort.sim.spec.ts',
  'test/flow/restart.sim.spec.ts',
  'test/scheduler/attempts.int.spec.ts',
  'test/scheduler/missed.int.spec.ts',
]

/** Hours of beats show no more about a log than a minute of them; `npm run test:logs` has the patience. */
const isWhole = process.env['CARILLON_TEST_WHOLE'] === '1'
const chosen = isWhole ? specs : specs.filter((file) => !/scheduler|interest-rate-swap/.test(file))
const without = isWhole ? [] : ['--grep', 'in an hour', '--invert']

const runOn = (address: string): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [
        'node_modules/mocha/bin/mocha.js',
        '--require',
        'test/log/useLog.ts',
        '--reporter',
        'dot',
        ...without,
        ...chosen,
      ],
      { cwd: root, env: { ...process.env, CARILLON_TEST_LOG: address } },
    )
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.on('close', (code) => resolve({ code, said }))
  })

const expectToPass = async (address: string): Promise<void> => {
  const { code, said } = await runOn(address)
  expect(code, said).to.equal(0)
  expect(Number(/(\d+) passing/.exec(said)?.[1]), said).to.be.greaterThan(20)
}

describe('The heartbeat, the swap and the restarts hold on every log', function () {
  this.timeout(isWhole ? 1_200_000 : 180_000)

  it('in memory', () => expectToPass('memory'))
  it('in SQLite', () => expectToPass('sqlite'))
  it('in PostgreSQL', async () => expectToPass(await postgresUrl()))
  it('in EventStoreDB', async () => {
    const real = process.env['ESDB_URL']
    if (real !== undefined && real !== '') return expectToPass(real)
    const cluster = await Cluster.start()
    try {
      await expectToPass(cluster.url('log'))
    } finally {
      await cluster.close()
    }
  })
})
