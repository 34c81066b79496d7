/** One address cannot lock everyone out of HTTP: whoever has shown a token keeps its connection, and others have their share. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import type { HttpOptions } from '../../src/entries/http.js'
import { Belfry } from './belfry.js'

/** Another address of this machine: to the server, another caller. */
const stranger = '127.0.0.2'

describe('The connections of the HTTP API', () => {
  let belfry: Belfry
  const sockets: Socket[] = []

  const open = async (options: HttpOptions): Promise<void> => {
    belfry = await Belfry.open(options)
  }
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await belfry.close()
  })

  const dial = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(belfry.server.url).port), localAddress })
    socket.on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  /** Opens connections that never say a word. */
  const dialMany = async (count: number, localAddress?: string): Promise<readonly Socket[]> => {
    const made: Socket[] = []
    for (let index = 0; index < count; index++) made.push(await dial(localAddress))
    return made
  }
  const isClosed = (socket: Socket): Promise<unknown> => {
    socket.resume()
    return socket.destroyed ? Promise.resolve() : once(socket, 'close')
  }
  /** The status of the answer to a request that keeps its connection; undefined when the connection is over. */
  const ask = async (socket: Socket, token: string): Promise<number | undefined> => {
    const answered = once(socket, 'data') as Promise<[Buffer]>
    socket.write(`GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    const first = await Promise.race([answered, isClosed(socket).then(() => undefined)])
    return first === undefined ? undefined : Number(/^HTTP\/1\.1 (\d{3})/.exec(first[0].toString('latin1'))?.[1])
  }

  it('are capped for one address, which then loses its own oldest and takes no one else a place', async () => {
    await open({ connections: 40, connectionsPerAddress: 5 })
    const quiet = await dial()
    const many = await dialMany(30, stranger)
    await Promise.all(many.slice(0, 25).map(isClosed))
    expect(many.slice(25).every((socket) => !socket.destroyed)).to.equal(true)
    // The oldest of all is of another address, and still served.
    expect(await ask(quiet, await belfry.token(['view']))).to.equal(200)
  })

  it('are given to newcomers when all are taken: the oldest that has shown no token goes first', async () => {
    await open({ connections: 8 })
    const token = await belfry.token(['view'])
    const admitted = await dial()
    expect(await ask(admitted, token)).to.equal(200)
    const silent = await dialMany(40)
    await Promise.all(silent.slice(0, 33).map(isClosed))
    expect(silent.slice(33).every((socket) => !socket.destroyed)).to.equal(true)
    expect(await ask(admitted, token)).to.equal(200)
    expect(await ask(await dial(), token)).to.equal(200)
  })

  it('are not all for one token: one that has more than half of them loses its own oldest', async () => {
    await open({ connections: 8 })
    const [greedy, other] = [await belfry.token(['view']), await belfry.token(['view'])]
    const first = await dial()
    expect(await ask(first, other)).to.equal(200)
    const many: Socket[] = []
    for (let each = 0; each < 20; each++) {
      const socket = await dial()
      many.push(socket)
      expect(await ask(socket, greedy)).to.equal(200)
    }
    await Promise.all(many.slice(0, 16).map(isClosed))
    expect(many.slice(16).every((socket) => !socket.destroyed)).to.equal(true)
    expect(await ask(first, other)).to.equal(200)
    expect(await ask(await dial(), belfry.adminToken)).to.equal(200)
  })

  it('are not kept by a token that opens nothing', async () => {
    await open({ connections: 4 })
    const refused = await dial()
    expect(await ask(refused, 'carillon_nonsense')).to.equal(401)
    await dialMany(4)
    await isClosed(refused)
  })

  it('of loopback are not capped for one address unless it is said so, for there all callers have the same', async () => {
    await open({ connections: 60 })
    const many = await dialMany(50)
    expect(await ask(await dial(), await belfry.token(['view']))).to.equal(200)
    expect(many.every((socket) => !socket.destroyed)).to.equal(true)
  })
})
