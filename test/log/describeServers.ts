/**
 * Which servers the specs of the logs run against, and of which version they are.
 */
import { EventStoreDbLog } from '../../src/logs/eventstoredb/EventStoreDbLog.js'
import { ServerUnderTest, serverName } from '../eventstoredb/serverUnderTest.js'
import { postgresUrl, withClient } from '../postgres/testDatabase.js'

const postgresVersion = async (): Promise<string> => {
  const { rows } = await withClient(await postgresUrl(), (client) =>
    client.query<{ readonly server_version: string }>('SHOW server_version'),
  )
  return rows[0]?.server_version ?? 'unknown'
}

const eventStoreDbVersion = async (): Promise<string> => {
  const server = await ServerUnderTest.start()
  const log = await EventStoreDbLog.open({ url: server.url() })
  try {
    return await log.serverVersion()
  } finally {
    await log.close()
    await server.close()
  }
}

export const describeServers = async (): Promise<string> => {
  const given = process.env['PG_URL']
  const postgres = given === undefined || given === '' ? 'a server of the tests' : 'the server that PG_URL names'
  return [
    `PostgreSQL: ${postgres}, version ${await postgresVersion()}`,
    `EventStoreDB: ${serverName}, version ${await eventStoreDbVersion()}`,
  ].join('\n')
}
