/**
 * A Redis server, where one is installed; synced to the disk before it answers, so that it is as durable as the others.
 */
import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { freePort } from './freePort.js'
import { NoServer, type Server } from './Server.js'
import { started } from './started.js'

const program = 'redis-server'

const answersPing = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.on('data', (data) => {
      socket.destroy()
      resolve(data.toString().startsWith('+PONG'))
    })
    socket.on('error', () => resolve(false))
  })

export const startRedis = async (folder: string): Promise<Server> => {
  if (spawnSync(program, ['--version']).status !== 0)
    throw new NoServer('no redis-server is installed here; install one (apt install redis-server) and run again')
  const port = await freePort()
  const args = [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
    ...['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction'],
  ]
  return started(program, args, folder, `redis://127.0.0.1:${port}`, () => answersPing(port))
}
