/**
 * A stretch of network between a client and a server on this machine, on which a test can lose, hold and cut what is on
 * its way. Whole servers are slow to stop and start; the way to them is not.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

type Pair = { readonly client: Socket; readonly server: Socket }

export class Relay {
  readonly port: number
  readonly #server: Server
  readonly #pairs: Set<Pair>
  readonly #way: Way

  private constructor(server: Server, port: number, pairs: Set<Pair>, way: Way) {
    this.#server = server
    this.port = port
    this.#pairs = pairs
    this.#way = way
  }

  /** A relay to a port of this machine. */
  static listen(to: number, port = 0): Promise<Relay> {
    const pairs = new Set<Pair>()
    const way: Way = { isDown: false, isFrozen: false, answersAreLost: false, delayMs: 0, held: [] }
    const server = createServer((client) => {
      if (way.isDown) {
        client.destroy()
        return
      }
      const there = connect(to, '127.0.0.1')
      // Otherwise small messages would wait for each other.
      for (const socket of [client, there]) socket.setNoDelay(true)
      const pair = { client, server: there }
      pairs.add(pair)
      const end = (): void => {
        pairs.delete(pair)
        client.destroy()
        there.destroy()
      }
      const pass = (target: Socket, chunk: Buffer): void => {
        if (way.isFrozen) way.held.push(() => target.destroyed || target.write(chunk))
        else if (way.delayMs === 0) target.write(chunk)
        else setTimeout(() => target.destroyed || target.write(chunk), way.delayMs)
      }
      client.on('data', (chunk) => pass(there, chunk))
      there.on('data', (chunk) => {
        if (!way.answersAreLost) pass(client, chunk)
      })
      for (const socket of [client, there]) {
        socket.on('error', end)
        socket.on('close', end)
      }
    })
    return new Promise((resolve, reject) => {
      server.on('error', reject)
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        resolve(new Relay(server, typeof address === 'object' && address !== null ? address.port : 0, pairs, way))
      })
    })
  }

  /** Everything from the server is lost from now on; what the client sends still arrives. */
  loseAnswers(): void {
    this.#way.answersAreLost = true
  }

  /** Holds everything back for so long, both ways. */
  delay(ms: number): void {
    this.#way.delayMs = ms
  }

  /** Accepts connections and passes nothing on, as a machine that is paused. */
  freeze(): void {
    this.#way.isFrozen = true
  }

  /** Passes on what was held back, and everything from now on. */
  thaw(): void {
    this.#way.isFrozen = false
    for (const pass of this.#way.held.splice(0)) pass()
  }

  /** Cuts all connections; new ones are possible. */
  cut(): void {
    for (const { client, server } of [...this.#pairs]) {
      client.destroy()
      server.destroy()
    }
  }

  /** Cuts all connections and lets nobody through until {@link up}. */
  down(): void {
    this.#way.isDown = true
    this.cut()
  }

  up(): void {
    this.#way.isDown = false
    this.#way.answersAreLost = false
    this.#way.delayMs = 0
    this.thaw()
  }

  close(): Promise<void> {
    this.down()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

type Way = {
  isDown: boolean
  isFrozen: boolean
  answersAreLost: boolean
  delayMs: number
  /** What waits for the thaw. */
  readonly held: (() => unknown)[]
}
