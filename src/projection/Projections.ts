/**
 * The projections of a node: started with it, stopped with it, each on its own.
 */
import type { AnyProjection, ProjectionStore, ValueProjection } from '../app/Projection.js'
import type { Logger } from '../engine/Logger.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { EventFeed } from '../subscription/EventFeed.js'
import type { ProjectionLimits } from './limits.js'
import { ProjectionRunner, type ProjectionStatus } from './ProjectionRunner.js'
import type { ProjectionReader } from './ProjectionReader.js'
import { ValueTarget } from './ValueTarget.js'

export type ProjectionsParts = {
  readonly feed: EventFeed
  readonly logger: Logger
  /** Opens the place in the node's folder; undefined for a node without one. */
  readonly openLocal: (() => ProjectionStore) | undefined
  /** For how often results are saved. */
  readonly nowMs: () => number
  readonly limits: ProjectionLimits
}

type Hosted = { readonly runner: ProjectionRunner; readonly value?: ValueTarget<unknown> }

export class Projections {
  readonly #hosted = new Map<string, Hosted>()

  constructor(projections: readonly AnyProjection[], { feed, logger, openLocal, nowMs, limits }: ProjectionsParts) {
    const storeOf = ({ store }: ValueProjection<unknown>): ProjectionStore | undefined => {
      if (store === 'memory') return undefined
      return store === 'sqlite' ? openLocal?.() : store
    }
    for (const projection of projections) {
      const value =
        projection.kind === 'value'
          ? new ValueTarget<unknown>(projection, storeOf(projection), nowMs, limits)
          : undefined
      const target = projection.kind === 'value' ? value : projection.openTarget()
      if (target === undefined) continue
      const runner = new ProjectionRunner(projection, target, { feed, logger, limits })
      this.#hosted.set(projection.name, { runner, ...(value === undefined ? {} : { value }) })
    }
  }

  start(): void {
    for (const { runner } of this.#hosted.values()) runner.start()
  }

  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#hosted.values(), ({ runner }) => runner.stop()))
  }

  /** Ends them without saving: what a crash looks like to the next start. For tests. */
  abandon(): void {
    for (const { runner } of this.#hosted.values()) runner.abandon()
  }

  get statuses(): readonly ProjectionStatus[] {
    return Array.from(this.#hosted.values(), ({ runner }) => runner.status)
  }

  reached(name: string, revision: number, signal?: AbortSignal): Promise<void> {
    return this.#require(name).runner.reached(revision, signal)
  }

  reader(name: string): ProjectionReader<unknown> {
    return {
      read: () => this.#read(name),
      readAt: (revision, { signal } = {}) => this.#readAt(name, revision, signal),
    }
  }

  /**
   * The result as far as it has come; that of an older version until this one has caught up. Copied, because it is folded on:
   * what a reader does to it must not reach it.
   */
  async #read(name: string): Promise<unknown> {
    const { runner, value } = this.#require(name)
    const older = value?.older
    if (!runner.isLive && older !== undefined) return structuredClone(older)
    await runner.reached(-1)
    return structuredClone(value?.result)
  }

  async #readAt(name: string, revision: number, signal?: AbortSignal): Promise<unknown> {
    if (!Number.isSafeInteger(revision))
      throw new CarillonError('request-invalid', `${String(revision)} is no revision.`)
    const { runner, value } = this.#require(name)
    await runner.reached(revision, signal)
    return structuredClone(value?.result)
  }

  #require(name: string): Hosted {
    const hosted = this.#hosted.get(name)
    if (hosted !== undefined) return hosted
    const known = [...this.#hosted.keys()]
    throw new CarillonError(
      'projection-unknown',
      `The app of this node has no projection ${name}. ${known.length === 0 ? "It has none; list it in the app's projections." : `It has: ${known.join(', ')}.`}`,
      { projection: name },
    )
  }
}
