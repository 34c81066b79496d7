/**
 * Runs a log again, tick by tick: folds it into fresh views, and on the way asks today's code what it said then. The
 * views always follow the log; whatever the code says differently is a problem, and the replay goes on.
 */
import type { DomainEvent } from '../../log/events.js'
import type { EncodedTick } from '../../log/Tick.js'
import { LogChecker } from '../../history/LogChecker.js'
import { digestViews } from '../../storage/digest.js'
import { digestAnswers } from './digestAnswers.js'
import { endsAtOnce, FlowsReplay } from './FlowsReplay.js'
import { LedgerReplay } from './LedgerReplay.js'
import { ReplayGround, type ReplayOptions } from './ReplayGround.js'
import type { ReplayProblem, ReplayReport } from './ReplayReport.js'

/** Replays one log. Give it the ticks in order with {@link take}, then ask for the report. */
export class LogReplay {
  readonly #ground: ReplayGround
  readonly #ledger: LedgerReplay
  readonly #flows: FlowsReplay
  readonly #checker = new LogChecker({ decode: true })
  readonly #faults: ReplayProblem[] = []

  constructor(options: ReplayOptions) {
    this.#ground = new ReplayGround(options)
    this.#ledger = new LedgerReplay(this.#ground)
    this.#flows = new FlowsReplay(this.#ground, (event, revision) => {
      this.#accept(event, revision)
    })
  }

  close(): void {
    this.#ground.close()
  }

  /** The next tick of the log. */
  take(tick: EncodedTick): void {
    const { events, problems } = this.#checker.check(tick)
    for (const { revision, what } of problems) this.#faults.push({ kind: 'log', revision, what: `${what}.` })
    this.#ground.open(tick)
    for (let index = 0; index < events.length;) {
      const event = events[index]
      if (event?.type === 'FlowStarted' && endsAtOnce(events, index)) index = this.#flows.runAgain(tick, events, index)
      else {
        if (event !== undefined) this.#accept(event, tick.firstRevision + index)
        index += 1
      }
    }
    this.#ground.settle(tick)
  }

  /** Everything that was found, once the log has ended. */
  report(): Omit<ReplayReport, 'projections'> {
    const { head, counts } = this.#checker
    const { ticks, events, transactions } = counts
    this.#flows.checkOpen(head.revision)
    const { refusedFlows } = this.#ledger
    const problems = [
      ...this.#faults,
      ...this.#flows.problems.filter(({ flow }) => !refusedFlows.has(flow?.id ?? '')),
      ...this.#ledger.problems,
    ]
    return {
      ticks,
      events,
      transactions,
      flows: this.#flows.count,
      flowsUnjudged: this.#flows.unjudged,
      head,
      viewsDigest: digestViews(this.#ground.db),
      answersDigest: digestAnswers(this.#ground.db),
      problems: problems.sort((a, b) => a.revision - b.revision),
    }
  }

  /** Takes a fact as recorded into the views, after asking today's code about it. */
  #accept(event: DomainEvent, revision: number): void {
    if (event.type === 'NodeStarted') this.#ground.me = event.party
    if (event.type === 'NodeStarted' || event.type === 'NetworkJoined') this.#ground.parties.learnNetwork(event.network)
    if (event.type === 'TransactionRecorded') {
      this.#ledger.checkTransaction(event, revision)
      this.#ground.learnTransaction(event)
    }
    if (event.type === 'FlowEnded') this.#flows.checkEnd(event, revision)
    if (event.type === 'StateReassessed') this.#ledger.checkReassessment(event, revision)
    if (event.type === 'ActivityMoved' || event.type === 'ActivityRemoved') this.#ledger.takeBack(event.ref)
    this.#ground.views.fold(event, revision, this.#ground.atMs)
  }
}
