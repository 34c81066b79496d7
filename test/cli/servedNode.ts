/**
 * A node of the belfry in this process, on a store of its own and a virtual clock, with everything a command can ask:
 * the control socket, the API, a panel, the hands of the clock. It can be stopped and started again.
 */
import { startNode, type Node } from '../../src/index.js'
import {
  ClockControl,
  openControlSocket,
  serveHttp,
  type ControlSocket,
  type HttpServer,
} from '../../src/entries/http.js'
import { instant } from '../../src/time/Instant.js'
import { VirtualClock } from '../../src/testing/index.js'
import { belfry, bellsPanel, countBells } from '../http/belfry.js'

type Parts = { readonly node: Node; readonly server: HttpServer; readonly socket: ControlSocket }

export class ServedNode {
  readonly store: string
  readonly clock = new VirtualClock(instant('2031-03-01T12:00:00.000Z'))
  #parts: Parts | undefined

  private constructor(store: string) {
    this.store = store
  }

  static async start(store: string): Promise<ServedNode> {
    const served = new ServedNode(store)
    await served.start()
    return served
  }

  get node(): Node {
    if (this.#parts === undefined) throw new Error('it is stopped')
    return this.#parts.node
  }

  get url(): string {
    return this.#parts?.server.url ?? ''
  }

  async start(): Promise<void> {
    const node = await startNode({ app: belfry, store: this.store, party: 'Quasimodo', clock: this.clock })
    const control = new ClockControl(this.clock, () => [node])
    const server = await serveHttp({ node, panels: [bellsPanel], endpoints: [countBells], clock: control })
    const socket = await openControlSocket(node, this.store, { http: server })
    this.#parts = { node, server, socket }
  }

  async stop(): Promise<void> {
    const parts = this.#parts
    this.#parts = undefined
    await parts?.socket.close()
    await parts?.server.close()
    await parts?.node.stop()
  }
}
