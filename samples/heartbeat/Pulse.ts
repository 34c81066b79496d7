/**
 * Listens to a node and tells the screen of every beat; a long series of beats that are made up for is told in
 * short. It only reads: whether someone listens makes no difference to the heart.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import type { StateRef } from 'carillon'
import type { PublicEventOf } from 'carillon/events'
import { BeatenC, type Beaten } from './flows/Beat.js'
import { SkippedC, type Skipped } from './flows/SkipMissedBeats.js'
import { flowNames } from './Heartbeat.js'
import type { Screen } from './Screen.js'

/** Of the beats that are made up for, so many are shown before the rest is told in short. */
const shownOfMany = 5
const tellEvery = 1_000

const catchUpPlan = 'They are made up for now, one by one and in order; the log keeps how late each of them was.'
const skipPlan = 'It is a heart that skips what it has missed, so it does.'

export class Pulse {
  readonly #screen: Screen
  readonly #onBeat: (beaten: Beaten) => void
  readonly #flowNames = new Map<string, string>()
  /** Set while missed beats are made up for. */
  #madeUp: { beats: number; readonly sinceMs: number } | undefined
  /** The state whose activity was started last. */
  lastStarted: StateRef | undefined

  constructor(screen: Screen, onBeat: (beaten: Beaten) => void) {
    this.#screen = screen
    this.#onBeat = onBeat
  }

  readonly hear = (event: PublicEventOf<'FlowStarted' | 'FlowEnded'>): void => {
    if (event.type === 'FlowStarted') {
      this.#flowNames.set(event.flow, event.name)
      if (event.origin.kind === 'activity') this.lastStarted = event.origin.ref
      return
    }
    const name = this.#flowNames.get(event.flow)
    this.#flowNames.delete(event.flow)
    if (event.outcome === 'failed') this.#screen.trouble(`${name ?? 'A flow'} failed: ${event.error?.message ?? ''}`)
    const beaten = BeatenC.decode(event.result)
    if (name === flowNames.beat && isRight(beaten)) this.#beat(beaten.right)
    const skipped = SkippedC.decode(event.result)
    if (name === flowNames.skipMissed && isRight(skipped)) this.#skip(skipped.right)
  }

  #beat(beaten: Beaten): void {
    const { latenessMs, intervalMs, due } = beaten
    if (latenessMs > intervalMs && this.#madeUp === undefined) {
      this.#madeUp = { beats: 0, sinceMs: performance.now() }
      this.#screen.away(due, latenessMs, Math.ceil(latenessMs / intervalMs), catchUpPlan)
    }
    if (this.#madeUp === undefined) this.#screen.beat(beaten)
    else this.#makeUp(beaten, this.#madeUp)
    this.#onBeat(beaten)
  }

  #makeUp(beaten: Beaten, madeUp: { beats: number; readonly sinceMs: number }): void {
    madeUp.beats += 1
    if (madeUp.beats <= shownOfMany) this.#screen.beat(beaten)
    else if (madeUp.beats === shownOfMany + 1 || madeUp.beats % tellEvery === 0) this.#screen.more(beaten)
    if (beaten.latenessMs > beaten.intervalMs) return
    this.#screen.caughtUp(madeUp.beats, performance.now() - madeUp.sinceMs)
    this.#madeUp = undefined
  }

  #skip(skipped: Skipped): void {
    this.#screen.away(skipped.due, skipped.latenessMs, skipped.skipped, skipPlan)
    this.#screen.skip(skipped)
  }
}
