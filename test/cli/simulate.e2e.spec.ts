import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { carillon, fixtureApp } from './spawnCarillon.js'

const root = resolve(import.meta.dirname, '../..')
const alarms = join(import.meta.dirname, 'fixtures/alarms.ts')

describe('carillon simulate', function () {
  it('lives through random histories of any app, without anything written for it', async () => {
    const runs = [fixtureApp, join(root, 'samples/heartbeat/app.ts')].map((app) =>
      carillon(['simulate', app, '--seeds', '2', '--actions', '8']),
    )
    for (const { code, stdout, stderr } of await Promise.all(runs)) {
      expect(stderr).to.equal('')
      expect(stdout).to.match(/^2 histories in .*: .* events, .* every invariant held\.\nBoundaries met: .*\.\n$/)
      expect(code).to.equal(0)
    }
  })

  it('shows the shortest history in which an invariant does not hold, and repeats it to the last word', async () => {
    const found = await carillon(['simulate', alarms, '--seeds', '4', '--processes', '2', '--stop-at-first'])
    expect(found.code).to.equal(1)
    expect(found.stderr).to.include('error[simulation-failed]')
    const text = found.stdout.slice(0, found.stdout.indexOf('\n\n'))
    expect(text)
      .to.match(/^Seed \d fails:\n {2}- every alarm is rung: "[a-z]+" of Ann, set for .*, was not rung\n/)
      .and.to.match(/Ann asks for alarms\/Set \{"label":"[a-z]+"\}/)
      .and.to.match(/Ann starts alarms\/Ring \([0-9a-f]{8}\), [\d.]+ \w+ late/)
      .and.to.match(/everything is mended/)
    const repeat = /Repeat it: carillon (.*)$/.exec(text)?.[1]?.split(' ') ?? []
    expect(repeat[0]).to.equal('simulate')
    const again = await carillon(repeat)
    expect(again.code).to.equal(1)
    expect(again.stdout.slice(0, again.stdout.indexOf('\n\n'))).to.equal(text)
  })
})
