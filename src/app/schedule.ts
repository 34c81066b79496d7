/**
 * The data of a recurring schedule and of its occurrences, and the pure decision what becomes of each occurrence that
 * has come due. Every occurrence gets a record, also the one that was not run.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { PartyC } from '../identity/Party.js'
import { InstantC, instantFromMillis, millisBetween, toMillis, type Instant } from '../time/Instant.js'
import { listBetween, nextAfter, portionBetween } from '../time/recurrence/occurrences.js'
import { RecurrenceC, type Recurrence } from '../time/recurrence/Recurrence.js'

/** What to do when an occurrence comes due while another one is still running. */
export type Overlap =
  /** The new one is not run. */
  | 'skip'
  /** One waits until the running one has ended; further ones are not run. */
  | 'buffer-one'
  /** Both run. */
  | 'allow'
  /** The running one is ended where it stands, and the new one runs. */
  | 'cancel-previous'

/** What to do with occurrences that are late beyond the grace, after an outage. */
export type Missed =
  /** Run them all, in order. */
  | 'run-all'
  /** Run the last of them. */
  | 'run-latest'
  /** Run none of them and go on with the next on the grid. */
  | 'skip-to-grid'

const outcomes = {
  running: null,
  buffered: null,
  completed: null,
  failed: null,
  missed: null,
  skipped: null,
  cancelled: null,
} as const

/** The schedule as its state holds it. */
export const scheduleCodec = <A>(payload: t.Type<A, unknown>) =>
  t.readonly(
    t.strict({
      owner: PartyC,
      id: t.string,
      payload,
      /** The rules in force, each from an instant on; the last is the present one. */
      rules: t.readonlyArray(t.readonly(t.strict({ from: InstantC, recurrence: RecurrenceC }))),
      next: t.union([InstantC, t.null]),
      /** The zone data that `next` was computed with. */
      zoneData: t.string,
      paused: t.union([t.null, t.readonly(t.strict({ at: InstantC, note: t.string }))]),
      /** How many occurrences there have been; each is numbered. */
      count: IntegerC,
      running: t.readonlyArray(IntegerC),
      buffered: t.union([IntegerC, t.null]),
    }),
  )

export const occurrenceCodec = <A>(payload: t.Type<A, unknown>) =>
  t.readonly(
    t.strict({
      owner: PartyC,
      schedule: t.string,
      number: IntegerC,
      payload,
      /** When it was due, or when someone asked for it. */
      at: InstantC,
      cause: t.keyof({ due: null, trigger: null, backfill: null }),
      outcome: t.keyof(outcomes),
      /** When it was decided upon, and when it ended. */
      decidedAt: InstantC,
      endedAt: t.union([InstantC, t.null]),
      error: t.union([t.string, t.null]),
      /** The zone data its instant was computed with. */
      zoneData: t.string,
    }),
  )

/** The state behind recurring work: its rule, its policies and where it stands. */
export type RecurringSchedule<A> = t.TypeOf<ReturnType<typeof scheduleCodec<A>>>
/** One occurrence of recurring work, with what came of it. */
export type RecurringOccurrence<A> = t.TypeOf<ReturnType<typeof occurrenceCodec<A>>>

/** The rule in force now. */
export const presentRule = ({ rules }: RecurringSchedule<unknown>): Recurrence | undefined => rules.at(-1)?.recurrence

/** Whether what is late must wait for what is running, so that all of it is run, one after the other. */
export const mustWait = (
  { next, running }: RecurringSchedule<unknown>,
  now: Instant,
  policy: { readonly missed: Missed; readonly overlap: Overlap; readonly graceMs: number },
): boolean =>
  policy.missed === 'run-all' &&
  policy.overlap !== 'allow' &&
  running.length > 0 &&
  next !== null &&
  millisBetween(next, now) > policy.graceMs

export type Due = { readonly at: Instant; readonly run: boolean }

/** What has come due by now, at most so many at a time; whatever is over is taken up again at once. */
const duesAtATime = 100

/** Which of the occurrences that have come due are to be run, and when the next comes. */
export const decideDues = (
  schedule: RecurringSchedule<unknown>,
  now: Instant,
  policy: { readonly missed: Missed; readonly graceMs: number },
): { readonly dues: readonly Due[]; readonly next: Instant | null } => {
  const rule = presentRule(schedule)
  if (schedule.next === null || rule === undefined) return { dues: [], next: null }
  const limit = policy.missed === 'run-all' ? 1 : duesAtATime
  const all = portionBetween(rule, schedule.next, now, limit)
  const last = all.at(-1) ?? schedule.next
  const next = nextAfter(rule, last) ?? null
  const isCaughtUp = next === null || next > now
  const dues = all.map((at): Due => {
    const isLate = millisBetween(at, now) > policy.graceMs
    switch (policy.missed) {
      case 'run-all':
        return { at, run: true }
      case 'run-latest':
        return { at, run: !isLate || (isCaughtUp && at === last) }
      case 'skip-to-grid':
        return { at, run: !isLate }
    }
  })
  return { dues, next }
}

/** The first instants of a past period, at most `most` of them, by the rule that was in force at each. */
export const instantsOfPast = (
  { rules }: RecurringSchedule<unknown>,
  from: Instant,
  until: Instant,
  most: number,
): readonly Instant[] => {
  const found: Instant[] = []
  for (const [index, { from: since, recurrence }] of rules.entries()) {
    const superseded = rules[index + 1]?.from
    // A rule begins after the instant it was given at; what falls on that instant is still the earlier rule's.
    const first = from > since ? from : instantFromMillis(toMillis(since) + 1)
    const last = superseded === undefined || superseded > until ? until : superseded
    if (first <= last) found.push(...listBetween(recurrence, first, last, most - found.length))
  }
  return found
}
