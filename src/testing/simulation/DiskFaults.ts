/**
 * What befalls the writes of one party, as a simulation orders it: they are refused, are slow, go unanswered, or take
 * the whole machine with them, right before a write or right after.
 */
import { CarillonError } from '../../errors/CarillonError.js'

/** On which side of a commit the power goes out. */
export type PowerCut = 'before' | 'after'

/** What becomes of one write. */
export type Fate = 'taken' | 'refused' | 'cutBefore' | 'cutAfter'

export class DiskFaults {
  #cut: { readonly side: PowerCut; commitsLeft: number } | undefined
  #failures = 0
  #slowTurns = 0
  #silences: { left: number; readonly arrives: boolean } | undefined
  /** How many writes were refused, and how many appends went unanswered. */
  refusals = 0
  silences = 0
  /** Whether the power went out since the store was last opened. */
  wasCut = false

  /** The power goes out at the commit after so many others. */
  cutAt(side: PowerCut, commitsLeft: number): void {
    this.#cut = { side, commitsLeft }
  }

  /** The next commits fail, as on a full disk. */
  failNext(commits: number): void {
    this.#failures = commits
  }

  /** Every commit takes so many turns of the event loop, in which others go on. */
  slowDown(turns: number): void {
    this.#slowTurns = turns
  }

  /** Nobody hears what became of the next appends to a log elsewhere; whether they `arrive` is another matter. */
  silence(appends: number, arrives: boolean): void {
    this.#silences = { left: appends, arrives }
  }

  /** Nothing fails from now on. */
  mend(): void {
    this.#cut = undefined
    this.#failures = 0
    this.#slowTurns = 0
    this.#silences = undefined
  }

  get isSlow(): boolean {
    return this.#slowTurns > 0
  }

  /** Lets others go on for as long as a slow write takes. */
  async takeTime(): Promise<void> {
    for (let turn = 0; turn < this.#slowTurns; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Whether the next append goes unanswered, and then whether it arrives. */
  nextSilence(): 'answered' | 'arrives' | 'lost' {
    if (this.#silences === undefined || this.#silences.left === 0) return 'answered'
    this.#silences.left -= 1
    this.silences += 1
    return this.#silences.arrives ? 'arrives' : 'lost'
  }

  /** What becomes of the next write. */
  nextFate(): Fate {
    if (this.#failures > 0) {
      this.#failures -= 1
      this.refusals += 1
      return 'refused'
    }
    const cut = this.#cut
    if (cut === undefined) return 'taken'
    cut.commitsLeft -= 1
    if (cut.commitsLeft >= 0) return 'taken'
    this.#cut = undefined
    this.wasCut = true
    return cut.side === 'after' ? 'cutAfter' : 'cutBefore'
  }
}

/** What a write throws that is cut short. */
export const powerIsOut = (): CarillonError =>
  new CarillonError('store-corrupt', 'The power of the simulated machine went out.')

/** What a write is refused with. */
export const diskIsFull = (): CarillonError => new CarillonError('disk-full', 'The simulated disk is full.')
