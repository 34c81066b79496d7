import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { CarillonError } from '../errors/CarillonError.js'
import { carillonOrigin } from './carillonOrigin.js'
import { newApp, templateNames, type NewAppOptions } from './newApp.js'

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    return error instanceof CarillonError ? error.code : String(error)
  }
}

describe('newApp', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'carillon-new-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const make = (name: string, options: NewAppOptions = {}) => newApp(name, folder, { carillon: '0.1.0', ...options })
  const read = (...path: readonly string[]): string => readFileSync(join(folder, ...path), 'utf8')
  const manifestOf = (name: string) =>
    JSON.parse(read(name, 'package.json')) as Record<'dependencies' | 'devDependencies', Record<string, string>>

  it('takes a folder that is new or empty, and no other', () => {
    mkdirSync(join(folder, 'empty'))
    expect(codeOf(() => make('empty'))).to.equal(undefined)
    expect(codeOf(() => make('fresh'))).to.equal(undefined)
    mkdirSync(join(folder, 'full'))
    writeFileSync(join(folder, 'full', 'precious.txt'), 'mine')
    expect(codeOf(() => make('full'))).to.equal('folder-not-empty')
    expect(readdirSync(join(folder, 'full'))).to.deep.equal(['precious.txt'])
  })

  it('refuses names that could not name a folder, a package and a state alike', () => {
    for (const name of ['Plants', '../plants', 'a_b', '-a', 'a-', 'a--b', '1a', '', 'carillon', 'a'.repeat(65)])
      expect(
        codeOf(() => make(name)),
        name,
      ).to.equal('usage')
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('brings the packed file along that the app is to use, or names a version', () => {
    const tarball = join(folder, 'carillon-9.9.9.tgz')
    writeFileSync(tarball, 'packed')
    make('plants', { carillon: tarball })
    expect(manifestOf('plants').dependencies['carillon']).to.equal('file:carillon-9.9.9.tgz')
    expect(read('plants', 'carillon-9.9.9.tgz')).to.equal('packed')
    expect(read('plants', 'Dockerfile')).to.contain('COPY package.json package-lock.json carillon-9.9.9.tgz ./')
    make('flowers', { carillon: '^0.1.0' })
    expect(manifestOf('flowers').dependencies['carillon']).to.equal('^0.1.0')
    expect(read('flowers', 'Dockerfile')).to.contain('COPY package.json package-lock.json ./')
    expect(codeOf(() => make('trees', { carillon: join(folder, 'nothing.tgz') }))).to.equal('usage')
    expect(existsSync(join(folder, 'trees'))).to.equal(false)
  })

  it('asks for a driver where Node.js has no SQLite', () => {
    make('old', { nodeVersion: '20.19.0' })
    make('new', { nodeVersion: '22.13.0' })
    expect(manifestOf('old').dependencies).to.have.property('better-sqlite3')
    expect(manifestOf('new').dependencies).to.not.have.property('better-sqlite3')
  })

  for (const template of templateNames)
    it(`fills in everything that the template ${template} asks for`, () => {
      const { files } = make('plants', { template })
      for (const file of ['.dockerignore', '.gitignore'])
        expect(read('plants', file).split('\n'), file).to.include('*.secret')
      for (const file of files) expect(read('plants', file), file).to.not.match(/\{\{|\}\}(?!`)/)
      expect(files).to.deep.equal([
        ...['.dockerignore', '.gitignore', 'AGENTS.md', 'Dockerfile', 'README.md', 'eslint.config.js', 'package.json'],
        ...['plants.service', 'plants.test.ts', 'plants.ts', 'tsconfig.json'],
      ])
    })
})

describe('where a Carillon came from', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'carillon-origin-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const installed = (entry: object): string => {
    mkdirSync(join(folder, 'node_modules/carillon'), { recursive: true })
    const lock = { packages: { 'node_modules/carillon': entry } }
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(lock))
    return join(folder, 'node_modules/carillon')
  }

  it('is the file that npm has installed it from', () => {
    mkdirSync(join(folder, 'packed'))
    const tarball = join(folder, 'packed/carillon-0.1.0.tgz')
    writeFileSync(tarball, '')
    const at = installed({ version: '0.1.0', resolved: 'file:packed/carillon-0.1.0.tgz' })
    expect(carillonOrigin(undefined, at)).to.deep.equal({ tarball })
    rmSync(tarball)
    expect(() => carillonOrigin(undefined, at)).to.throw('no longer there')
  })

  it('is a version, where npm has it from a registry', () => {
    const at = installed({ version: '0.1.0', resolved: 'https://registry.npmjs.org/carillon/-/carillon-0.1.0.tgz' })
    expect(carillonOrigin(undefined, at))
      .to.have.property('version')
      .that.matches(/^\^\d+\.\d+\.\d+/)
  })

  it('is asked for, where nothing says it', () => {
    expect(() => carillonOrigin(undefined, installed({ link: true, resolved: '../clone' }))).to.throw('--package')
    rmSync(join(folder, 'node_modules/.package-lock.json'))
    expect(() => carillonOrigin(undefined, join(folder, 'node_modules/carillon'))).to.throw('--package')
  })

  it('is what was packed in a clone', () => {
    expect(() => carillonOrigin(undefined, folder)).to.throw('npm pack')
  })
})
