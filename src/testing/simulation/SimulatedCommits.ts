/**
 * Commits the large ticks of a simulated store while the next one is decided, as a thread does in production. When a
 * commit is done, and how it ends, comes from the seed.
 */
import type {
  CarryOut,
  CommitWorker,
  Guard,
  WorkerGone,
  WorkerOutcome,
  Write,
} from '../../storage/sqlite/CommitWorker.js'
import type { Chance } from './Chance.js'
import { diskIsFull, powerIsOut, type DiskFaults } from './DiskFaults.js'

type Job = {
  readonly guard: Guard
  readonly writes: readonly Write[]
  readonly whenDone: (outcome: WorkerOutcome | WorkerGone) => void
}

/** Turns of the event loop that a commit takes at most. */
const mostTurns = 6

export class SimulatedCommits implements CommitWorker {
  readonly #carryOut: CarryOut
  readonly #faults: DiskFaults
  readonly #chance: Chance
  readonly #onWritten: () => void
  #sqls: readonly string[] = []
  #job: Job | undefined

  /** `onWritten` is called when a transaction is durable, whoever hears of it. */
  constructor(carryOut: CarryOut, faults: DiskFaults, chance: Chance, onWritten: () => void) {
    this.#onWritten = onWritten
    this.#carryOut = carryOut
    this.#faults = faults
    this.#chance = chance
  }

  readonly isReady = (): boolean => this.#job === undefined && !this.#chance.oneIn(8)

  readonly isWriterIdle = (): boolean => this.#job === undefined

  readonly carryOut: CommitWorker['carryOut'] = (guard, writes, sqls, whenDone) => {
    const job = { guard, writes, whenDone }
    this.#job = job
    this.#sqls = sqls
    void this.#later(job, this.#chance.below(mostTurns))
  }

  readonly await = (): void => {
    if (this.#job !== undefined) this.#end(this.#job)
  }

  readonly stop = (): Promise<void> => Promise.resolve()

  /** The process is killed: what is under way is written, or not. */
  kill(): void {
    const job = this.#job
    if (job === undefined) return
    this.#job = undefined
    if (this.#chance.oneIn(2)) this.#write(job)
    job.whenDone({ kind: 'failed', error: powerIsOut() })
  }

  async #later(job: Job, turns: number): Promise<void> {
    for (let turn = 0; turn <= turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    if (this.#faults.isSlow) await this.#faults.takeTime()
    if (this.#job === job) this.#end(job)
  }

  #end(job: Job): void {
    this.#job = undefined
    job.whenDone(this.#outcome(job))
  }

  #outcome(job: Job): WorkerOutcome {
    switch (this.#faults.nextFate()) {
      case 'refused':
        return { kind: 'failed', error: diskIsFull() }
      case 'cutBefore':
        return { kind: 'failed', error: powerIsOut() }
      case 'cutAfter':
        this.#write(job)
        return { kind: 'failed', error: powerIsOut() }
      case 'taken':
        return this.#write(job)
    }
  }

  #write({ guard, writes }: Job): WorkerOutcome {
    const outcome = this.#carryOut(guard, writes, this.#sqls)
    if (outcome.kind === 'committed') this.#onWritten()
    return outcome
  }
}
