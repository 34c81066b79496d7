/** What the specs of the scheduler and of flows make a node do, held against the model tick by tick. */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')

const specsIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((file) => /\.(int|sim)\.spec\.ts$/.test(file))
    .map((file) => join(folder, file))

const run = (specs: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((resolve) => {
    const mocha = ['node_modules/mocha/bin/mocha.js', '--require', 'test/model/watchNodes.ts', '--reporter', 'dot']
    const child = spawn(process.execPath, [...mocha, ...specs], { cwd: root })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.on('close', (code) => resolve({ code, said }))
  })

describe('A node that the specs put to the test', () => {
  it('does in every tick what the model predicts, and has its rows', async () => {
    const { code, said } = await run(['test/scheduler', 'test/flow', 'test/recurring'].flatMap(specsIn))
    expect(code, said).to.equal(0)
    expect(Number(/(\d+) passing/.exec(said)?.[1]), said).to.be.greaterThan(200)
  })
})
