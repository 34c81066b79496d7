/**
 * The processes of a live run, and their clock. Time goes on when all have done what there is to do, and then to the
 * next instant at which any of them wants to be woken; the notary hears of it first, so that nobody asks it for
 * something that is early by its clock. What the nodes have to do with each other goes between them, over TLS.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { instantFromMillis, IntegerC, toMillis, type Instant } from 'carillon'
import { makeNetwork } from 'carillon/network'
import { members, names } from '../network.js'
import { SwapC } from '../swap/SwapKind.js'

const NameC = t.keyof({
  ...{ [names.fixedPayer]: null, [names.floatingPayer]: null },
  ...{ [names.notary]: null, [names.oracle]: null, [names.regulator]: null },
})
type Name = t.TypeOf<typeof NameC>

/** What a node's process is started with: where the network is kept, and when the trade ends. */
export const NodeSettingsC = t.strict({ folder: t.string, name: NameC, startMs: IntegerC, until: t.string })
type NodeSettings = t.TypeOf<typeof NodeSettingsC>

/** What the processes are told: the time, in milliseconds. */
export const TimeC = IntegerC

/** How a node stands once it has done what was to be done by then. */
const ReportC = t.strict({
  revision: IntegerC,
  /** When it next wants to be woken; null when it waits for others only. */
  nextMs: t.union([t.null, IntegerC]),
  /** The newest state of the trade, where there is one. */
  standing: t.union([t.null, t.strict({ swap: SwapC, isOver: t.boolean })]),
})
export type Report = t.TypeOf<typeof ReportC>

/** One node's process. It can be killed, and then another takes its place on what it left on disk. */
class LiveProcess {
  #child: ChildProcess
  #waiting: { readonly resolve: (report: Report) => void; readonly reject: (error: Error) => void } | undefined
  /** Resolves when the process that is there now has started. */
  ready: Promise<Report>

  constructor(readonly settings: NodeSettings) {
    this.#child = this.#fork(settings.startMs)
    this.ready = this.#report()
  }

  #fork(startMs: number): ChildProcess {
    const { name } = this.settings
    const file = fileURLToPath(new URL('./liveNode.js', import.meta.url)).replace(/\.js$/, '.ts')
    const child = fork(file, [JSON.stringify({ ...this.settings, startMs })])
    child.on('message', (message) => {
      const report = ReportC.decode(message)
      if (isLeft(report)) this.#waiting?.reject(new Error(`${name} sent a report that makes no sense.`))
      else this.#waiting?.resolve(report.right)
    })
    child.on('exit', (code) => this.#waiting?.reject(new Error(`${name} has ended with code ${String(code)}.`)))
    return child
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  #report(): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  /** Tells the time, and hears how the node stands then. When the process is killed meanwhile, the next one is told. */
  async tell(ms: number): Promise<Report> {
    for (;;) {
      const { ready } = this
      await ready
      try {
        const report = this.#report()
        this.#child.send(ms)
        return await report
      } catch (error) {
        // Another process has come, or comes, in place of the one that was asked.
        if (this.ready === ready) throw error
      }
    }
  }

  /** Kills the process with SIGKILL, whatever it is doing, and starts another one. */
  async replace(startMs: number): Promise<void> {
    this.ready = this.end('SIGKILL').then(() => {
      this.#child = this.#fork(startMs)
      return this.#report()
    })
    await this.ready
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

/** How long nothing may have happened anywhere before time goes on; messages between processes are much faster. */
const quietMs = 15

export class LiveNetwork {
  readonly #processes: readonly LiveProcess[]
  #nowMs: number

  private constructor(processes: readonly LiveProcess[], nowMs: number) {
    this.#processes = processes
    this.#nowMs = nowMs
  }

  /** Makes a network in a folder, and starts its nodes, which trade until a day. */
  static async start(folder: string, at: Instant, until: string): Promise<LiveNetwork> {
    const made = await makeNetwork(folder, { members })
    const startMs = toMillis(at)
    const order = [names.notary, names.oracle, names.fixedPayer, names.floatingPayer, names.regulator]
    const processes = order.map((name) => new LiveProcess({ folder: made.folder, name, startMs, until }))
    const network = new LiveNetwork(processes, startMs)
    try {
      await Promise.all(processes.map(({ ready }) => ready))
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
    return this.#processes.map(({ settings, pid }) => `${settings.name} is process ${pid}`)
  }

  /** Has the process of a party killed so many milliseconds into what happens now, and another one take its place. */
  async killDuring(name: Name, afterMs: number): Promise<string> {
    const process = this.#processes.find(({ settings }) => settings.name === name)
    if (process === undefined) throw new Error(`There is no ${name} here.`)
    const happening = this.settle()
    await sleep(afterMs)
    const killed = process.pid
    await process.replace(this.#nowMs)
    await happening
    return `${this.now.slice(0, 10)}  killed process ${killed} of ${name}; process ${process.pid} goes on`
  }

  /** Tells all the time, and waits until nothing has happened anywhere for a moment. Gives how each node stands then. */
  async settle(): Promise<ReadonlyMap<Name, Report>> {
    for (let before = ''; ;) {
      const reports = new Map<Name, Report>()
      for (const process of this.#processes) reports.set(process.settings.name, await process.tell(this.#nowMs))
      const revisions = [...reports.values()].map(({ revision }) => revision).join(' ')
      if (revisions === before) return reports
      before = revisions
      await sleep(quietMs)
    }
  }

  /** Lets time go on to an instant. */
  async goOnTo(ms: number, daysPerSecond: number): Promise<void> {
    const days = Math.max(0, ms - this.#nowMs) / 86_400_000
    await sleep((days / daysPerSecond) * 1_000)
    this.#nowMs = Math.max(ms, this.#nowMs)
  }

  async stop(): Promise<void> {
    // The notary last: the others might still need it.
    for (const process of [...this.#processes].reverse()) await process.end('SIGTERM')
  }

  kill(): void {
    for (const process of this.#processes) process.kill()
  }
}
