import { expect } from 'chai'
import { ServerUnderTest } from '../eventstoredb/serverUnderTest.js'
import { dropSchema, freshSchema, postgresUrl } from '../postgres/testDatabase.js'
import { judge } from './judge.js'
import { NodeProcesses } from './NodeProcesses.js'

/** Kills and stops leaders under load, and judges the log afterwards. */
const replaceLeaders = async (log: string): Promise<void> => {
  const processes = new NodeProcesses(log, 1_500)
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
  const verdict = await judge(log, processes.acknowledged)
  expect(verdict.problems, processes.problems.join('\n')).to.deep.equal([])
  expect(verdict.terms).to.be.greaterThan(2)
  expect(verdict.starts).to.be.greaterThan(20)
}

describe('Real processes of one node', () => {
  it('lose nothing and start nothing twice while their leaders are killed and stopped, on PostgreSQL', async () => {
    const url = await postgresUrl()
    const schema = freshSchema()
    const address = new URL(url)
    address.searchParams.set('schema', schema)
    await replaceLeaders(address.href)
    await dropSchema(url, schema)
  })

  it('lose nothing and start nothing twice while their leaders are killed and stopped, on EventStoreDB', async () => {
    const server = await ServerUnderTest.start()
    await replaceLeaders(server.url())
    await server.close()
  })
})
