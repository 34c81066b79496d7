/**
 * Several processes of one node, of which a test kills and stops whichever leads, and what they have said.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { programStart } from '../../samples/shared/test/builtPackage.js'

type Said = { readonly event: string; readonly pid: number; readonly text?: string; readonly message?: string }

export class NodeProcesses {
  readonly #log: string
  readonly #leaseMs: number
  readonly #program: string
  readonly #more: readonly string[]
  readonly #folder = mkdtempSync(join(tmpdir(), 'carillon-standby-'))
  readonly #children = new Map<number, ChildProcess>()
  readonly #changes = new Set<() => void>()
  readonly acknowledged: string[] = []
  readonly problems: string[] = []
  /** Those that are up to date, and so follow or lead. */
  readonly #ready = new Set<number>()
  leader: number | undefined
  #count = 0

  /** Another program, and what it is told besides, where the usual one does not do. */
  constructor(
    log: string,
    leaseMs: number,
    {
      program = join(import.meta.dirname, 'child.ts'),
      more = [],
    }: { readonly program?: string; readonly more?: readonly string[] } = {},
  ) {
    this.#log = log
    this.#leaseMs = leaseMs
    this.#program = program
    this.#more = more
  }

  start(): void {
    this.#count += 1
    const child = spawn(
      process.execPath,
      [
        ...programStart,
        this.#program,
        this.#log,
        join(this.#folder, String(this.#count)),
        String(this.#leaseMs),
        ...this.#more,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const pid = child.pid ?? 0
    this.#children.set(pid, child)
    createInterface({ input: child.stdout }).on('line', (line) => this.#hear(JSON.parse(line) as Said))
    child.stderr.on('data', (chunk: Buffer) => this.problems.push(chunk.toString()))
    child.on('exit', () => {
      this.#children.delete(pid)
      this.#ready.delete(pid)
      if (this.leader === pid) this.leader = undefined
      this.#changed()
    })
  }

  #hear({ event, pid, text, message }: Said): void {
    this.#ready.add(pid)
    if (event === 'acknowledged' && text !== undefined) this.acknowledged.push(text)
    if (event === 'leading') this.leader = pid
    if (event === 'following' && this.leader === pid) this.leader = undefined
    if (event === 'failed') this.problems.push(message ?? '')
    this.#changed()
  }

  #changed(): void {
    for (const change of [...this.#changes]) change()
  }

  /** Resolves as soon as it holds; looked at whenever a process has said something. */
  until(what: string, holds: () => boolean, withinMs = 60_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!holds()) return
        this.#changes.delete(look)
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#changes.delete(look)
        reject(new Error(`never came true: ${what}. ${this.problems.slice(-5).join(' ')}`))
      }, withinMs)
      this.#changes.add(look)
      look()
    })
  }

  /** Makes the leader disappear or stand still, and waits for another. Gives the time that took. */
  async replaceLeader(signal: 'SIGKILL' | 'SIGSTOP'): Promise<number> {
    // A process that comes up when the leader is gone already would start the node, and not take over.
    await this.until('all are there', () => this.leader !== undefined && this.#ready.size === this.#children.size)
    await this.acknowledgedMore(3)
    const old = this.leader ?? 0
    process.kill(old, signal)
    const from = performance.now()
    await this.until('another one leads', () => this.leader !== undefined && this.leader !== old)
    const tookMs = performance.now() - from
    if (signal === 'SIGSTOP') process.kill(old, 'SIGCONT')
    else this.start()
    return tookMs
  }

  async acknowledgedMore(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count
    await this.until('notes are acknowledged', () => this.acknowledged.length >= wanted)
  }

  async end(): Promise<void> {
    for (const child of this.#children.values()) {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
    }
    await this.until('all have ended', () => this.#children.size === 0).catch(() => {
      for (const child of this.#children.values()) child.kill('SIGKILL')
    })
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
