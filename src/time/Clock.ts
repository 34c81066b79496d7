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
  /**
   * Calls back, from time to time, while a clock that only a test moves has not been moved for long: who waits for it now
   * may wait for ever. Returns a function that ends the calls. Default: a clock moves by itself.
   */
  readonly whenStalled?: (callback: () => void) => () => void
}
