/**
 * What a tick must do at an instant, said before it is decided: from the log so far and the clock alone. What clients,
 * other parties and steps bring comes on top, and so do the words of app code.
 */
import { showRef } from '../ledger/StateRef.js'
import type { Instant } from '../time/Instant.js'
import { dueAt, reopensAt, wakesAt } from './agenda.js'
import type { LoggedTick } from './LoggedTick.js'
import type { Model } from './Model.js'
import type { ModelState } from './ModelState.js'

/** What a tick must do. */
export type TickPrediction = {
  /** State refs of the activities to attempt, in order. Empty while the node drains. */
  readonly attempts: readonly string[]
  /** State refs of the activities that are due and held back, because the node drains. */
  readonly held: readonly string[]
  /** Ids of the flows to move, in order. */
  readonly wakes: readonly string[]
  /** State refs of the occurrences that the last start attempts again, in order. */
  readonly reopens: readonly string[]
}

const refsOf = (states: readonly ModelState[]): readonly string[] => states.map(({ ref }) => showRef(ref))

/** What a tick at this instant must do. */
export const predictTick = (model: Model, at: Instant): TickPrediction => {
  const due = refsOf(dueAt(model, at))
  const { draining } = model.node
  return {
    attempts: draining ? [] : due,
    held: draining ? due : [],
    wakes: wakesAt(model, at).map(({ id }) => id),
    reopens: refsOf(reopensAt(model, at)),
  }
}

/**
 * How much of a prediction a tick must fulfil.
 *
 * - `all`: the normal case.
 * - `some`: there was more to do than one tick may take, or the tick before left something. The tick takes the first of
 *   them, at least one.
 * - `any`: the tick was full, draining began or ended in it, or a start has very much to look through. The tick takes
 *   the first of them, or none.
 * - `none`: the tick records the start or the stop of the node, or the node is stopped. It starts and wakes nothing.
 */
export type PredictionExtent = 'all' | 'some' | 'any' | 'none'

const recordsStartOrStop = ({ events }: LoggedTick): boolean =>
  events.some(({ type }) => type === 'NodeStarted' || type === 'NodeStopped')

/** A tick with this many bytes may have been closed although there was more to do. */
const isFull = ({ limits }: Model, { bytes }: LoggedTick): boolean =>
  bytes >= Math.min(limits.tickBytes, limits.idleTickBytes)

/** How much a tick must do of each part of its prediction. */
export type TickExtents = {
  readonly attempts: PredictionExtent
  readonly wakes: PredictionExtent
  readonly reopens: PredictionExtent
}

/** How much a tick must do. `model` is as it was before the tick. */
export const extentsOf = (model: Model, tick: LoggedTick, predicted: TickPrediction): TickExtents => {
  const { node, states, limits } = model
  if (!node.running || recordsStartOrStop(tick)) return { attempts: 'none', wakes: 'none', reopens: 'none' }
  if (isFull(model, tick)) return { attempts: 'any', wakes: 'any', reopens: 'any' }
  const changesDraining = tick.events.some(({ type }) => type === 'DrainingStarted' || type === 'DrainingEnded')
  const isMuch = node.leftDue || predicted.attempts.length > limits.activitiesPerTick
  // A start looks through what has ended, so many of them in a tick, and attempts those of them that are overdue.
  const ended = [...states.values()].filter(({ activity }) => activity.standing === 'ended')
  return {
    attempts: changesDraining ? 'any' : isMuch ? 'some' : 'all',
    wakes: predicted.wakes.length > limits.wakesPerTick ? 'some' : 'all',
    reopens: changesDraining || ended.length > limits.activitiesPerTick ? 'any' : 'all',
  }
}

/** Whether a tick that has left activities waiting may have read more of them than it took. */
export const leavesDue = (model: Model, tick: LoggedTick, { attempts }: TickExtents, left: number): boolean =>
  left > 0 && attempts !== 'none' && (isFull(model, tick) || attempts !== 'all')
