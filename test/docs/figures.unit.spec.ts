/** The figures that the README names are those of the files that it names. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './pages.js'

type Figures = Readonly<Record<string, number>>
type Peers = {
  readonly rows: readonly {
    readonly title: string
    readonly cells: Readonly<Record<string, { readonly figures: Figures }>>
  }[]
}
type Baseline = { readonly results: Readonly<Record<string, Readonly<Record<string, { readonly median: number }>>>> }

const read = (file: string): string => readFileSync(join(repository, file), 'utf8')
const { results } = JSON.parse(read('bench/baseline.json')) as Baseline
const ours = (JSON.parse(read('bench/peers/measured.json')) as Peers).rows.find(({ title }) => title === 'Carillon')!

const measured = (workload: string, figure: string): number => results[workload]![figure]!.median
const besidePeers = (workload: string): Figures => ours.cells[workload]!.figures

/** The figure of the row that names these words as its source. */
const inReadme = (source: string): string => {
  const rows = read('README.md')
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes(source))
  expect(rows, source).to.have.lengthOf(1)
  return rows[0]!.split('|')[2]!.trim()
}

describe('The figures of the README', () => {
  it('are those that were measured', () => {
    const { handled = 0 } = besidePeers('burst')
    expect(inReadme('`burst`')).to.equal(`${(Math.round(handled / 1_000) * 1_000).toLocaleString('en')} a second`)
    const [median, worst] = ['durable end p50', 'durable end p99'].map((name) => measured('lateness', name).toFixed(1))
    expect(inReadme('`lateness`')).to.equal(`${median} ms and ${worst} ms`)
    expect([inReadme('`kill-in-burst`'), besidePeers('kill-in-burst')]).to.deep.equal([
      'none',
      { twice: 0, unrun: 0, lost: 0 },
    ])
    const { all = 0 } = besidePeers('restart-overdue')
    expect(inReadme('`restart-overdue`')).to.equal(`${(all / 1_000).toFixed(1)} s`)
    const share = measured('fire-on-postgres', 'against the embedded store')
    expect(inReadme('`fire-on-postgres`')).to.equal(`${Math.round(share * 100)} %`)
  })
})
