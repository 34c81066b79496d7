/**
 * A server program as a process of ours: what it says goes to a file, and it counts as started once it answers.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NoServer, type Server } from './Server.js'

const patienceMs = 60_000

export const started = async (
  program: string,
  args: readonly string[],
  folder: string,
  address: string,
  answers: () => Promise<boolean>,
): Promise<Server> => {
  const logFile = join(folder, 'server.txt')
  const log = openSync(logFile, 'a')
  const child = spawn(program, args, { stdio: ['ignore', log, log], cwd: folder })
  let failure: string | undefined
  child.on('error', (error) => {
    failure = error.message
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const killer = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await once(child, 'exit')
    clearTimeout(killer)
  }
  const untilMs = performance.now() + patienceMs
  while (!(await answers().catch(() => false))) {
    if (failure !== undefined || child.exitCode !== null || performance.now() > untilMs) {
      await stop()
      const lastLines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-3).join(' ')
      throw new NoServer(`${program} did not start: ${failure ?? lastLines}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return { address, pid: child.pid ?? 0, stop }
}
