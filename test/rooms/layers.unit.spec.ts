/** The layer check of the test command refuses an import that is planted against the order of the rooms. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')

/** The names of the rules that small sources break: each file with the files that it imports. */
const brokenRules = (files: Readonly<Record<string, readonly string[]>>): readonly string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-layers-'))
  try {
    for (const name of ['.dependency-cruiser.js', 'tsconfig.json', 'package.json'])
      cpSync(join(root, name), join(folder, name))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const [file, imports] of Object.entries(files)) {
      const path = join(folder, 'src', `${file}.ts`)
      mkdirSync(dirname(path), { recursive: true })
      const up = '../'.repeat(file.split('/').length - 1) || './'
      const lines = imports.map((other, index) => `import { a as a${index} } from '${up}${other}.js'`)
      writeFileSync(path, `${lines.join('\n')}\nexport const a = [${imports.map((_, index) => `a${index}`).join()}]\n`)
    }
    const depcruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
    const args = [depcruise, '--config', '.dependency-cruiser.js', '--output-type', 'err', 'src']
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    expect(stderr).to.equal('')
    return [...stdout.matchAll(/error ([a-z-]+):/giu)].map(([, rule = '']) => rule)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('An import that is planted', () => {
  it('is accepted when it leads to a room before', () => {
    expect(
      brokenRules({ 'agenda/one': ['vault/two', 'ledger/three'], 'vault/two': ['ledger/three'], 'ledger/three': [] }),
    ).to.be.empty
  })

  it('is refused when it leads to a later room', () => {
    const broken = brokenRules({
      'vault/one': ['agenda/two'],
      'agenda/two': [],
      'ledger/one': ['log/two'],
      'log/two': [],
    })
    expect(broken).to.have.members(['room-vault', 'room-ledger'])
  })

  it('is refused in one direction at least when two rooms import each other, through whichever files', () => {
    const files = { 'flow/one': ['session/two'], 'session/two': [], 'session/three': ['flow/four'], 'flow/four': [] }
    expect(brokenRules(files)).to.deep.equal(['room-flow'])
  })

  it('is refused when a rule of the inner rooms asks storage', () => {
    expect(brokenRules({ 'engine/one': ['storage/two'], 'storage/two': [] })).to.deep.equal(['room-engine'])
  })

  it('is refused when the model asks what it is compared with', () => {
    const imports = ['vault/two', 'engine/three', 'log/decodeEvent']
    const files = { 'model/one': imports, 'vault/two': [], 'engine/three': [], 'log/decodeEvent': [] }
    expect(brokenRules(files)).to.deep.equal(['room-model', 'room-model', 'room-model'])
  })

  it('is refused when it stands in a folder that is no room', () => {
    expect(brokenRules({ 'utils/one': ['ledger/two'], 'ledger/two': [] })).to.deep.equal(['room-unknown'])
  })
})
