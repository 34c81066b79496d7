/**
 * The real command as a process of its own, from the sources or as built, and a node that runs until it is told
 * otherwise.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { builtCommand, commandStart } from '../../samples/shared/test/builtPackage.js'
import { runCommand } from '../../src/cli/runCommand.js'
import type { Terminal } from '../../src/cli/Terminal.js'

const root = resolve(import.meta.dirname, '../..')
export const fixtureApp = join(import.meta.dirname, 'fixtures/app.ts')
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type SpawnOptions = {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly built?: boolean
}

const start = (args: readonly string[], { cwd, env, built }: SpawnOptions): ChildProcess => {
  // What the specs run under must not reach the command: it is to behave as in anyone's shell.
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(NODE_OPTIONS|CARILLON_STORE|COLUMNS|NO_COLOR)$/.test(name)),
  )
  return spawn(process.execPath, [...(built === true ? [builtCommand] : commandStart), ...args], {
    cwd: cwd ?? root,
    env: { ...inherited, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

const gather = (child: ChildProcess): { stdout: string; stderr: string } => {
  const seen = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => (seen.stdout += chunk.toString('utf8')))
  child.stderr?.on('data', (chunk: Buffer) => (seen.stderr += chunk.toString('utf8')))
  return seen
}

/** What runs until it is stopped, ends the process itself, or reads or writes what only a process has. */
const needsProcess = (args: readonly string[], options: SpawnOptions): boolean =>
  Object.keys(options).length > 0 ||
  args.includes('-') ||
  ['run', 'standby', 'new', 'simulate', 'replay', 'forecast'].includes(args[0] ?? '') ||
  (args[0] === 'network' && args[1] === 'run')

/** The command itself, in this process: a second's start saved for what is the same in either. */
export const inProcess = async (args: readonly string[], width = Number.POSITIVE_INFINITY): Promise<Ended> => {
  const seen = { stdout: '', stderr: '' }
  let fault = 0
  const terminal: Terminal = {
    out: (line) => (seen.stdout += `${line}\n`),
    err: (line) => (seen.stderr += `${line}\n`),
    status: () => undefined,
    redraw: (lines) => (seen.stdout += `${lines.join('\n')}\n`),
    fault: () => (fault = 1),
    width,
    tone: (_tone, text) => text,
  }
  const code = await runCommand(args, terminal)
  return { code: code === 0 ? fault : code, ...seen }
}

/** Runs a command to its end, in a process of its own where that matters. */
export const carillon = (args: readonly string[], options: SpawnOptions = {}): Promise<Ended> =>
  needsProcess(args, options) ? spawned(args, options) : inProcess(args)

/** Runs a command to its end in a process of its own. */
export const spawned = (args: readonly string[], options: SpawnOptions = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = start(args, options)
    const seen = gather(child)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...seen }))
    child.stdin?.end(options.input ?? '')
  })

/** One JSON document for each line of a text. */
export const documents = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

export class RunningNode {
  readonly #child: ChildProcess
  readonly #seen: { stdout: string; stderr: string }
  readonly ended: Promise<Ended>

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#seen = gather(child)
    this.ended = new Promise((resolve) => child.on('close', (code) => resolve({ code, ...this.#seen })))
  }

  /** Resolves once the node has started and `onStart` of the fixture has run. */
  static async start(store: string, args: readonly string[] = [], app = fixtureApp): Promise<RunningNode> {
    const node = new RunningNode(start(['run', app, '--store', store, ...args], {}))
    await node.until((stdout) => stdout.includes('carillon status') || stdout.includes('"event":"started"'))
    return node
  }

  /** Begins a command that runs until it is told otherwise. */
  static begin(args: readonly string[], options: SpawnOptions = {}): RunningNode {
    return new RunningNode(start(args, options))
  }

  get stdout(): string {
    return this.#seen.stdout
  }

  get stderr(): string {
    return this.#seen.stderr
  }

  /** Waits until something has been printed. */
  until(holds: (stdout: string) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (holds(this.#seen.stdout)) resolve()
      }
      this.#child.stdout?.on('data', look)
      this.#child.on('close', () => reject(new Error(`It ended: ${this.#seen.stdout}${this.#seen.stderr}`)))
      look()
    })
  }

  signal(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal)
    return this.ended
  }
}

/** A folder for one spec, and the function that removes it. */
export const scratchFolder = (): { readonly folder: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-cli-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
