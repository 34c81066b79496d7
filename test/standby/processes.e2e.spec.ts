import { expect } from 'chai'
import { dropSchema, freshSchema, postgresUrl } from '../postgres/testDatabase.js'
import { judge } from './judge.js'
import { NodeProcesses } from './NodeProcesses.js'

describe('Real processes of one node on PostgreSQL', function () {
  it('lose nothing and start nothing twice while their leaders are killed and stopped', async () => {
    const url = await postgresUrl()
    const schema = freshSchema()
    const address = new URL(url)
    address.searchParams.set('schema', schema)
    const processes = new NodeProcesses(address.href, 1_500)
    try {
      processes.start()
      processes.start()
      await processes.acknowledgedMore(5)
      for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
        await processes.replaceLeader(signal)
        await processes.acknowledgedMore(5)
      }
    } finally {
      await processes.end()
    }
    const verdict = await judge(address.href, processes.acknowledged)
    expect(verdict.problems, processes.problems.join('\n')).to.deep.equal([])
    expect(verdict.terms).to.be.greaterThan(2)
    expect(verdict.starts).to.be.greaterThan(20)
    await dropSchema(url, schema)
  })
})
