/**
 * The server that the specs of EventStoreDB run on: a test server of their own, or the one that ESDB_URL names. What needs
 * a fault that only the test server can make is skipped on any other, by name, and never counted as passed.
 */
import { randomUUID } from 'node:crypto'
import { EventStoreDBClient } from '@eventstore/db-client'
import { parseEventStoreDbAddress } from '../../src/logs/eventstoredb/EventStoreDbAddress.js'
import { EventStoreDbLog, type EventStoreDbLogOptions } from '../../src/logs/eventstoredb/EventStoreDbLog.js'
import { Cluster } from './Cluster.js'
import { withStream } from './withStream.js'

const given = process.env['ESDB_URL']

/** The address of the server to test on; undefined when the specs make one of their own. */
export const realUrl = given === undefined || given === '' ? undefined : given

export const serverName = realUrl === undefined ? 'the test server' : 'the server that ESDB_URL names'

/** A server and a stream of its own for one test. */
export class ServerUnderTest {
  readonly #cluster: Cluster | undefined
  readonly #open: EventStoreDbLog[] = []
  readonly stream = `carillon-test-${randomUUID()}`

  private constructor(cluster: Cluster | undefined) {
    this.#cluster = cluster
  }

  static async start(size = 1): Promise<ServerUnderTest> {
    return new ServerUnderTest(realUrl === undefined ? await Cluster.start(size) : undefined)
  }

  /** The test cluster, for tests that need its faults. */
  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error('Only the test server can do that: use itNeedsFaults.')
    return this.#cluster
  }

  url(stream = this.stream): string {
    return withStream(realUrl ?? this.cluster.url(stream), stream)
  }

  /** Opens the log; it is closed with the server. */
  async open(options: Partial<EventStoreDbLogOptions> = {}): Promise<EventStoreDbLog> {
    const log = await EventStoreDbLog.open({ url: this.url(), ...options })
    this.#open.push(log)
    return log
  }

  /** Somebody else's client on the same server. */
  async withClient<A>(work: (client: EventStoreDBClient) => Promise<A>): Promise<A> {
    const client = EventStoreDBClient.connectionString(parseEventStoreDbAddress(this.url()).connectionString)
    try {
      return await work(client)
    } finally {
      await client.dispose()
    }
  }

  async close(): Promise<void> {
    for (const log of this.#open.splice(0)) await log.close()
    await this.#cluster?.close()
  }
}

/** A test that needs a fault which only the test server can make. */
export const itNeedsFaults = (title: string, body: Mocha.AsyncFunc): void => {
  // Without a body, mocha lists it by its name as pending.
  if (realUrl === undefined) it(title, body)
  else it(`${title} (needs a fault of the test server)`)
}
