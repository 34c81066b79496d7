import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { carillonVersion } from './logFormat.js'

describe('the version that a log names', () => {
  it('is that of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      readonly version: string
    }
    expect(carillonVersion).to.equal(version)
  })
})
