/**
 * The limits of a tick, of the flows in it, and of the waits between ticks.
 */
import { agendaLimits, type AgendaLimits } from '../agenda/limits.js'
import type { LimitsLike } from '../limits.js'
import { sessionLimits, type SessionLimits } from '../session/limits.js'

const KiB = 1024

/** The limits of a tick, of the flows in it, and of the waits between ticks. */
export const engineLimits = {
  /**
   * A tick closes once its events reach this size. What a flow that is under way may still add (a transaction, its
   * record, its result) is bounded below, so that a tick always stays one append on every log adapter: the
   * smallest limit among them is EventStoreDB's 1 MiB.
   */
  tickBytes: 384 * KiB,
  /**
   * A tick that follows another closes already at this size when nothing is on its way to the disk: waiting for more
   * would leave the disk idle. As long as the disk is busy it goes on, so the slower the disk is the more shares a sync.
   * Below 128 KiB the texts of a tick are ordinary objects to the garbage collector, which handles larger ones page by
   * page.
   */
  idleTickBytes: 96 * KiB,
  /** API calls, finished steps and messages decided in one tick; more wait for the next. */
  inputsPerTick: 1_000,
  /** Due activities started in one tick, so that catching up after an outage never starves the API. */
  activitiesPerTick: 1_000,
  /** Due activities that are read at a time: a tick is often full before it has taken all it may. */
  dueAtATime: 256,
  /** States of one type that the app is asked about again in one tick. */
  reassessedPerTick: 500,
  /** Sleeping or ready flows woken in one tick, for the same reason. */
  wakesPerTick: 1_000,
  /** Inputs that may wait for a tick before callers are told that the node is busy. */
  waitingInputs: 100_000,
  /** Operations one flow may record; longer work belongs in several flows. */
  operationsPerFlow: 10_000,
  /** Operations one flow may run in a single tick before the others get their turn. */
  operationsPerTurn: 1_000,
  /** Bytes of unrecorded operations after which a flow's turn ends, so that its record always fits a fact. */
  turnBytes: 64 * KiB,
  /** Size of a step's recorded result; larger things belong in an outside store, with their name recorded. */
  stepResultBytes: 128 * KiB,
  /** Size of what a flow returns, for the same reason. */
  flowResultBytes: 128 * KiB,
  /** Suspended flows whose generators are kept in memory; the others are rebuilt when they wake. */
  liveFlows: 1_000,
  /** Steps that have a place at one time. A step that takes long gives its place to others, and goes on without it. */
  stepsInFlight: 256,
  /** After so long a step gives its place back when another one waits for it. */
  stepPlaceMs: 1_000,
  /** After so long a step is listed as hanging, and needs attention. Only a timeout that it names ends it. */
  stepHangsMs: 60_000,
  /** Wait before a tick is tried again after the disk was full. */
  storeRetryMs: 1_000,
  /** Longest wait between two tries of a tick that could not be written, to a server that may be away for hours. */
  storeRetryLongestMs: 3_000,
  /** Time between two log lines about a log that cannot be written. */
  troubleLineMs: 10_000,
  /** A clock that is off by so much from the time that has passed has jumped: no clock is corrected by that much unnoticed. */
  clockJumpMs: 1_000,
  /** Activities remembered because a recheck has moved them: enough for all that move on again and again within minutes. */
  movesRemembered: 10_000,
  /** Starts of the same code that did not return before the process was ended; then it is parked. */
  startsNotReturned: 3,
  /** Code of an app that has not returned after so long is reported by the watchdog. */
  codeReturnsMs: 5_000,
  /** How often the watchdog looks. */
  watchdogLookMs: 500,
  /** States and flows remembered because their code did not return. */
  notReturnedKept: 100,
  /** How long a node that stops waits for its final events to be written when the log does not answer. */
  finalEventsMs: 5_000,
} as const

/** The limits of the loop, as a node was given them. */
export type EngineLimits = LimitsLike<typeof engineLimits>

/** The limits that a tick goes by. */
export type TickLimits = {
  readonly agenda: AgendaLimits
  readonly session: SessionLimits
  readonly engine: EngineLimits
}

/** The limits of a tick whose node was given none. */
export const tickLimits: TickLimits = { agenda: agendaLimits, session: sessionLimits, engine: engineLimits }
