/**
 * The servers of one test cluster: they share what they hold, and one of them leads.
 */
import { EventStoreDbServer, type ServerOptions } from './EventStoreDbServer.js'
import { StreamStore } from './StreamStore.js'

export class Cluster {
  readonly store = new StreamStore()
  readonly servers: EventStoreDbServer[] = []
  leader = 0
  /** Whom gossip names as the leader, when that is not the one that leads: it takes a while to find out. */
  namedLeader: number | undefined
  /** Whether a server that no longer leads shuts itself down, as one does that has to truncate what it holds. */
  deposedShutsDown = false

  static async start(size = 1, options: ServerOptions = {}): Promise<Cluster> {
    const cluster = new Cluster()
    for (let index = 0; index < size; index++) {
      const port = options.port === undefined || options.port === 0 ? 0 : options.port + index
      cluster.servers.push(await EventStoreDbServer.start(cluster, { ...options, port }))
    }
    return cluster
  }

  /** Another server leads from now on. */
  async leadWith(index: number): Promise<void> {
    const old = this.servers[this.leader]
    this.leader = index
    if (this.deposedShutsDown) await old?.stop()
  }

  /** The leader is frozen, and gossip goes on naming it. */
  freezeLeader(): void {
    this.namedLeader = this.leader
    this.servers[this.leader]?.freeze()
  }

  /** Another server leads instead of a frozen one, and gossip says so. */
  async replaceFrozen(index: number): Promise<void> {
    await this.leadWith(index)
    this.namedLeader = undefined
  }

  /** Several hosts make the client ask around for the leader; one host does not. */
  url(stream: string): string {
    const hosts = this.servers.map(({ port }) => `127.0.0.1:${port}`).join(',')
    return `esdb://${hosts}?tls=false&discoveryInterval=50&stream=${stream}`
  }

  async close(): Promise<void> {
    for (const server of this.servers) await server.stop()
  }
}
