/** `npx carillon` in a clone of the repository: npm installs the clone as a package of its own first. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const repository = join(import.meta.dirname, '../..')

type Manifest = { readonly scripts: Readonly<Record<string, string>> }

/** A clone with the scripts of this one, a build that says its name, and another one to make. */
const clone = (root: string): void => {
  mkdirSync(join(root, 'dist/cli'), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  const main = "#!/usr/bin/env node\nconsole.log('built', process.argv[2])\n"
  writeFileSync(join(root, 'dist/cli/main.js'), main, { mode: 0o755 })
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Manifest
  const build = `node -e "fs.writeFileSync('built-anew', '')"`
  const bin = { carillon: './dist/cli/main.js' }
  const manifest = {
    name: 'carillon',
    version: '1.0.0',
    type: 'module',
    bin,
    scripts: { ...scripts, 'build:runnable': build },
  }
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest))
}

describe('the command in a clone', () => {
  const root = mkdtempSync(join(tmpdir(), 'carillon-clone-'))
  before(() => {
    clone(root)
  })
  after(() => {
    rmSync(root, { recursive: true })
  })

  it('is the build that is there, also at the first call, which builds nothing', async () => {
    const { stdout } = await promisify(execFile)('npx', ['carillon', 'status'], { cwd: root })
    expect(stdout).to.equal('built status\n')
    expect(existsSync(join(root, 'built-anew'))).to.equal(false)
  })

  it('is part of a package that runs nothing when it is installed', () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Manifest
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts).to.not.have.property(name)
  })
})
