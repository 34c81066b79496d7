import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { kept, type Making } from '../../bench/kept.js'
import type { Bench } from '../../bench/Workload.js'

describe('what the benchmarks keep', () => {
  let keptFolder: string
  let told: string[]

  beforeEach(() => {
    keptFolder = mkdtempSync(join(tmpdir(), 'carillon-kept-spec-'))
    told = []
  })

  afterEach(() => {
    rmSync(keptFolder, { recursive: true, force: true })
  })

  const bench = (): Bench => ({ quick: true, folder: '', keptFolder, tell: (line) => told.push(line) })
  const fill = ({ folder }: Making): Promise<void> => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'whole'), '')
    return Promise.resolve()
  }

  it('is made once', async () => {
    let times = 0
    const make = (making: Making): Promise<void> => {
      times++
      return fill(making)
    }
    expect(await kept(bench(), 'store', 1, make)).to.equal(await kept(bench(), 'store', 1, make))
    expect(times).to.equal(1)
  })

  it('does not count when its making was cut short, and is made anew', async () => {
    const cutShort = async (making: Making): Promise<void> => {
      await fill(making)
      writeFileSync(join(making.folder, 'half'), '')
      throw new Error('cut short')
    }
    const outcome = await kept(bench(), 'store', 1, cutShort).catch((error: unknown) => error)
    expect(outcome).to.be.an('error').with.property('message', 'cut short')
    expect(existsSync(join(keptFolder, 'store'))).to.equal(false)
    expect(readdirSync(await kept(bench(), 'store', 1, fill))).to.deep.equal(['whole'])
  })

  it('is refused before anything is made when the disk has no room for it', async () => {
    const outcome = await kept(bench(), 'store', 1e18, fill).catch((error: unknown) => error)
    expect(outcome)
      .to.be.an('error')
      .with.property('message')
      .that.matches(/store needs about 1000000000\.0 GB/)
    expect(readdirSync(keptFolder)).to.deep.equal([])
  })

  it('says beforehand what a large one needs, and tells every tenth once', async () => {
    await kept(bench(), 'store', 3e8, (making) => {
      for (const share of [0.04, 0.11, 0.12, 0.35, 1]) making.progress(share)
      return fill(making)
    })
    expect(told[0]).to.match(/Making store .* about 0\.3 GB/)
    expect(told.slice(1).map((line) => /\d+ %/.exec(line)?.[0])).to.deep.equal(['10 %', '30 %'])
  })
})
