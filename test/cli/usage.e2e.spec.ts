import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { carillon, scratchFolder } from './spawnCarillon.js'

describe('the command line', function () {
  const { folder, remove } = scratchFolder()
  after(remove)

  it('shows help with an example for every verb, on stdout, and ends well', async () => {
    const verbs = [[], ['agenda'], ['log', 'export']]
    const helps = await Promise.all(verbs.map((verb) => carillon([...verb, '--help'])))
    for (const { code, stdout, stderr } of helps) {
      expect(code).to.equal(0)
      expect(stdout).to.match(/Examples?:\n {2}\$ carillon /)
      expect(stderr).to.equal('')
    }
  })

  it('answers what it does not understand with code 2 and the help to look at', async () => {
    const wrong = [['agendum'], ['agenda', '--limit', '0'], ['flow', 'kil']]
    const answers = await Promise.all(wrong.map((args) => carillon(args)))
    for (const { code, stdout, stderr } of answers) {
      expect(code).to.equal(2)
      expect(stdout).to.equal('')
      expect(stderr).to.match(/^error\[usage\]: .* Try: carillon.* --help\nsee docs\/errors\/usage\.md\n$/)
    }
  })

  it('refuses a folder without a store, and makes none', async () => {
    const asked = [['status'], ['log', 'verify'], ['drain', 'start']]
    const answers = await Promise.all(
      asked.map((args) => carillon(args, { env: { CARILLON_STORE: join(folder, 'none') } })),
    )
    for (const { code, stderr } of answers) {
      expect(code).to.equal(1)
      expect(stderr).to.match(/^error\[store-not-found\]: There is no store in .*none/)
    }
  })

  it('says what it found where it looked for an app', async () => {
    const noApp = join(folder, 'noApp.mjs')
    const broken = join(folder, 'broken.mjs')
    writeFileSync(noApp, 'export const apps = []\n')
    writeFileSync(broken, 'throw new Error("no luck")\n')
    const [missing, empty, thrown] = await Promise.all(
      [join(folder, 'missing.ts'), noApp, broken].map((file) => carillon(['run', file, '--store', join(folder, 'x')])),
    )
    for (const ended of [missing, empty, thrown]) expect(ended?.code).to.equal(1)
    expect(missing?.stderr).to.match(/^error\[app-not-loadable\]: .*there is no such file/)
    expect(empty?.stderr).to.match(/^error\[app-not-loadable\]: .*It exports apps \(array\)/)
    expect(thrown?.stderr).to.match(/^error\[app-not-loadable\]: .*no luck\n {4}at .*broken\.mjs/)
  })

  it('stops at once at the second signal, whatever the app is still waiting for', async () => {
    const stubborn = join(import.meta.dirname, 'fixtures/stubborn.ts')
    const store = join(folder, 'stubborn')
    const { code, stderr } = await carillon(['run', stubborn, '--store', store])
    expect(stderr).to.match(/SIGTERM: stopping …\nStopped at once\./)
    expect(code).to.equal(128 + 15)
    expect((await carillon(['log', 'verify', '--store', store])).code).to.equal(0)
  })
})
