/**
 * The processes of a live run, and their clock. Time goes on when all have done what there is to do, and then to the
 * next instant at which any of them wants to be woken; the notary hears of it first, so that nobody asks it for
 * something that is early by its clock.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isLeft } from 'fp-ts/lib/Either.js'
import { instantFromMillis, makeNetwork, toMillis, type Instant, type Party } from 'carillon'
import { names } from '../network.js'
import { ReportC, type NodeSettings, type Order, type Report, type Role } from './liveProtocol.js'

const roles: readonly (readonly [name: string, Role])[] = [
  [names.notary, 'notary'],
  [names.oracle, 'oracle'],
  [names.fixedPayer, 'bank'],
  [names.floatingPayer, 'bank'],
  [names.regulator, 'regulator'],
]

class LiveProcess {
  readonly #child: ChildProcess
  #waiting: { readonly resolve: (report: Report) => void; readonly reject: (error: Error) => void } | undefined

  constructor(
    readonly name: string,
    settings: NodeSettings,
  ) {
    this.#child = fork(fileURLToPath(new URL('./liveNode.js', import.meta.url)).replace(/\.js$/, '.ts'), [
      JSON.stringify(settings),
    ])
    this.#child.on('message', (message) => {
      const report = ReportC.decode(message)
      if (isLeft(report)) this.#waiting?.reject(new Error(`${name} sent a report that makes no sense.`))
      else this.#waiting?.resolve(report.right)
    })
    this.#child.on('exit', (code) => this.#waiting?.reject(new Error(`${name} has ended with code ${String(code)}.`)))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The next report; the first comes when the node has started. */
  report(): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  order(order: Order): Promise<Report> {
    const report = this.report()
    this.#child.send(order)
    return report
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
      await Promise.all(processes.map((process) => process.report()))
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

  order(name: string, order: Order): Promise<Report> {
    const process = this.#processes.find((candidate) => candidate.name === name)
    if (process === undefined) throw new Error(`There is no ${name} here.`)
    return process.order(order)
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
