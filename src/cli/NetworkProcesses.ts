/**
 * The nodes of a local network, each in a process of its own. What they print is passed on with the party's name, and
 * they are stopped in good order: parties first, then the notaries they might still need.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'

export type NodeProcess = {
  readonly party: string
  readonly isNotary: boolean
  /** The arguments of `carillon` that run it. */
  readonly args: readonly string[]
}

export type ProcessEvents = {
  readonly out: (party: string, line: string) => void
  readonly err: (party: string, line: string) => void
  /** The process has ended: with a code, or by a signal. */
  readonly ended: (party: string, how: string) => void
}

type Running = NodeProcess & { readonly child: ChildProcess; readonly ended: Promise<boolean> }

/** A node that has not stopped by then is ended; its log is made for that. */
const patienceMs = 20_000

const eachLine = (stream: Readable | null, tell: (line: string) => void): void => {
  if (stream !== null) createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', tell)
}

export class NetworkProcesses {
  readonly #running: readonly Running[]
  #stopping = false

  constructor(nodes: readonly NodeProcess[], events: ProcessEvents) {
    const notariesFirst = [...nodes].sort((a, b) => Number(b.isNotary) - Number(a.isNotary))
    this.#running = notariesFirst.map((node) => this.#start(node, events))
  }

  /** How many of them have not ended. */
  get runningCount(): number {
    return this.#running.filter(isRunning).length
  }

  /** Resolves when every process has ended: true when all of them ended well. */
  async allEnded(): Promise<boolean> {
    return (await Promise.all(this.#running.map(({ ended }) => ended))).every((well) => well)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    for (const notary of [false, true])
      await Promise.all(this.#running.filter(({ isNotary }) => isNotary === notary).map(stopOne))
  }

  /** Ends them all at once. */
  kill(): void {
    this.#stopping = true
    for (const { child } of this.#running) child.kill('SIGKILL')
  }

  #start(node: NodeProcess, { out, err, ended }: ProcessEvents): Running {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...node.args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C goes to the whole group; in groups of their own the nodes hear of it from us, once.
      detached: true,
    })
    // The child reads from it only to see that we are still there.
    child.stdin.on('error', () => undefined)
    eachLine(child.stdout, (line) => out(node.party, line))
    eachLine(child.stderr, (line) => err(node.party, line))
    const over = new Promise<boolean>((resolve) => {
      child.on('error', (error) => {
        ended(node.party, error.message)
        resolve(false)
      })
      child.on('close', (code, signal) => {
        if (!this.#stopping) ended(node.party, signal ?? `code ${code ?? 'unknown'}`)
        resolve(code === 0)
      })
    })
    return { ...node, child, ended: over }
  }
}

const isRunning = ({ child }: Running): boolean => child.exitCode === null && child.signalCode === null

const stopOne = async (running: Running): Promise<void> => {
  if (!isRunning(running)) return
  const { child, ended } = running
  // On Windows a signal ends a process at once; it stops in good order when its stdin ends.
  if (process.platform === 'win32') child.stdin?.end()
  else child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await ended
  clearTimeout(timer)
}
