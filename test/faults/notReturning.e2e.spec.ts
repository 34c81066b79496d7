import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { programStart } from '../../samples/shared/test/builtPackage.js'

/** As many as the process that loops is given. */
const startsNotReturned = 2

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

describe('code of an app that never returns', () => {
  let scratch: string
  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-loops-'))
  })
  afterEach(() => rmSync(scratch, { recursive: true, force: true }))

  const begin = async (code: string, run: string) => {
    const port = await freePort()
    const child = spawn(
      process.execPath,
      [
        ...[...programStart, join(import.meta.dirname, 'loopingApp.ts')],
        ...[join(scratch, 'store'), code, String(port), run],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let said = ''
    let answered = ''
    child.stderr.on('data', (text: Buffer) => (said += text.toString()))
    child.stdout.on('data', (text: Buffer) => (answered += text.toString()))
    return { child, port, said: () => said, answered: () => answered, ended: once(child, 'exit') }
  }

  for (const code of ['flow', 'contract', 'nextScheduledActivity', 'step'])
    it(`is named in the log and by the health endpoint, and parked after some starts: ${code}`, async function () {
      this.timeout(60_000)
      for (let start = 0; start < startsNotReturned; start++) {
        const { child, port, said, ended } = await begin(code, start === 0 ? 'first' : 'again')
        try {
          while (!said().includes('has not returned')) {
            expect(child.exitCode, said()).to.equal(null)
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
          const subject = code === 'step' ? 'loops/Work' : 'loops/Task'
          expect(said()).to.match(new RegExp(`${code} of ${subject} \\(.+\\) has not returned for \\d+ s`))
          const health = await fetch(`http://127.0.0.1:${port}/health`)
          expect(health.status).to.equal(503)
          expect(await health.json()).to.include({ alive: false, code, name: subject })
        } finally {
          child.kill('SIGKILL')
          await ended
        }
      }
      const { said, answered, ended } = await begin(code, 'again')
      await ended
      const { parked, flows } = JSON.parse(answered() || `{"parked":["${said()}"]}`) as Record<string, string[]>
      if (code === 'step') expect(flows).to.include('loops/Work parked code-not-returning')
      else expect(parked).to.deep.equal(['code-not-returning'])
      expect(flows, 'the other one has run').to.include('loops/Work completed')
    })
})
