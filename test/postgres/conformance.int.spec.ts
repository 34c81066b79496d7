import { PostgresLog } from '../../src/logs/postgres/PostgresLog.js'
import { Relay } from '../faults/Relay.js'
import { describeEventLog } from '../log/conformance.js'
import { describeFaults, type LogFault } from '../log/faults.js'
import { cutConnections, dropSchema, freshSchema, postgresUrl, withClient } from './testDatabase.js'

describeEventLog(
  'PostgresLog',
  async () => {
    const url = await postgresUrl()
    const schema = freshSchema()
    return {
      open: () => PostgresLog.open({ url, schema }),
      cut: () => cutConnections(url, schema),
      remove: () => dropSchema(url, schema),
    }
  },
  it,
)

const faults = ['away', 'silent', 'answers lost', 'cut', 'denied', 'dropped']

describeFaults('PostgresLog', faults, async () => {
  const url = await postgresUrl()
  const schema = freshSchema()
  const role = `role_${schema}`
  const address = new URL(url)
  const relay = await Relay.listen(Number(address.port === '' ? 5432 : address.port))
  await withClient(url, async (client) => {
    await client.query(`CREATE ROLE "${role}" LOGIN PASSWORD 'right'`)
    await client.query(`CREATE SCHEMA "${schema}" AUTHORIZATION "${role}"`)
  })
  address.username = role
  address.password = 'right'
  address.host = `127.0.0.1:${relay.port}`
  const setPassword = async (password: string): Promise<void> => {
    await withClient(url, (client) => client.query(`ALTER ROLE "${role}" PASSWORD '${password}'`))
    await cutConnections(url, schema)
  }
  const known: readonly LogFault[] = [
    { name: 'away', begin: () => relay.down(), end: () => relay.up() },
    { name: 'silent', begin: () => relay.freeze(), end: () => relay.thaw() },
    { name: 'answers lost', begin: () => relay.loseAnswers(), end: () => relay.up() },
    { name: 'cut', begin: () => relay.cut(), end: () => undefined },
    { name: 'denied', begin: () => setPassword('another'), end: () => setPassword('right') },
    { name: 'dropped', begin: () => dropSchema(url, schema) },
  ]
  return {
    open: () => PostgresLog.open({ url: address.href, schema, answerMs: 300 }),
    fault: (name) => known.find((fault) => fault.name === name)!,
    remove: async () => {
      await relay.close()
      await dropSchema(url, schema)
      await withClient(url, (client) => client.query(`DROP ROLE "${role}"`))
    },
  }
})
