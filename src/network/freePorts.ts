/**
 * Ports on which nothing listens at this moment, each different. They lie below those that systems give to outgoing
 * connections, so that a party finds its port free whenever it is started again.
 */
import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

const firstPort = 20_000
const endPort = 32_000
const mostTries = 1_000

const listen = (host: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port }, () => resolve(server))
  })

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')

export const freePorts = async (host: string, count: number): Promise<readonly number[]> => {
  // All are held until the last is found, or the same port could be given twice.
  const held = new Map<number, Server>()
  try {
    for (let tries = 0; held.size < count; tries++) {
      const port = randomInt(firstPort, endPort)
      try {
        held.set(port, await listen(host, port))
      } catch (error) {
        if (!isTaken(error) || tries >= mostTries) throw error
      }
    }
    return [...held.keys()]
  } finally {
    await Promise.all([...held.values()].map((server) => new Promise((resolve) => server.close(resolve))))
  }
}
