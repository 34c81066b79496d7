/**
 * Ports on which nothing listens at this moment, each different.
 */
import { createServer, type AddressInfo, type Server } from 'node:net'

const listen = (host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port: 0 }, () => resolve(server))
  })

export const freePorts = async (host: string, count: number): Promise<readonly number[]> => {
  // All are held until the last is found, or the same port could be given twice.
  const servers: Server[] = []
  try {
    while (servers.length < count) servers.push(await listen(host))
    return servers.map((server) => (server.address() as AddressInfo).port)
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
}
