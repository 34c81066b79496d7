/**
 * Something that befell a flow, or that an operator did about it.
 */
export type TroubleKind =
  'failed a try' | 'parked' | 'retried' | 'paused' | 'resumed' | 'cancelled' | 'superseded after a step' | 'dismissed'

export type TroubleRow = {
  readonly flowSeq: number
  readonly revision: number
  /** Several can happen at one revision. */
  readonly place: number
  readonly atMs: number
  readonly what: TroubleKind
  readonly by: string | null
  /** Canonical text of the recorded error. */
  readonly error: string | null
  readonly retryAt: string | null
}
