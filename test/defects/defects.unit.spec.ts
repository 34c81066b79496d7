/** The seeded defects fit the sources they are made for, and the table in the docs is about them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { actsInTime, ticksAsPredicted, viewsOfModel } from '../../src/testing/simulation/invariants/model.js'
import { defects } from './defects.js'
import { hunt } from './huntDefect.js'
import { page } from './table.js'

const root = join(import.meta.dirname, '../..')

describe('The seeded defects', () => {
  it('are at least twenty, each a change of a text that stands exactly once in its file', () => {
    expect(defects).to.have.length.at.least(20)
    const unfit = defects.filter(({ file, find }) => readFileSync(join(root, file), 'utf8').split(find).length !== 2)
    expect(unfit.map(({ name }) => name)).to.deep.equal([])
  })

  it('leave their files readable', () => {
    const broken = defects.flatMap(({ name, file, find, replace }) => {
      const text = readFileSync(join(root, file), 'utf8').replace(find, () => replace)
      try {
        transformSync(text, { loader: 'ts' })
        return []
      } catch (error) {
        return [`${name}: ${String(error)}`]
      }
    })
    expect(broken).to.deep.equal([])
  })

  it('are all in the table of the docs, each found', () => {
    const rows = readFileSync(join(root, page), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    expect(rows.map((row) => row.split('`')[1])).to.deep.equal(defects.map(({ name }) => name))
    expect(rows.filter((row) => row.includes('not found'))).to.deep.equal([])
  })

  for (const name of ['acknowledge-before-commit', 'recheck-skipped', 'unasked-recorded', 'any-finality'])
    it(`are found by the simulator: ${name}`, async () => {
      const defect = defects.find((one) => one.name === name)
      const result = await hunt(defect!, 5)
      expect(result.found, `after ${result.histories} histories`).not.to.equal(undefined)
    })

  for (const [name, { name: invariant }] of [
    ['lateness-rounded', ticksAsPredicted],
    ['netting-forgotten', viewsOfModel],
    ['wake-too-late', actsInTime],
  ] as const)
    it(`are found by the model: ${name}`, async () => {
      const defect = defects.find((one) => one.name === name)
      const result = await hunt(defect!, 5)
      expect(result.found?.invariant, `after ${result.histories} histories`).to.equal(invariant)
    })
})
