import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endRuns, runSample, type SampleRun } from '../shared/test/runSample.js'

const main = join(import.meta.dirname, 'main.ts')

describe('npm run sample:heartbeat', function () {
  let store: string
  const runs: SampleRun[] = []

  const start = (...args: readonly string[]): SampleRun => {
    const run = runSample(main, '--store', store, ...args)
    runs.push(run)
    return run
  }

  const beatsIn = (output: string): readonly number[] =>
    [...output.matchAll(/♥ beat +(\d+)/g)].map(([, beat]) => Number(beat))

  beforeEach(() => {
    store = mkdtempSync(join(tmpdir(), 'carillon-heartbeat-'))
  })

  afterEach(async () => {
    await endRuns(runs)
    rmSync(store, { recursive: true, force: true })
  })

  it('starts a heart, shows its beats, and stops after as many as it was told, without colours in a pipe', async () => {
    const run = start('--interval', '100', '--beats', '3')
    expect(await run.ended).to.equal(0)
    expect(run.output()).to.contain('A heart named Emmanuel has been started.')
    expect(beatsIn(run.output()).slice(0, 3)).to.deep.equal([1, 2, 3])
    expect(run.output()).to.match(/npx carillon why [0-9a-f]{12}:0 --store/)
    expect(run.output()).not.to.contain('\u001b')
  })

  it('survives kill -9: the next start finds the heart and makes up for what it missed, in order', async () => {
    const first = start('--interval', '200')
    await first.says(/beat +3/)
    first.child.kill('SIGKILL')
    expect(await first.ended).to.equal('SIGKILL')
    const last = beatsIn(first.output()).at(-1)!
    // An outage takes real time: long enough for several beats to be missed, however fast the machine is.
    await new Promise((resolve) => setTimeout(resolve, 2_000))

    const second = start()
    await second.says(/missed beats made up for/)
    second.child.kill('SIGINT')
    expect(await second.ended).to.equal(0)
    expect(second.output()).to.contain('Here is Emmanuel again')
    expect(second.output()).to.match(/It was away: \d+ beats fell due since/)
    // A beat may have been recorded in the moment of the kill and not been told; none is lost or told twice.
    const told = beatsIn(second.output())
    expect(told[0]).to.be.oneOf([last + 1, last + 2])
    expect(told.slice(0, 5)).to.deep.equal([0, 1, 2, 3, 4].map((after) => told[0]! + after))
  })

  it('ends in good order when it is asked to, and the heart only when that is asked', async () => {
    const run = start('--interval', '60000')
    await run.says(/In another terminal/)
    run.child.kill('SIGTERM')
    expect(await run.ended).to.equal(0)
    expect(run.output()).to.contain('Stopped after 0 beats. The heart is not stopped for good')
    // What it says to type is about the heart that it was about.
    expect(run.output()).to.contain(`npm run sample:heartbeat -- --store ${store}\n`)
    expect(run.output()).to.contain(`npm run sample:heartbeat -- --stop --store ${store}\n`)

    const stopped = start('--stop')
    expect(await stopped.ended).to.equal(0)
    expect(stopped.output()).to.contain('Emmanuel has stopped')
  })

  it('says what is wrong in a sentence, not in a stack', async () => {
    const first = start('--interval', '60000')
    await first.says(/In another terminal/)
    const second = start()
    const third = start('--beats', 'many')
    expect(await second.ended).to.equal(1)
    expect(second.output()).to.match(/The store .* is held by process \d+/)
    expect(await third.ended).to.equal(1)
    expect(third.output()).to.equal('--beats takes a whole number from 1, not many\n')
  })

  it('refuses an interval that would end beyond the calendar, before it starts a heart', async () => {
    const run = start('--interval', '9007199254740991')
    expect(await run.ended).to.equal(1)
    expect(run.output()).to.equal('--interval takes a whole number from 1 to 31557600000, not 9007199254740991\n')
    const stopped = start('--stop')
    expect(await stopped.ended).to.equal(0)
    expect(stopped.output()).to.contain('There is no heart to stop.')
  })
})
