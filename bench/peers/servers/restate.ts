/**
 * A Restate server from the npm registry's binary, on one node.
 */
import { createRequire } from 'node:module'
import { writeFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { freePort } from './freePort.js'
import { NoServer, type Server } from './Server.js'
import { started } from './started.js'

const programFile = (): string => {
  const from = createRequire(import.meta.url)
  try {
    return from.resolve(`@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`)
  } catch {
    throw new NoServer(`Restate has no server for ${platform()} on ${arch()} in the npm registry`)
  }
}

export const startRestate = async (folder: string): Promise<Server> => {
  const program = programFile()
  const [ingress, admin, fabric, handlersPort] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const configFile = join(folder, 'restate.toml')
  writeFileSync(
    configFile,
    `base-dir = ${JSON.stringify(join(folder, 'restate'))}
listen-mode = "tcp"
bind-ip = "127.0.0.1"
bind-port = ${fabric}
default-num-partitions = 4
disable-telemetry = true
log-filter = "error"
[admin]
bind-port = ${admin}
[ingress]
bind-port = ${ingress}
`,
  )
  const at = (port: number): string => `http://127.0.0.1:${port}`
  const address = JSON.stringify({ ingress: at(ingress), admin: at(admin), handlersPort })
  const answers = async (): Promise<boolean> =>
    (await fetch(`${at(admin)}/health`)).ok && (await fetch(`${at(ingress)}/restate/health`)).ok
  return started(program, ['--config-file', configFile], folder, address, answers)
}
