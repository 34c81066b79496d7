/**
 * The clock a node reads. Nothing else in Carillon knows what time it is; a decision gets its time from the
 * tick it is made in, and the tick has read it here once.
 */
export type Clock = {
  /** Whether time passes only when the clock is moved. Then a node runs without threads, so that nothing depends on the machine. Default false. */
  readonly isVirtual?: boolean
  /** Epoch milliseconds, UTC. */
  readonly now: () => number
  /** Milliseconds since some moment, by a clock that nobody can set; a clock that has none cannot tell when it is set ahead. */
  readonly steadyMs?: () => number
  /**
   * Calls back once, when this clock has reached `atMs` and possibly sooner: the caller re-reads the clock and
   * asks again. Returns a function that cancels the call; a cancelled one never comes.
   */
  readonly wakeAt: (atMs: number, callback: () => void) => () => void
}
