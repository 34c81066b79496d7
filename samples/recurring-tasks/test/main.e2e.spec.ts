import { expect } from 'chai'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const main = join(import.meta.dirname, '..', 'main.ts')

type Run = {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>
  readonly says: (pattern: RegExp) => Promise<void>
}

describe('npm run sample:tasks', () => {
  let folder: string
  const running = new Set<ChildProcess>()

  const start = (...words: readonly string[]): Run => {
    const node = ['--conditions=carillon-source', '--import', 'tsx', main, '--store', join(folder, 'store')]
    const child = spawn(process.execPath, [...node, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    let text = ''
    let listener = (): void => undefined
    const hear = (chunk: Buffer): void => {
      text += chunk.toString('utf8')
      listener()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    const ended = new Promise<{ readonly code: number | null; readonly text: string }>((resolve) => {
      child.on('close', (code) => {
        running.delete(child)
        resolve({ code, text })
      })
    })
    const says = (pattern: RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        listener = () => {
          if (pattern.test(text)) resolve()
        }
        listener()
        void ended.then(() => reject(new Error(`it ended without saying ${pattern.source}:\n${text}`)))
      })
    return { child, ended, says }
  }
  const done = (...words: readonly string[]) => start(...words).ended

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-tasks-'))
  })
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  it('shows a task run while other terminals ask the same node', async () => {
    const run = start('--slot', '3', 'run')
    await run.says(/Slots of 3 s/)
    expect(await done('endow', 'ada', '1000000')).to.deep.equal({ code: 0, text: 'ada has 1000000.\n' })
    expect((await done('schedule', 'tea', 'next', '--as', 'ada', '--message', 'it is ready')).text).to.match(/^Booked/)
    await run.says(/Notify {2}ada .* it is ready/)
    await run.says(/TaskCompleted/)
    expect((await done('events', '--owner', 'ada')).text).to.match(/TaskScheduled[^]*TaskExecuted[^]*TaskCompleted/)
    expect((await done('balances')).text).to.equal('ada  988000\ntreasury  12000\n')
    run.child.kill('SIGTERM')
    expect((await run.ended).code).to.equal(0)
  })

  it('answers without a node, too, and says in words what is wrong', async () => {
    expect((await done('list')).text).to.equal('There are no tasks.\n')
    for (const [words, answer] of [
      [['slots', '--count', 'many'], '"many" is not a whole number'],
      [['endow', 'ada', '1e3'], '"1e3" is not a whole number'],
      [['schedule', 'tea', 'tomorrow', '--as', 'ada'], '"tomorrow" is neither Unix seconds nor an instant'],
      [['schedule', 'tea', 'next', '--as', 'ada'], 'InsufficientBalance. The account cannot pay.'],
      [['shedule'], 'There is no verb "shedule"'],
      [['list', '--ownr', 'ada'], "unknown option '--ownr'"],
      [['--slot', 'an hour', 'list'], '--slot an hour'],
    ] as const) {
      const { code, text } = await done(...words)
      expect(text).to.include(answer)
      expect(text).to.not.match(/^ +at /m)
      expect(code).to.equal(1)
    }
  })
})
