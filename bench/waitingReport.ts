/** What a node on a store with waiting flows reports of itself. */
import * as t from 'io-ts'

export const WaitingReportC = t.strict({
  startMs: t.number,
  rssMB: t.number,
  /** Half of the states that wake no flow took no longer than this to record. */
  wakesNoneMs: t.number,
  /** The same of those that wake one, until they are durable. */
  wakesOneMs: t.number,
  /** How many flows were woken, and have ended. */
  woken: t.number,
})
export type WaitingReport = t.TypeOf<typeof WaitingReportC>
