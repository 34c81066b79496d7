/**
 * One signal that a flow was sent. It is kept until the flow takes it, and its number until the flow ends.
 */
export type SignalRow = {
  readonly flowSeq: number
  /** The first signal of a flow is number 1. */
  readonly seq: number
  readonly name: string
  /** Canonical text. */
  readonly data: string
  readonly by: string
  readonly atMs: number
  /** Given by the sender, so that the same signal sent again counts once. */
  readonly id: string | null
}
