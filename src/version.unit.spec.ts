import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { carillonVersion } from './version.js'

describe('The version that a log names', () => {
  it('is the one of the package', () => {
    const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    const { version } = JSON.parse(text) as { readonly version: string }
    expect(carillonVersion).to.equal(version)
  })
})
