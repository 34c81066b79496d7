import { join } from 'node:path'
import { expect } from 'chai'
import { carillon, RunningNode, scratchFolder } from '../cli/spawnCarillon.js'

const registryApp = join(import.meta.dirname, '../../samples/recurring-tasks/node.ts')

describe('recurring tasks from the command line', function () {
  const { folder, remove } = scratchFolder()
  after(remove)
  const store = join(folder, 'tasks')
  const tasks = (...words: readonly string[]) => carillon(['tasks', ...words, '--store', store])
  const run = (slot: string) =>
    RunningNode.begin(['run', registryApp, '--store', store, '--no-http'], { env: { SLOT_SECONDS: slot } })
  const isUp = (stdout: string): boolean => stdout.includes('Slots of 3 s.')

  it('shows a task run while other terminals ask the same node', async () => {
    const node = run('3')
    await node.until(isUp)
    expect(await tasks('endow', 'ada', '1000000')).to.deep.equal({ code: 0, stdout: 'ada has 1000000.\n', stderr: '' })
    const booked = await tasks('schedule', 'tea', 'next', '--as', 'ada', '--message', 'it is ready')
    expect(booked.stdout, booked.stderr).to.match(/^Booked/)
    await node.until((stdout) => /Notify {2}ada .* it is ready[^]*TaskCompleted/.test(stdout))
    expect((await tasks('events', '--owner', 'ada')).stdout).to.match(/TaskScheduled[^]*TaskExecuted[^]*TaskCompleted/)
    expect((await tasks('balances')).stdout).to.equal('ada  988000\ntreasury  12000\n')
    expect((await node.signal('SIGTERM')).code).to.equal(0)
  })

  it('says in words what is wrong, keeps the length of its slots, and refuses one that makes no sense', async () => {
    const before = await tasks('list')
    expect(before).to.include({ code: 2, stdout: '' })
    expect(before.stderr).to.include('no node runs on')
    const node = run('60')
    await node.until(isUp)
    expect((await tasks('list')).stdout).to.equal('There are no tasks.\n')
    for (const [words, answer] of [
      [['slots', '--count', 'many'], '"many", expected a whole number'],
      [['endow', 'ada', '1e3'], '"1e3", expected a whole number'],
      [
        ['schedule', 'tea', 'tomorrow', '--as', 'ada'],
        '"tomorrow" is no free slot, and neither Unix seconds nor an instant',
      ],
      [['schedule', 'tea', 'next', '--as', 'ben'], 'InsufficientBalance. The account cannot pay.'],
      [['shedule'], "unknown command 'shedule'"],
      [['list', '--ownr', 'ada'], "unknown option '--ownr'"],
    ] as const) {
      const { code, stderr } = await tasks(...words)
      expect(stderr).to.include(answer)
      expect(stderr).to.not.match(/^ +at /m)
      expect(code, answer).to.be.oneOf([1, 2])
    }
    const second = await run('3').ended
    expect(second.stderr).to.match(/is held by process \d+/)
    expect((await node.signal('SIGTERM')).code).to.equal(0)
    const wrong = await run('an hour').ended
    expect(wrong.code).to.not.equal(0)
    expect(wrong.stderr).to.include('SLOT_SECONDS=an hour: a slot has between 1 and 999999 whole seconds.')
  })
})
