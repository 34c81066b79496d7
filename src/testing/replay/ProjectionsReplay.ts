/**
 * Folds a log into the results of today's projections. One that throws is reported, and the others go on.
 */
import type { App } from '../../app/App.js'
import type { ValueProjection } from '../../app/Projection.js'
import type { EncodedTick } from '../../log/Tick.js'
import { messageOf } from '../../errors/CarillonError.js'
import { PublishedTick } from '../../subscription/PublishedTick.js'
import type { ReplayProblem } from './ReplayReport.js'

type Folding = { readonly projection: ValueProjection<unknown>; result: unknown; hasStopped: boolean }

export class ProjectionsReplay {
  readonly #folding: readonly Folding[]
  readonly problems: ReplayProblem[] = []

  constructor({ projections }: App) {
    this.#folding = projections.flatMap((projection) =>
      projection.kind === 'value' ? [{ projection, result: projection.init() as unknown, hasStopped: false }] : [],
    )
  }

  take(tick: EncodedTick): void {
    if (this.#folding.length === 0) return
    const { events } = new PublishedTick(tick)
    for (const folding of this.#folding) {
      const { name, types, evolve } = folding.projection
      for (const event of events) {
        if (folding.hasStopped || (types !== undefined && !types.includes(event.type))) continue
        try {
          folding.result = evolve(folding.result, event)
        } catch (error) {
          folding.hasStopped = true
          const what = `Projection ${name} throws at this ${event.type}: ${messageOf(error)}`
          this.problems.push({ kind: 'projection', revision: event.revision, what })
        }
      }
    }
  }

  /** The results by name; encoded where a projection has a codec. */
  results(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      this.#folding
        .filter(({ hasStopped }) => !hasStopped)
        .map(({ projection: { name, codec }, result }) => [name, codec === undefined ? result : codec.encode(result)]),
    )
  }
}
