import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { carillon, fixtureApp } from './spawnCarillon.js'

const root = resolve(import.meta.dirname, '../..')

describe('carillon simulate', function () {
  this.timeout(120_000)

  it('lives through random histories of any app, without anything written for it', async () => {
    const runs = [fixtureApp, join(root, 'samples/heartbeat/app.ts')].map((app) =>
      carillon(['simulate', app, '--seeds', '2', '--actions', '8']),
    )
    for (const { code, stdout, stderr } of await Promise.all(runs)) {
      expect(stderr).to.equal('')
      expect(stdout).to.match(/^2 histories in .*: .* events, .* every invariant held\.\n$/)
      expect(code).to.equal(0)
    }
  })
})
