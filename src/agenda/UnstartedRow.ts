/**
 * An attempt that started no flow: missed, failed to start, parked, dismissed. Attempts that did start one are flows;
 * together they are the occurrences.
 */
export type UnstartedOutcome = 'missed' | 'start-failed' | 'parked' | 'dismissed'

export type UnstartedRow = {
  readonly stateSeq: number
  readonly dueMs: number | null
  readonly attempt: number
  readonly outcome: UnstartedOutcome
  readonly latenessMs: number
  readonly atMs: number
  readonly revision: number
  /** Canonical text of the recorded error. */
  readonly error: string | null
  readonly by: string | null
}
