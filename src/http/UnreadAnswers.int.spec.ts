/** What a client can make a server keep by asking and not reading. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { UnreadAnswers } from './UnreadAnswers.js'

const megabyte = 1024 * 1024

describe('Answers that nobody reads', () => {
  let server: Server
  const sockets: Socket[] = []
  const refused: string[] = []

  const listen = async (unread: UnreadAnswers, bytes: number): Promise<void> => {
    refused.length = 0
    server = createServer((request, response) => {
      const token = request.headers.authorization
      const answer = (body: string | Buffer): void => {
        try {
          unread.hold({ name: 'a client', ...(token === undefined ? {} : { token }) }, response, body.length)
          response.end(body)
        } catch (error) {
          refused.push((error as { readonly code: string }).code)
          response.writeHead(429).end()
        }
      }
      if (request.url === '/late') setTimeout(() => answer('late'), 700)
      else answer(Buffer.alloc(bytes))
    })
    server.keepAliveTimeout = 60_000
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const ask = async (token: string): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`)
    return socket
  }
  const firstBytes = async (socket: Socket): Promise<Buffer> => {
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    return bytes
  }

  it('are so many bytes of one token and no more, whatever others leave unread', async () => {
    await listen(new UnreadAnswers({ httpUnreadBytes: 100 * megabyte, httpUnreadMs: 60_000 }), 40 * megabyte)
    for (let each = 0; each < 5; each++) await firstBytes(await ask('greedy'))
    expect(refused).to.deep.equal(['rate-exceeded', 'rate-exceeded', 'rate-exceeded'])
    expect((await firstBytes(await ask('other'))).toString('latin1')).to.contain('200 OK')
    // What was read, or given up, is not counted any more.
    for (const socket of sockets) socket.destroy()
    for (let status = ''; !status.includes('200 OK');)
      status = (await firstBytes(await ask('greedy'))).toString('latin1')
  })

  it('are forgotten with their connection, also those that stand behind another on it', async () => {
    await listen(new UnreadAnswers({ httpUnreadBytes: 50 * megabyte, httpUnreadMs: 60_000 }), 5 * megabyte)
    for (let each = 0; each < 6; each++) {
      const socket = await ask('greedy')
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nAuthorization: greedy\r\n\r\n'.repeat(6))
      await firstBytes(socket)
      await new Promise((resolve) => setTimeout(resolve, 50))
      socket.destroy()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(refused).to.deep.equal([])
    expect((await firstBytes(await ask('greedy'))).toString('latin1')).to.contain('200 OK')
  })

  it('are not counted when whoever asked has gone before they were there', async () => {
    await listen(new UnreadAnswers({ httpUnreadBytes: 4, httpUnreadMs: 60_000 }), 1)
    const socket = await ask('greedy')
    await firstBytes(socket)
    socket.write('GET /late HTTP/1.1\r\nHost: x\r\nAuthorization: greedy\r\n\r\n')
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 900))
    expect((await firstBytes(await ask('greedy'))).toString('latin1')).to.contain('200 OK')
    expect(refused).to.deep.equal([])
  })

  it('are given up when nothing of them is taken, with their connection; one that is only slow is not', async () => {
    await listen(new UnreadAnswers({ httpUnreadBytes: megabyte, httpUnreadMs: 300 }), 24 * megabyte)
    const stuck = await ask('stuck')
    await firstBytes(stuck)
    const slow = await ask('slow')
    let read = 0
    const reading = setInterval(() => {
      read += (slow.read() as Buffer | null)?.length ?? 0
    }, 2)
    const connections = (): Promise<number> =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      )
    while ((await connections()) > 1) await new Promise((resolve) => setTimeout(resolve, 20))
    while (read < 24 * megabyte) await new Promise((resolve) => setTimeout(resolve, 20))
    clearInterval(reading)
    // A connection whose answer was read is kept, and asked again.
    await new Promise((resolve) => setTimeout(resolve, 500))
    slow.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    for (const before = read; read === before;) {
      read += (slow.read() as Buffer | null)?.length ?? 0
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })

  it('do not end a connection on which the next request is still worked at', async () => {
    await listen(new UnreadAnswers({ httpUnreadBytes: megabyte, httpUnreadMs: 300 }), 1)
    const socket = await ask('greedy')
    let heard = ''
    socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')))
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /late HTTP/1.1\r\nHost: x\r\n\r\n')
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(heard).to.contain('late')
  })
})
