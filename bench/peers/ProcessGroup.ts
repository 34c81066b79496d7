/**
 * A program with all that it starts, in a process group and a folder of its own. Nothing of either is
 * left once it has ended, crashed, taken too long, or the run has been interrupted.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { execArgv, execPath, exit, kill } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

const graceMs = 5_000
const shownLines = 8

type Group = { readonly pid: number; readonly folder: string }

const underWay = new Set<Group>()
let isInterrupted = false

/** Whether anyone of the group was there to hear it. */
const signal = ({ pid }: Group, name: NodeJS.Signals | 0): boolean => {
  try {
    kill(-pid, name)
    return true
  } catch {
    return false
  }
}

/** Ends what is left of it: first as Ctrl-C would, so that a server can tidy up after itself. */
const end = async (group: Group): Promise<void> => {
  signal(group, 'SIGINT')
  const untilMs = performance.now() + graceMs
  while (signal(group, 0) && performance.now() < untilMs) await sleep(20)
  signal(group, 'SIGKILL')
  rmSync(group.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  underWay.delete(group)
}

/** Interrupted, this process ends all groups before itself. They do not hear the terminal's Ctrl-C by themselves. */
export const endGroupsWhenInterrupted = (): void => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      // Often heard twice: from the terminal, and from npm.
      if (isInterrupted) return
      isInterrupted = true
      console.error('\nInterrupted: ending every server and process …')
      void Promise.allSettled([...underWay].map(end)).then(() => exit(128 + constants.signals[name]))
    })
}

const lastLinesOf = (file: string): string =>
  readFileSync(file, 'utf8').trim().split('\n').slice(-shownLines).join('\n')

export type Program = {
  readonly file: string
  readonly args: (folder: string, resultFile: string) => readonly string[]
  /** Where its folder lies. */
  readonly within: string
  readonly limitMs: number
}

/** Runs a program under the options of this process, so that `carillon` means the same in it; what it wrote as its result. */
export const resultOf = async ({ file, args, within, limitMs }: Program): Promise<string> => {
  const folder = mkdtempSync(join(within, 'carillon-peers-'))
  // PostgreSQL does not run as root, and its user has to reach its own folder in here.
  chmodSync(folder, 0o755)
  const resultFile = join(folder, 'result.json')
  const logFile = join(folder, 'output.txt')
  const log = openSync(logFile, 'a')
  const child = spawn(execPath, [...execArgv, file, ...args(folder, resultFile)], {
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  // A group of number 0 would be our own.
  if (child.pid === undefined) throw new Error(`${execPath} could not be started`)
  const group = { pid: child.pid, folder }
  underWay.add(group)
  const patience = new AbortController()
  const limit = sleep(limitMs, 'too long', { signal: patience.signal }).catch(() => 'ended')
  try {
    const outcome = await Promise.race([once(child, 'exit').then(() => 'ended'), limit])
    // Whoever is interrupted has no result, and nothing more is to begin.
    if (isInterrupted) await new Promise(() => undefined)
    if (outcome === 'too long') throw new Error(`it had not ended after ${limitMs / 1_000} s`)
    if (child.exitCode !== 0)
      throw new Error(`the process ended with ${String(child.signalCode ?? child.exitCode)}: ${lastLinesOf(logFile)}`)
    return readFileSync(resultFile, 'utf8')
  } finally {
    patience.abort()
    await end(group)
  }
}
