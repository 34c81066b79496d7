/**
 * Holds one node against the model: its log tick by tick, its views after each tick. It stops at the first tick that
 * differs, since whatever follows differs for the same reason.
 */
import { agendaLimits } from '../../agenda/limits.js'
import { engineLimits } from '../../engine/limits.js'
import { vaultLimits } from '../../vault/limits.js'
import { decodeEvent } from '../../log/decodeEvent.js'
import type { EncodedTick } from '../../log/Tick.js'
import {
  checkTick,
  emptyModel,
  nextInstantOf,
  type ModelFinding,
  type Model,
  type ModelFlow,
  type ModelLimits,
  type ModelState,
} from '../../model/index.js'
import type { Instant } from '../../time/Instant.js'
import type { Database } from '../../storage/Database.js'
import type { Chance } from '../simulation/Chance.js'
import { compareAnswers } from './compareAnswers.js'
import { compareFlow, compareState } from './compareRows.js'
import { compareNodeFacts, compareViews } from './compareViews.js'
import { describeModelFinding } from './describeModelFinding.js'
import { readLoggedTick } from './readLoggedTick.js'

/** Findings of one tick that are kept; the others follow from the same cause more often than not. */
const mostKept = 5

/** What is not as it was, which then counts as seen. */
const changed = <A>(now: ReadonlyMap<string, A>, seen: Map<string, A>): readonly A[] => {
  const found: A[] = []
  for (const [key, one] of now) {
    if (seen.get(key) === one) continue
    found.push(one)
    seen.set(key, one)
  }
  return found
}

export class ModelWatch {
  readonly model: Model
  /** Ticks that differ from what the model predicted, one sentence for each difference. */
  readonly ticks: string[] = []
  /** Rows that differ from the model's, one sentence for each. */
  readonly views: string[] = []
  #revision = -1
  /** Rows as they were when they were last compared. */
  readonly #states = new Map<string, ModelState>()
  readonly #flows = new Map<string, ModelFlow>()
  readonly #decode: typeof decodeEvent
  /** What {@link nextInstant} has found since the last tick. */
  #next: { readonly at: Instant | undefined } | undefined

  /** `decode` reads an event of the log. */
  constructor(limits: Partial<ModelLimits> = {}, decode = decodeEvent) {
    this.#decode = decode
    this.model = emptyModel({ ...engineLimits, ...agendaLimits, ...vaultLimits, ...limits })
  }

  get hasFound(): boolean {
    return this.ticks.length + this.views.length > 0
  }

  /** When the node must act next; undefined when there is nothing to wait for, or the model is no longer followed. */
  get nextInstant(): Instant | undefined {
    if (this.hasFound) return undefined
    this.#next ??= { at: nextInstantOf(this.model) }
    return this.#next.at
  }

  /** A tick is in the log. */
  take(tick: EncodedTick): void {
    if (this.hasFound) return
    this.#keep(this.ticks, tick.firstRevision, checkTick(this.model, readLoggedTick(tick, this.#decode)))
    this.#next = undefined
    this.#revision = tick.firstRevision + tick.events.length - 1
  }

  /** The views stand at the last tick. Compares the rows that have changed since they were last compared. */
  compareChanged(db: Database): void {
    if (this.hasFound) return
    const { states, flows } = this.model
    this.#keep(this.views, this.#revision, [
      ...compareNodeFacts(db, this.model, this.#revision),
      ...changed(states, this.#states).flatMap((state) => compareState(db, state)),
      ...changed(flows, this.#flows).flatMap((flow) => compareFlow(db, this.model, flow)),
    ])
  }

  /** The views stand at the last tick. Compares all of them. */
  compareAll(db: Database): void {
    if (!this.hasFound) this.#keep(this.views, this.#revision, compareViews(db, this.model, this.#revision))
  }

  /** The views stand at the last tick. Asks them what people and apps ask. */
  ask(db: Database, chance: Chance): void {
    if (!this.hasFound) this.#keep(this.views, this.#revision, compareAnswers(db, this.model, chance))
  }

  #keep(list: string[], revision: number, findings: readonly ModelFinding[]): void {
    list.push(
      ...findings.slice(0, mostKept).map((finding) => `at revision ${revision}: ${describeModelFinding(finding)}`),
    )
  }
}
