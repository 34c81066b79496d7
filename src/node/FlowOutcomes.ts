/**
 * What flows came to, for whoever waits for it: read from the committed views, and as soon as the tick that ends a flow is
 * durable.
 */
import type { Json } from '../encoding/canonical.js'
import type { AsyncStepRunner } from '../engine/AsyncStepRunner.js'
import type { Committed } from '../engine/Committed.js'
import { FlowEnds, waitAborted } from '../engine/FlowEnds.js'
import type { Loop } from '../engine/Loop.js'
import { CarillonError, reviveError } from '../errors/CarillonError.js'
import { outcomeOfEnd, type RunOutcome } from '../flow/FlowEnd.js'
import { isForTime, wakeMsOf } from '../flow/waiting.js'
import type { FlowId } from '../log/FlowId.js'
import type { Database } from '../storage/Database.js'
import { findFlow, findFlowEnd } from '../storage/queries/readFlows.js'
import type { Locate } from '../storage/tables/HashIndex.js'
import type { Clock } from '../time/Clock.js'
import { instantFromMillis } from '../time/Instant.js'

type Parts = { readonly clock: Clock; readonly loop: Loop; readonly steps: AsyncStepRunner }

/** The committed views, and where in them a flow is found by its id. */
export type FlowViews = {
  readonly read: <A>(read: (db: Database) => A) => Promise<A>
  readonly flows: Locate
}

export class FlowOutcomes {
  readonly #parts: Parts
  readonly #views: FlowViews
  readonly #ends = new FlowEnds()
  #stopped: CarillonError | undefined

  constructor(parts: Parts, views: FlowViews) {
    this.#parts = parts
    this.#views = views
  }

  /** How many callers wait for the end of a flow. */
  get waitingCallers(): number {
    return this.#ends.size
  }

  /** A tick is durable. */
  committed(committed: Committed): void {
    if (this.#ends.isEmpty) return
    for (const flow of committed.endedFlows()) this.#ends.ended(flow as FlowId)
  }

  stop(reason: CarillonError): void {
    this.#stopped = reason
    this.#ends.stop(reason)
  }

  async outcomeOf(id: FlowId, signal: AbortSignal | undefined): Promise<RunOutcome<unknown, Json>> {
    let last = id
    for (;;) {
      if (signal?.aborted === true) throw waitAborted(id, signal)
      const flow = await this.#views.read((db) => findFlowEnd(db, last, this.#views.flows))
      if (flow === undefined) throw new CarillonError('flow-not-found', `There is no flow ${last}.`, { flow: last })
      const ended = outcomeOfEnd(last, flow)
      if (ended !== undefined) return ended
      // Whoever waits for a flow that continues as another waits for that one.
      if (flow.next !== undefined) {
        last = flow.next
        continue
      }
      if (this.#stopped !== undefined) throw this.#stopped
      await this.#awaitEnd(last, signal)
    }
  }

  /** Waits for the end of a flow. On a clock that only a test moves, nobody may be there to move it. */
  #awaitEnd(id: FlowId, signal: AbortSignal | undefined): Promise<void> {
    const { whenStalled } = this.#parts.clock
    const ended = this.#ends.wait(id, signal)
    if (whenStalled === undefined) return ended
    return new Promise((resolve, reject) => {
      const cancel = whenStalled(() => {
        void this.#stalledAt(id).then((error) => {
          if (error !== undefined) reject(error)
        }, reject)
      })
      ended.finally(cancel).then(resolve, reject)
    })
  }

  /** Why a flow cannot go on while nobody moves the clock; undefined when it waits for something else. */
  async #stalledAt(id: FlowId): Promise<CarillonError | undefined> {
    const { clock, loop, steps } = this.#parts
    if (!steps.isIdle || loop.isBusy) return undefined
    const row = await this.#views.read((db) => findFlow(db, id, this.#views.flows))
    if (row?.status === 'parked' && row.error !== undefined)
      return reviveError({ ...row.error, message: `Flow ${row.name} (${id}) is parked. ${row.error.message}` })
    // What waits for more than time may be given that without the clock.
    const wakeMs = row?.waiting?.every(isForTime) === true ? wakeMsOf(row.waiting, clock.now()) : null
    if (row === undefined || wakeMs === null || wakeMs <= clock.now()) return undefined
    return new CarillonError(
      'clock-stalled',
      `Nothing moves the clock; flow ${row.name} (${id}) sleeps until ${instantFromMillis(wakeMs)}. Start it with node.start, move the clock with advanceBy, and ask for its result then.`,
      { flow: id },
    )
  }
}
