/**
 * A sample's command as a process of its own, and what it prints.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { programStart } from './builtPackage.js'

export type SampleRun = {
  readonly child: ChildProcess
  readonly output: () => string
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  readonly says: (pattern: RegExp) => Promise<void>
}

export const runSample = (main: string, ...args: readonly string[]): SampleRun => {
  const child = spawn(process.execPath, [...programStart, main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  const listeners = new Set<() => void>()
  const hear = (chunk: Buffer): void => {
    text += chunk.toString('utf8')
    for (const listener of [...listeners]) listener()
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'nothing'))
  })
  const says = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const listener = (): void => {
        if (!pattern.test(text)) return
        listeners.delete(listener)
        resolve()
      }
      listeners.add(listener)
      listener()
      void ended.then(() => reject(new Error(`it ended without saying ${pattern.source}:\n${text}`)))
    })
  return { child, output: () => text, ended, says }
}

/** Kills what is still running, and waits until it is gone. */
export const endRuns = async (runs: SampleRun[]): Promise<void> => {
  for (const { child, ended } of runs.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
}
