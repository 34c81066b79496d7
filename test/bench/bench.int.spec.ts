import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runWorkload } from '../../bench/runWorkload.js'
import { workloads } from '../../bench/workloads.js'

describe('the benchmarks', function () {
  const keptFolder = mkdtempSync(join(tmpdir(), 'carillon-bench-kept-'))

  after(() => {
    rmSync(keptFolder, { recursive: true, force: true })
  })

  for (const workload of workloads) {
    it(`${workload.name} runs and gives figures`, async () => {
      const results = Object.entries(await runWorkload(workload, { quick: true, keptFolder }))
      expect(results).to.not.be.empty
      for (const [figure, { median }] of results) {
        expect(median, figure).to.be.finite
        expect(median, figure).to.be.at.least(0)
      }
    })
  }
})
