import { expect } from 'chai'
import { join } from 'node:path'
import { endRuns, runSample, type SampleRun } from '../shared/test/runSample.js'

describe('npm run sample:chores', function () {
  const runs: SampleRun[] = []
  afterEach(async () => {
    await endRuns(runs)
  })

  it('shows three weeks with a crash, in which every run succeeds and the interrupted one begins again', async () => {
    const run = runSample(join(import.meta.dirname, 'main.ts'))
    runs.push(run)
    expect(await run.ended).to.equal(0)
    const output = run.output()
    expect(output).to.match(/^2026-01-05T00:10\S+ {2}Bela has answered, Carol has not answered:$/m)
    expect(output).to.contain("Carol's node came back after ten minutes: Bela has answered, Carol has answered.")
    const after = output.slice(output.indexOf('three weeks are over:'))
    for (const [chore, runs] of [
      ['refresh-voting-power', 3],
      ['archive-proposals', 21],
      ['confirm-following', 1],
    ] as const)
      expect(after).to.match(new RegExp(`^ {2}${chore} .*; ${runs} of ${runs} runs succeeded`, 'm'))
    const told = after.slice(after.indexOf('from the log:')).match(/run 2 {2}\S+( \S+)?/g) ?? []
    expect(told.map((line) => line.slice(7))).to.deep.equal([
      ...['run-started', 'task-started refresh-0', 'task-completed refresh-0', 'task-started refresh-1'],
      ...['task-failed refresh-1:', 'run-restarted', 'task-started refresh-0', 'task-completed refresh-0'],
      ...['task-started refresh-1', 'task-failed refresh-1:', 'task-started refresh-2', 'task-completed refresh-2'],
      'run-completed',
    ])
  })
})
