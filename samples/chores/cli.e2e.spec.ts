import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'

const run = (store: string, args: readonly string[]): ChildProcess =>
  spawn(
    process.execPath,
    ['--conditions=carillon-source', '--import', 'tsx', 'samples/chores/cli.ts', '--store', store, ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )

const ended = (child: ChildProcess): Promise<{ readonly code: number | null; readonly text: string }> =>
  new Promise((resolve) => {
    let text = ''
    const hear = (chunk: Buffer) => (text += chunk.toString('utf8'))
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.on('close', (code) => resolve({ code, text }))
  })

describe('the chores from the command line', () => {
  const store = mkdtempSync(join(tmpdir(), 'carillon-chores-spec-'))
  const chores = (...args: readonly string[]) => ended(run(store, args))

  after(() => {
    rmSync(store, { recursive: true, force: true })
  })

  it('are run by one process and controlled by others, until a signal stops it in good order', async () => {
    const node = run(store, ['run'])
    const over = ended(node)
    await new Promise((resolve) => node.stdout?.once('data', resolve))

    expect((await chores('--as', 'caretaker', 'interval', 'archive-proposals', '60')).text).to.contain('is recorded')
    const listed = await chores('--json', 'list')
    const [first, second] = listed.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(first).to.include({ choreId: 'refresh-voting-power', lifecycle: 'Stopped' })
    expect(second).to.include({ choreId: 'archive-proposals', intervalSeconds: 60 })

    node.kill('SIGTERM')
    expect((await over).code).to.equal(0)
  }).timeout(120_000)
})
