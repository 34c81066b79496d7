import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { templateNames } from '../../src/cli/newApp.js'
import { isBuilt } from '../../samples/shared/test/builtPackage.js'
import { carillon, documents, RunningNode, scratchFolder } from './spawnCarillon.js'

const root = resolve(import.meta.dirname, '../..')
const execute = promisify(execFile)

/** What npm install would do, with what is installed here. */
const install = (app: string): void => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = join(app, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(name === 'carillon' ? root : join(root, 'node_modules', name), link)
  }
}

describe('carillon new', function () {
  const { folder, remove } = scratchFolder()
  // The environment of these specs must not leak in: the app stands on its own.
  const env = { PATH: process.env['PATH'] }
  after(remove)

  before(async () => {
    // As published: what is not in the build is not in the package.
    if (!isBuilt()) await execute('npm', ['run', '--silent', 'build'], { cwd: root })
  })

  for (const template of templateNames)
    it(`makes an app of the template ${template} whose types, lint and tests pass`, async () => {
      const made = await carillon(['new', `my-${template}`, '--template', template, '--package', '0.1.0', '--json'], {
        cwd: folder,
        built: true,
      })
      expect(made.code, made.stderr).to.equal(0)
      const app = join(folder, `my-${template}`)
      install(app)
      const tool = (path: string, ...args: readonly string[]) =>
        execute(process.execPath, [join(app, 'node_modules', path), ...args], { cwd: app, env })
      const [, , tests] = await Promise.all([
        execute(process.execPath, [join(root, 'node_modules/typescript-native/bin/tsc')], { cwd: app, env }),
        tool('eslint/bin/eslint.js', '--max-warnings', '0', '.'),
        tool('tsx/dist/cli.mjs', '--test', '--test-reporter', 'tap', `my-${template}.test.ts`),
      ])
      expect(tests.stdout).to.match(/^# fail 0$/m)
      expect(tests.stdout).to.match(/^# pass [34]$/m)
    })

  for (const template of ['deadline', 'recurring'] as const)
    it(`makes an app of the template ${template} that the command can run, reading its TypeScript with its own tsx`, async () => {
      const app = join(folder, `my-${template}`)
      writeFileSync(
        join(app, 'stops.ts'),
        `export { app } from './my-${template}.js'\nexport const onStart = () => { process.kill(process.pid, 'SIGTERM') }\n`,
      )
      const ran = await carillon(['run', 'stops.ts', '--json'], { cwd: app, built: true })
      expect(ran.code, ran.stderr).to.equal(0)
      expect(documents(ran.stdout).map(({ event }) => event)).to.deep.equal(['started', 'stopped'])
    })

  it('makes an app of two parties whose network is made once, and lends by a verb of its own', async () => {
    const cwd = join(folder, 'my-parties')
    const make = [
      'network',
      'new',
      'network',
      '--parties',
      'Alice,Bob',
      '--notary',
      'Notary',
      '--unless-there',
      '--json',
    ]
    const [first] = documents((await carillon(make, { cwd, built: true })).stdout)
    const [second] = documents((await carillon(make, { cwd, built: true })).stdout)
    expect(second?.['members']).to.deep.equal(first?.['members'])
    const network = RunningNode.begin(['network', 'run', 'network', '--app', 'my-parties.ts', '--json'], {
      cwd,
      built: true,
    })
    await network.until((stdout) => stdout.split('"event":"started"').length === 4)
    const asked = await carillon(['loans', 'ask', 'Bob', '500', '1', '--store', 'network/Alice'], { cwd, built: true })
    expect(asked.stdout, asked.stderr).to.equal('Bob has lent you 500 cents.\n')
    await network.until((stdout) => stdout.includes('my-parties/PayBack'))
    expect((await network.signal('SIGTERM')).code).to.equal(0)
  })
})
