/**
 * The processes of a live run, and their clock. Time goes on when all have done what there is to do, and then to the
 * next instant at which any of them wants to be woken; the notary hears of it first, so that nobody asks it for
 * something that is early by its clock.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isLeft } from 'fp-ts/lib/Either.js'
import { instantFromMillis, toMillis, type Instant, type Party } from 'carillon'
import { makeNetwork } from 'carillon/network'
import { names } from '../network.js'
import { ReportC, type NodeSettings, type Order, type Report, type Role } from './liveProtocol.js'

const roles: readonly (readonly [name: string, Role])[] = [
  [names.notary, 'notary'],
  [names.oracle, 'oracle'],
  [names.fixedPayer, 'bank'],
  [names.floatingPayer, 'bank'],
  [names.regulator, 'regulator'],
]

/** One node's process. It can be killed, and then another takes its place on what it left on disk. */
class LiveProcess {
  readonly #settings: NodeSettings
  #child: ChildProcess
  #waiting: { readonly resolve: (report: Report) => void; readonly reject: (error: Error) => void } | undefined
  /** Resolves when the process that is there now has started. */
  #ready: Promise<Report>

  constructor(
    readonly name: string,
    settings: NodeSettings,
  ) {
    this.#settings = settings
    this.#child = this.#fork(settings.startMs)
    this.#ready = this.#report()
  }

  #fork(startMs: number): ChildProcess {
    const file = fileURLToPath(new URL('./liveNode.js', import.meta.url)).replace(/\.js$/, '.ts')
    const child = fork(file, [JSON.stringify({ ...this.#settings, startMs })])
    child.on('message', (message) => {
      const report = ReportC.decode(message)
      if (isLeft(report)) this.#waiting?.reject(new Error(`${this.name} sent a report that makes no sense.`))
      else this.#waiting?.resolve(report.right)
    })
    child.on('exit', (code) => this.#waiting?.reject(new Error(`${this.name} has ended with code ${String(code)}.`)))
    return child
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get ready(): Promise<Report> {
    return this.#ready
  }

  #report(): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  /** Gives an order. One that was lost with the process is given again to the next, so it must bear to be given twice. */
  async order(order: Order): Promise<Report> {
    for (;;) {
      const ready = this.#ready
      await ready
      try {
        const report = this.#report()
        this.#child.send(order)
        return await report
      } catch (error) {
        // Another process has come, or comes, in place of the one that was asked.
        if (this.#ready === ready) throw error
      }
    }
  }

  /** Kills the process with SIGKILL, whatever it is doing, and starts another one. */
  async replace(startMs: number): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#ready = exited.then(() => {
      this.#child = this.#fork(startMs)
      return this.#report()
    })
    this.kill()
    await this.#ready
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

/** How long nothing may have happened anywhere before time goes on; messages between processes are much faster. */
const quietMs = 15

export class LiveNetwork {
  readonly #processes: readonly LiveProcess[]
  readonly #parties: ReadonlyMap<string, Party>
  #nowMs: number

  private constructor(processes: readonly LiveProcess[], parties: ReadonlyMap<string, Party>, nowMs: number) {
    this.#processes = processes
    this.#parties = parties
    this.#nowMs = nowMs
  }

  static async start(folder: string, at: Instant): Promise<LiveNetwork> {
    const made = await makeNetwork(folder, {
      members: roles.map(([name, role]) => ({
        name,
        ...(role === 'notary' ? { notary: 'nonValidating' as const } : {}),
      })),
    })
    const startMs = toMillis(at)
    const processes = roles.map(
      ([name, role]) =>
        new LiveProcess(name, {
          folder: join(made.folder, name),
          role,
          startMs,
          payments: join(made.folder, 'payments'),
        }),
    )
    const parties = new Map(made.members.map(({ party }) => [party.name, party]))
    const network = new LiveNetwork(processes, parties, startMs)
    try {
      await Promise.all(processes.map((process) => process.ready))
    } catch (error) {
      network.kill()
      throw error
    }
    return network
  }

  get now(): Instant {
    return instantFromMillis(this.#nowMs)
  }

  get processIds(): readonly string[] {
    return this.#processes.map(({ name, pid }) => `${name} is process ${pid ?? 'unknown'}`)
  }

  party(name: string): Party {
    const party = this.#parties.get(name)
    if (party === undefined) throw new Error(`There is no ${name} here.`)
    return party
  }

  #process(name: string): LiveProcess {
    const process = this.#processes.find((candidate) => candidate.name === name)
    if (process === undefined) throw new Error(`There is no ${name} here.`)
    return process
  }

  order(name: string, order: Order): Promise<Report> {
    return this.#process(name).order(order)
  }

  /** Has the process of a party killed so many milliseconds into what happens now, and another one take its place. */
  async killDuring(name: string, afterMs: number): Promise<string> {
    const process = this.#process(name)
    const happening = this.settle()
    await sleep(afterMs)
    const killed = process.pid ?? 0
    await process.replace(this.#nowMs)
    await happening
    return `${this.now.slice(0, 10)}  killed process ${killed} of ${name}; process ${process.pid ?? 0} goes on`
  }

  /** Tells all the time, and waits until nothing has happened anywhere for a moment. Gives when the next wants to wake. */
  async settle(): Promise<number | undefined> {
    for (let before = ''; ;) {
      const reports: Report[] = []
      for (const process of this.#processes) reports.push(await process.order({ type: 'time', ms: this.#nowMs }))
      const revisions = reports.map(({ revision }) => revision).join(' ')
      const wakes = reports.flatMap(({ nextMs }) => (nextMs === null ? [] : [nextMs]))
      if (revisions === before) return wakes.length === 0 ? undefined : Math.min(...wakes)
      before = revisions
      await sleep(quietMs)
    }
  }

  /** Lets time go on to the next instant at which something happens, and everything happen that is due then. */
  async step(daysPerSecond: number): Promise<boolean> {
    const next = await this.settle()
    if (next === undefined) return false
    const days = Math.max(0, next - this.#nowMs) / 86_400_000
    await sleep((days / daysPerSecond) * 1_000)
    this.#nowMs = Math.max(next, this.#nowMs)
    return true
  }

  async stop(): Promise<void> {
    // The notary last: the others might still need it.
    for (const process of [...this.#processes].reverse()) await process.order({ type: 'stop' })
  }

  kill(): void {
    for (const process of this.#processes) process.kill()
  }
}
