/**
 * Folds a result in memory, and saves it now and then together with how far it has come. After a crash it is folded again
 * from there, so every event counts exactly once, however seldom it is saved.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type {
  ProjectionCheckpoint,
  ProjectionStore,
  ProjectionTarget,
  SavedProjection,
  ValueProjection,
} from '../app/Projection.js'
import * as t from 'io-ts'
import { canonicalText, type Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { HashC } from '../encoding/hash.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { CarillonError } from '../errors/CarillonError.js'
import { sentenceOf } from '../errors/sentenceOf.js'
import type { PublicEvent } from '../log/PublicEvent.js'
import { evolveThrew } from '../app/evolveThrew.js'
import { projectionFenced } from '../app/projectionFenced.js'
import type { ProjectionLimits } from './limits.js'

const isSame = (a: ProjectionCheckpoint | undefined, b: ProjectionCheckpoint | undefined): boolean =>
  a?.revision === b?.revision && a?.hash === b?.hash

/** What a store gives back; the result is checked by the codec of the projection. */
const SavedC = t.strict({
  version: IntegerC,
  result: t.unknown,
  checkpoint: t.strict({ revision: IntegerC, hash: HashC }),
})

export class ValueTarget<R> implements ProjectionTarget {
  readonly #projection: ValueProjection<R>
  readonly #store: ProjectionStore | undefined
  readonly #nowMs: () => number
  readonly #limits: ProjectionLimits
  #result: R
  /** How far the result has come. */
  #folded: ProjectionCheckpoint | undefined
  /** What the store holds. */
  #saved: ProjectionCheckpoint | undefined
  #savedAtMs = Number.NEGATIVE_INFINITY
  /** The result of an older version, until this one has caught up. */
  #older: SavedProjection | undefined

  constructor(
    projection: ValueProjection<R>,
    store: ProjectionStore | undefined,
    nowMs: () => number,
    limits: ProjectionLimits,
  ) {
    this.#projection = projection
    this.#store = store
    this.#nowMs = nowMs
    this.#limits = limits
    this.#result = projection.init()
  }

  readonly open = async (): Promise<ProjectionCheckpoint | undefined> => {
    // What cannot be kept is told before the first event, also by a node that has no folder to keep it in.
    if (this.#projection.store !== 'memory') this.#plainResult()
    const saved = await this.#load()
    if (saved === undefined) return undefined
    const { name, version } = this.#projection
    if (saved.version > version)
      throw new CarillonError(
        'projection-outdated',
        `Projection ${name} is defined as version ${version}, and what is saved was folded by version ${saved.version}. Run the newer app, or give the definition a higher version.`,
        { projection: name, version, saved: saved.version },
      )
    this.#saved = saved.checkpoint
    if (saved.version < version) {
      this.#older = saved
      return undefined
    }
    this.#result = this.#decode(saved)
    this.#folded = saved.checkpoint
    return saved.checkpoint
  }

  readonly apply = async (events: readonly PublicEvent[], to: ProjectionCheckpoint): Promise<boolean> => {
    // Asked again because the store was away: the events are in the result already.
    if (!isSame(this.#folded, to)) this.#fold(events, to)
    // An older version answers until this one has caught up, so it is not replaced before.
    if (this.#older !== undefined || !this.#isSaveDue()) return true
    return this.#save()
  }

  readonly caughtUp = async (): Promise<void> => {
    if (!(await this.#save())) throw projectionFenced(this.#projection.name)
    this.#older = undefined
  }

  readonly close = async (): Promise<void> => {
    if (this.#older === undefined) await this.#save()
    await this.#store?.close?.()
  }

  /** The result of an older version; undefined when this one answers. */
  get older(): R | undefined {
    return this.#older === undefined ? undefined : this.#decodeOlder(this.#older)
  }

  get result(): R {
    return this.#result
  }

  #fold(events: readonly PublicEvent[], to: ProjectionCheckpoint): void {
    const { name, evolve } = this.#projection
    for (const event of events) {
      try {
        const next = evolve(this.#result, event)
        if (next instanceof Promise) throw new Error('It gave a promise, and nobody waits for one.')
        this.#result = next
      } catch (error) {
        throw evolveThrew(name, event, error)
      }
    }
    this.#folded = to
  }

  /** The clock may have been set back, too. */
  #isSaveDue(): boolean {
    return Math.abs(this.#nowMs() - this.#savedAtMs) >= this.#limits.saveEveryMs
  }

  async #save(): Promise<boolean> {
    const { name, version } = this.#projection
    const store = this.#store
    const checkpoint = this.#folded
    if (store === undefined || checkpoint === undefined || isSame(checkpoint, this.#saved)) return true
    const result = this.#plainResult()
    if (!(await store.save(name, { version, result, checkpoint }, this.#saved))) {
      // An answer may have been lost, and what is there be what was to be saved.
      const there = await this.#load()
      if (there?.version !== version || !isSame(there.checkpoint, checkpoint)) return false
    }
    this.#saved = checkpoint
    this.#savedAtMs = this.#nowMs()
    return true
  }

  /** A copy of the result as plain data. What has no such form is not kept as something else. */
  #plainResult(): Json {
    const { name, codec } = this.#projection
    try {
      const encoded = (codec === undefined ? this.#result : codec.encode(this.#result)) as Json
      return JSON.parse(canonicalText(encoded)) as Json
    } catch (error) {
      throw new CarillonError(
        'projection-threw',
        `The result of projection ${name} cannot be kept: ${sentenceOf(error)} Give the definition a codec that makes plain data of it, or keep it in memory.`,
        { projection: name },
        error,
      )
    }
  }

  async #load(): Promise<SavedProjection | undefined> {
    const { name } = this.#projection
    const saved: unknown = await this.#store?.load(name)
    if (saved === undefined) return undefined
    const decoded = decodeWith(SavedC, saved)
    if (isLeft(decoded))
      throw new CarillonError(
        'projection-outdated',
        `The store of projection ${name} gives something that was not saved: ${decoded.left.join('; ')}. Its load gives what its save was given, or undefined.`,
        { projection: name },
      )
    const { version, result, checkpoint } = decoded.right
    // The result is folded on, and what the store holds is not.
    return { version, result: structuredClone(result) as Json, checkpoint }
  }

  #decode(saved: SavedProjection): R {
    const { name, codec } = this.#projection
    if (codec === undefined) return saved.result as R
    const decoded = decodeWith(codec, saved.result)
    if (isLeft(decoded))
      throw new CarillonError(
        'projection-outdated',
        `The saved result of projection ${name} does not fit its codec: ${decoded.left.join('; ')}. Give the definition a higher version, and it is folded anew.`,
        { projection: name },
      )
    return decoded.right
  }

  #decodeOlder(saved: SavedProjection): R | undefined {
    try {
      return this.#decode(saved)
    } catch {
      // A result of another shape answers nothing; whoever asks waits for the new one.
      return undefined
    }
  }
}
