/** What a network of parties promises, whatever happens to its nodes and between them. */
import { join } from 'node:path'
import { expect } from 'chai'
import { carillon } from '../cli/spawnCarillon.js'

const seeds = 50

describe('Five parties and a notary, whatever befalls them', () => {
  // By the command, because it shares the seeds out among the cores: npm run test:network -- --seeds 1000 runs more.
  it(`agree in the end, spend nothing twice and leave nothing stuck: ${seeds} seeds`, async () => {
    const market = join(import.meta.dirname, 'marketSimulation.ts')
    const { stdout, stderr, code } = await carillon(['simulate', market, '--seeds', String(seeds), '--stop-at-first'])
    expect(stderr).to.equal('')
    expect(stdout).to.match(/^50 histories in .* every invariant held\.\nBoundaries met: .*\.\n$/)
    expect(code).to.equal(0)
    const [, transactions] = /([\d,]+) transactions/.exec(stdout) ?? []
    expect(Number(transactions?.replaceAll(',', '')), 'transactions: something got done').to.be.greaterThan(seeds * 10)
  }).timeout(900_000)
})
