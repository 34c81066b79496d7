/**
 * Shares the seeds of a simulation out among processes of this very command, and puts together what they report. A
 * history depends on its seed alone, so the result is the same as that of one process; it is told in the order of the
 * seeds.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { CarillonError } from '../errors/CarillonError.js'
import { sumOfBoundaries } from '../testing/simulation/Boundaries.js'
import type { SimulationFailure, SimulationReport } from '../testing/simulation/SimulationReport.js'

/** Turns the command into a worker: it takes seeds from its parent, one at a time. */
export const workerFlag = '--as-worker'

type OnSeed = (seed: number, failure: SimulationFailure | undefined) => void

export type SharedSimulation = {
  readonly seeds: readonly number[]
  readonly processes: number
  readonly stopAtFirst: boolean
  readonly onSeed: OnSeed
}

const startWorker = (): ChildProcess =>
  fork(process.argv[1] ?? '', [...process.argv.slice(2), workerFlag], {
    // What the app's steps print would come in no order.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })

/** Asks a worker about one seed. */
const ask = (worker: ChildProcess, seed: number): Promise<SimulationReport> =>
  new Promise((resolve, reject) => {
    const gone = (code: number | null): void => {
      reject(
        new CarillonError(
          'simulation-failed',
          `The process that lived through seed ${seed} ended before it had an answer${code === null ? '' : `, with code ${code}`}. Run that seed alone: --seed ${seed}`,
          { seeds: [String(seed)] },
        ),
      )
    }
    worker.once('exit', gone)
    worker.once('message', (report) => {
      worker.off('exit', gone)
      // Only this command's own workers are on the other end.
      resolve(report as SimulationReport)
    })
    worker.send(seed, (error) => {
      if (error !== null) gone(worker.exitCode)
    })
  })

/** Runs the seeds, each in whichever process is free. */
export const simulateInProcesses = async ({
  seeds,
  processes,
  stopAtFirst,
  onSeed,
}: SharedSimulation): Promise<SimulationReport> => {
  const beganMs = performance.now()
  const reports = new Map<number, SimulationReport>()
  const told: SimulationReport[] = []
  const isOver = (): boolean => stopAtFirst && told.some(({ failures }) => failures.length > 0)
  const tell = (): void => {
    for (let report = reports.get(told.length); report !== undefined; report = reports.get(told.length)) {
      if (isOver()) return
      told.push(report)
      onSeed(seeds[told.length - 1] ?? 0, report.failures[0])
    }
  }
  let next = 0
  const work = async (): Promise<void> => {
    const worker = startWorker()
    try {
      while (next < seeds.length && !isOver()) {
        const index = next
        next += 1
        reports.set(index, await ask(worker, seeds[index] ?? 0))
        tell()
      }
    } finally {
      worker.kill()
    }
  }
  await Promise.all(Array.from({ length: Math.min(processes, seeds.length) }, work))
  const sum = (of: (report: SimulationReport) => number): number => told.reduce((total, one) => total + of(one), 0)
  return {
    seeds: sum((report) => report.seeds),
    orders: sum(({ orders }) => orders),
    allOrders: told.every(({ allOrders }) => allOrders === undefined)
      ? undefined
      : told.every(({ allOrders }) => allOrders),
    events: sum(({ events }) => events),
    transactions: sum(({ transactions }) => transactions),
    flows: sum(({ flows }) => flows),
    boundaries: sumOfBoundaries(told.map(({ boundaries }) => boundaries)),
    elapsedMs: performance.now() - beganMs,
    failures: told.flatMap(({ failures }) => failures),
  }
}

/** The worker's side: answers every seed with its report, until the parent is gone. */
export const workOff = async (simulate: (seed: number) => Promise<SimulationReport>): Promise<void> => {
  let last: Promise<void> = Promise.resolve()
  process.on('message', (seed) => {
    last = last.then(async () => {
      const report = await simulate(Number(seed))
      process.send?.(report)
    })
  })
  await new Promise<void>((resolve) => process.once('disconnect', resolve))
}
