/**
 * Checks that each tick follows from the one before it, and tells what is missing from what merely stands elsewhere.
 * What comes later in the log may explain a problem found before, whose description is then corrected.
 */
import { historyLimits } from './limits.js'
import { hashAfterTick, type EncodedTick, type Head } from '../log/Tick.js'
import { findSwap } from './findSwap.js'
import { rangeText, type FoundProblem, type Report } from './LogProblem.js'

/** Revisions that were expected and did not come. */
type Gap = { readonly from: number; readonly until: number; readonly problem: FoundProblem }

export class PlaceChecker {
  readonly #gaps: Gap[] = []
  /** The problem with the hash of the last tick. */
  #altered: FoundProblem | undefined

  /** Checks the tick that follows a head. `hashHolds` when its running hash is known to follow from that of the head. */
  check(head: Head, tick: EncodedTick, report: Report, hashHolds = false): void {
    const before = this.#altered
    this.#altered = undefined
    if (tick.events.length === 0) report('malformed', `tick ${tick.number} holds no event`)
    const isNext = tick.number === head.tick + 1
    if (isNext && tick.firstRevision === head.revision + 1) {
      this.#altered = hashHolds ? undefined : this.#checkHash(head, tick, report)
      return
    }
    if (isNext && tick.firstRevision > head.revision + 1 && before !== undefined) {
      // The tick before ends too soon and does not have its hash: what is not there was taken out of it.
      before.kind = 'missing'
      before.what = `events were taken out of tick ${head.tick}: ${rangeText(before.revision, tick.firstRevision - 1)} no longer hold what they held`
      before.untilRevision = tick.firstRevision - 1
      return
    }
    this.#reportPlace(head, tick, report)
  }

  #reportPlace(head: Head, tick: EncodedTick, report: Report): void {
    const expected = head.revision + 1
    const until = tick.firstRevision - 1
    const place = `tick ${tick.number} follows tick ${head.tick}, and revision ${tick.firstRevision} follows revision ${head.revision}`
    if (until < expected - 1) {
      report('reordered', `${place}: ticks are out of order, or one is there twice`)
      const gap = this.#gaps.find(({ from, until: end }) => tick.firstRevision >= from && tick.firstRevision <= end)
      if (gap === undefined) return
      gap.problem.kind = 'reordered'
      gap.problem.what = `${rangeText(gap.from, gap.until)} do not stand in their place; revision ${tick.firstRevision} stands in tick ${tick.number}`
      return
    }
    if (until === expected - 1) {
      report('altered', `${place}: the number of the tick was changed`)
      return
    }
    const problem = report('missing', `${place}: ${rangeText(expected, until)} are missing`)
    problem.revision = expected
    problem.untilRevision = until
    if (this.#gaps.length < historyLimits.problemsReported) this.#gaps.push({ from: expected, until, problem })
  }

  /** The running hash covers a whole tick, so the tick is where the change is; a swap within it can be told. */
  #checkHash(head: Head, tick: EncodedTick, report: Report): FoundProblem | undefined {
    const hash = hashAfterTick(head, tick)
    if (hash === tick.hash) return undefined
    const swap = findSwap(head, tick)
    if (swap !== undefined) {
      const [first, second] = swap
      const problem = report(
        'reordered',
        `the events at revisions ${tick.firstRevision + first} and ${tick.firstRevision + second} have changed places`,
      )
      problem.revision = tick.firstRevision + first
      problem.untilRevision = tick.firstRevision + second
      return undefined
    }
    const until = tick.firstRevision + Math.max(tick.events.length, 1) - 1
    const problem = report(
      'altered',
      `the running hash of tick ${tick.number} should be ${hash} and is ${tick.hash}: something in ${rangeText(tick.firstRevision, until)} was altered, or the instant of the tick`,
    )
    problem.untilRevision = until
    return problem
  }
}
