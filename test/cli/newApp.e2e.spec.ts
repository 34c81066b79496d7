import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { carillon, documents, isBuilt, scratchFolder } from './spawnCarillon.js'

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
  const app = join(folder, 'water-plants')
  after(remove)

  before(async () => {
    // As published: what is not in the build is not in the package.
    if (!isBuilt()) await execute('npm', ['run', '--silent', 'build'], { cwd: root })
  })

  it('makes an app whose types check and whose tests pass', async () => {
    const made = await carillon(['new', 'water-plants', '--json'], { cwd: folder, built: true })
    expect(made.code, made.stderr).to.equal(0)
    expect(documents(made.stdout)[0]?.['files']).to.deep.equal([
      '.gitignore',
      'README.md',
      'package.json',
      'src/water-plants.ts',
      'test/water-plants.spec.ts',
      'tsconfig.json',
    ])
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const written = readFileSync(join(app, 'package.json'), 'utf8')
    expect(JSON.parse(written)).to.have.nested.property('dependencies.carillon', version)
    install(app)
    // The environment of these specs must not leak in: the app stands on its own.
    const env = { PATH: process.env['PATH'] }
    const [, tests] = await Promise.all([
      execute(process.execPath, [join(app, 'node_modules/typescript/bin/tsc')], { cwd: app, env }),
      execute(process.execPath, [join(app, 'node_modules/mocha/bin/mocha.js')], { cwd: app, env }),
    ])
    expect(tests.stdout).to.contain('3 passing')
  })

  it('makes an app that the command can run, reading its TypeScript with its own tsx', async () => {
    writeFileSync(
      join(app, 'src/stops.ts'),
      "export { app } from './water-plants.js'\nexport const onStart = () => { process.kill(process.pid, 'SIGTERM') }\n",
    )
    const ran = await carillon(['run', 'src/stops.ts', '--json'], { cwd: app, built: true })
    expect(ran.code, ran.stderr).to.equal(0)
    expect(documents(ran.stdout).map(({ event }) => event)).to.deep.equal(['started', 'stopped'])
  })
})
