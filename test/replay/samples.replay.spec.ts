/** Logs of the samples, recorded when a version was released: whatever has changed since must still agree with them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeReplay } from 'carillon/testing'
import { recordings } from './recordings.js'

const versions = readdirSync(import.meta.dirname).filter((name) => /^\d+\.\d+\.\d+$/.test(name))

describe('The recorded logs', () => {
  it('are kept for at least one version, and for every sample that is recorded', () => {
    expect(versions).not.to.be.empty
    const last = versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? ''
    expect(readdirSync(join(import.meta.dirname, last)).sort()).to.deep.equal(Object.keys(recordings).sort())
  })
})

for (const version of versions)
  for (const sample of readdirSync(join(import.meta.dirname, version))) {
    const recording = recordings[sample]
    if (recording === undefined) throw new Error(`No recording is known for ${version}/${sample}`)
    describeReplay(`The log of ${sample} in version ${version}`, {
      folder: join(import.meta.dirname, version, sample),
      app: recording.app(),
    })
  }
