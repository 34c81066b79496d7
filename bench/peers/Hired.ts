/**
 * A process that runs a system, seen from the one that measures it: orders go in, answers come back, and a process that
 * ends when it should not fails every order with the last lines it wrote.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from '../ownProcess.js'
import type { AnswerTo, OrderName, OrderOf } from './Orders.js'

type Waiting = { readonly resolve: (answer: never) => void; readonly reject: (error: Error) => void }
type Answer = { readonly id: number; readonly answer: never; readonly error?: string }

let compiled: string | undefined
/** Compiled before, as a user's program would be; in this folder, where its packages are. */
const program = (): string =>
  (compiled ??= compile(join(import.meta.dirname, 'systemProcess.ts'), join(import.meta.dirname, '.cache')))

export class Hired {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #orders = 0

  constructor(nodeProgram: string, folder: string) {
    const logFile = join(folder, `process-${performance.now()}.txt`)
    const log = openSync(logFile, 'a')
    this.#child = fork(program(), {
      execPath: nodeProgram,
      execArgv: [],
      cwd: import.meta.dirname,
      stdio: ['ignore', log, log, 'ipc'],
      serialization: 'advanced',
    })
    this.#child.on('message', ({ id, answer, error }: Answer) => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(answer)
      else waiting?.reject(new Error(error))
    })
    this.#child.on('exit', (code, signal) => {
      const lastLines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-8).join('\n')
      this.#failAll(`The process ended with ${String(signal ?? code)}. ${lastLines}`)
    })
    // It could not be started, or was gone before an order reached it.
    this.#child.on('error', ({ message }) => this.#failAll(message))
  }

  #failAll(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(message))
    this.#waiting.clear()
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  order<Name extends OrderName>(name: Name, order: OrderOf<Name>): Promise<AnswerTo<Name>> {
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) {
        reject(new Error('The process has ended.'))
        return
      }
      const id = this.#orders++
      this.#waiting.set(id, { resolve, reject })
      this.#child.send({ id, name, order })
    })
  }

  /** Resolves once the process has ended, however it did. */
  async ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended()
  }
}
