import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { drawCurves, sweeps } from '../../bench/curves/drawCurves.js'
import { lineChartSvg } from '../../bench/curves/LineChart.js'

describe('the curves of the benchmarks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-curves-spec-'))

  after(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  // One size is enough where each needs a process of its own; two show that a sweep goes on.
  const sizesOf = (name: string): readonly number[] => (name === 'states' ? [20, 60] : [30])

  for (const sweep of sweeps)
    it(`${sweep.name} is measured and drawn, with its data beside it`, async () => {
      const outFolder = join(folder, sweep.name)
      const keptFolder = join(folder, 'kept')
      const sizes = sizesOf(sweep.name)
      await drawCurves([sweep], { quick: true, keptFolder, sizes, outFolder, machine: {} })
      const data = JSON.parse(readFileSync(join(outFolder, 'curves.json'), 'utf8')) as Record<
        string,
        { readonly points: readonly { readonly size: number; readonly values: object }[] }
      >
      expect(data[sweep.name]?.points.map(({ size }) => size)).to.deep.equal(sizes)
      for (const [name, { series }] of Object.entries(sweep.charts)) {
        const svg = readFileSync(join(outFolder, `${name}.svg`), 'utf8')
        expect(svg.match(/<circle/g)).to.have.length(sizes.length * series.length)
        expect(svg).to.not.contain('NaN')
      }
    })

  it('place a line that does not grow at one height, and escape what is written on them', () => {
    const svg = lineChartSvg({
      title: 'a < b',
      of: 'things',
      unit: 'ms',
      series: { flat: [10, 100, 1_000].map((size) => ({ size, value: 4 })) },
    })
    expect(svg).to.contain('a &lt; b')
    const heights = [...svg.matchAll(/<circle[^>]* cy="([^"]+)"/g)].map(([, y]) => y)
    expect(new Set(heights)).to.have.length(1)
  })
})
