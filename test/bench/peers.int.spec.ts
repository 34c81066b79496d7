import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { expect } from 'chai'
import { addedTo, failuresOf, tableOf, type Cell, type Report } from '../../bench/peers/Report.js'
import { workloads } from '../../bench/peers/workloads.js'

const program = join(import.meta.dirname, '..', '..', 'bench', 'peers', 'run.ts')

const reportOf = (rows: Readonly<Record<string, Readonly<Record<string, Cell>>>>): Report => ({
  command: 'npm run bench:peers',
  quick: true,
  machine: { at: '', node: '', cores: 2, cpu: '', loadBefore: 0, diskSync: { p50Ms: 0, p99Ms: 0 } },
  seed: 'none',
  workloads: Object.fromEntries(
    Object.values(rows).flatMap((cells) => Object.keys(cells).map((name) => [name, name] as const)),
  ),
  rows: Object.entries(rows).map(([title, cells]) => ({ title, versions: {}, node: '', settings: [], cells })),
})

const late = (p50: number, p99: number): Cell => ({ figures: { p50, p99 }, fdatasyncP50Ms: 1 })

describe('the comparison with other systems', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-peers-spec-'))
  const out = join(folder, 'peers.json')
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)

  after(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  /** Ours alone: the others are installed by the command only. */
  const start = (...names: readonly string[]): ChildProcessByStdio<null, Readable, null> =>
    spawn(
      process.execPath,
      [
        ...process.execArgv,
        program,
        '--quick',
        '--peers',
        'carillon',
        '--workloads',
        names.join(','),
        '--folder',
        temporary,
        '--out',
        out,
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )

  const written = (): Report => JSON.parse(readFileSync(out, 'utf8')) as Report

  it('shows a system that failed as a dash, and tells a reason that workloads share once', () => {
    const report = reportOf({
      Ours: { lateness: late(1.25, 8), burst: { figures: { handled: 12_345.6 }, fdatasyncP50Ms: 1 } },
      Theirs: { lateness: { failure: 'no server' }, burst: { failure: 'no server' } },
    })
    expect(tableOf(report, workloads).split('\n')).to.deep.equal([
      '| workload                | Ours    | Theirs |',
      '| ----------------------- | ------- | ------ |',
      '| burst: handled, /s      | 12,346  | –      |',
      '| lateness: p50 / p99, ms | 1.3 / 8 | –      |',
    ])
    expect(failuresOf(report)).to.deep.equal(['Theirs, lateness, burst: no server'])
  })

  it('keeps what an earlier report has and a later one has not measured', () => {
    const earlier = reportOf({ Ours: { lateness: late(1, 2) }, Theirs: { lateness: late(3, 4) } })
    const { rows } = addedTo(earlier, reportOf({ Theirs: { lateness: late(5, 6) }, New: { lateness: late(7, 8) } }))
    expect(rows.map(({ title, cells }) => [title, cells['lateness']])).to.deep.equal([
      ['Ours', late(1, 2)],
      ['Theirs', late(5, 6)],
      ['New', late(7, 8)],
    ])
  })

  it('measures ours alone without installing any other', async () => {
    const child = start('burst')
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(child, 'close')
    const text = Buffer.concat(chunks).toString('utf8')
    expect(child.exitCode, text).to.equal(0)
    expect(text).to.match(/\| burst: handled, \/s \| [\d,]+ +\|/)
    expect(written().rows[0]?.cells['burst']).to.have.nested.property('figures.handled').that.is.above(0)
  })

  it('keeps what was measured when it is interrupted, and leaves no process and no file behind', async () => {
    const child = start('schedule-single', 'memory')
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('\nmemory:')) child.kill('SIGINT')
    })
    await once(child, 'close')
    expect(child.exitCode).to.equal(130)
    expect(Object.keys(written().rows[0]?.cells ?? {})).to.deep.equal(['schedule-single'])
    expect(readdirSync(temporary)).to.deep.equal([])
  })
})
