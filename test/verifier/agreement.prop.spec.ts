/**
 * What the page on the format of the log promises: whoever writes a verifier from it finds what `carillon log verify`
 * finds, of sound logs and of changed ones. `VERIFIER_SEED` repeats a run; `npm run test:verifier` does more of them.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Chance } from '../../src/testing/simulation/Chance.js'
import { compareVerifiers } from './compareVerifiers.js'
import { bytesOfFile } from './LogFile.js'
import { runCampaign } from './runCampaign.js'
import { writeLog } from './writeLog.js'

const seed = process.env['VERIFIER_SEED'] ?? randomBytes(4).toString('hex')

describe('the two verifiers of the log', () => {
  it('find nothing in logs with changes of keys, joined networks and transactions of several parties', async () => {
    for (let number = 0; number < 50; number++) {
      const bytes = bytesOfFile(writeLog(new Chance(`${seed} sound ${number}`), false))
      const question = { bytes, chunkBytes: 65_536, vouches: true, checkpoints: [] }
      const { answer, disagreement } = await compareVerifiers(question)
      expect(answer.slice(1), `seed ${seed}, log ${number}`).to.deep.equal([])
      expect(disagreement, `seed ${seed}, log ${number}`).to.equal(undefined)
    }
  })

  it('agree on every finding in changed logs', async () => {
    const { cases, found, disagreements } = await runCampaign({ seed, count: 600 })
    expect(disagreements, disagreements.join('\n')).to.deep.equal([])
    expect(cases).to.equal(600)
    // The changes are worth something only if they lead to findings of all kinds.
    const kinds = new Set([...found.keys()].flatMap((text) => text.split(', ')))
    expect([...kinds].sort()).to.include.members(['altered', 'cut-off', 'forged', 'malformed', 'missing', 'reordered'])
  })
})
