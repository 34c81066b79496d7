import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { CarillonError } from '../errors/CarillonError.js'
import { newApp } from './newApp.js'

describe('newApp', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'carillon-new-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const codeOf = (name: string): string | undefined => {
    try {
      newApp(name, folder)
      return undefined
    } catch (error) {
      return error instanceof CarillonError ? error.code : String(error)
    }
  }

  it('takes a folder that is new or empty, and no other', () => {
    mkdirSync(join(folder, 'empty'))
    expect(codeOf('empty')).to.equal(undefined)
    expect(codeOf('fresh')).to.equal(undefined)
    mkdirSync(join(folder, 'full'))
    writeFileSync(join(folder, 'full', 'precious.txt'), 'mine')
    expect(codeOf('full')).to.equal('folder-not-empty')
    expect(readdirSync(join(folder, 'full'))).to.deep.equal(['precious.txt'])
  })

  it('refuses names that could not name a folder, a package and a state alike', () => {
    for (const name of ['Plants', '../plants', 'a_b', '-a', 'a-', 'a--b', '1a', '', 'carillon', 'a'.repeat(65)])
      expect(codeOf(name), name).to.equal('usage')
    expect(readdirSync(folder)).to.deep.equal([])
  })
})
