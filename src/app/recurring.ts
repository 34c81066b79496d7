/**
 * Makes a schedulable state and its flows of any recurrence: define once what is to be run, then create, change,
 * pause, resume, trigger and backfill schedules of it. Each occurrence is a state of its own, with its outcome.
 */
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { defineFlow, type AnyFlowDefinition, type FlowBody, type FlowDefinition } from './FlowDefinition.js'
import type { FlowIo } from './FlowIo.js'
import { activity } from '../ledger/Activity.js'
import { defineCommand } from '../ledger/Command.js'
import { defineState, type AnyStateDefinition, type StateDefinition } from '../ledger/StateDefinition.js'
import type { StateAndRef } from '../ledger/StateAndRef.js'
import { StateRefC } from '../ledger/StateRef.js'
import { InstantC, type Instant } from '../time/Instant.js'
import { checkRecurrence, nextAfter } from '../time/recurrence/occurrences.js'
import { RecurrenceC, type Recurrence } from '../time/recurrence/Recurrence.js'
import { zoneDataVersion } from '../time/zoneDataVersion.js'
import {
  decideDues,
  instantsOfPast,
  mustWait,
  occurrenceCodec,
  presentRule,
  scheduleCodec,
  type Missed,
  type Overlap,
  type RecurringOccurrence,
  type RecurringSchedule,
} from './schedule.js'

/** What an app says about recurring work. */
export type RecurringOptions<A> = {
  /** A name that stays the same for ever, such as `reports/Nightly`. States and flows are named after it. */
  readonly name: string
  /** The codec of what a schedule hands to each of its occurrences. */
  readonly payload: t.Type<A, unknown>
  /** What each occurrence does. It may suspend for as long as it likes. */
  readonly run: (io: FlowIo, occurrence: RecurringOccurrence<A>) => FlowBody<unknown>
  /** Default `skip`. */
  readonly overlap?: Overlap
  /** Default `run-latest`. */
  readonly missed?: Missed
  /** Lateness up to which an occurrence counts as on time. Default one minute. */
  readonly graceMs?: number
}

/** What {@link recurring} makes: the state, the flows, and what can be done to it. */
export type Recurring<A> = {
  readonly Schedule: StateDefinition<RecurringSchedule<A>>
  readonly Occurrence: StateDefinition<RecurringOccurrence<A>>
  /** All states and flows, for the app. */
  readonly states: readonly AnyStateDefinition[]
  readonly flows: readonly AnyFlowDefinition[]
  /** Begins a schedule; its first occurrence is the first after now. */
  readonly Create: FlowDefinition<
    { readonly id: string; readonly recurrence: Recurrence; readonly payload: A },
    Instant | null
  >
  /** Gives a schedule another rule from now on. The old rule is kept for backfills of its time. */
  readonly Change: FlowDefinition<{ readonly id: string; readonly recurrence: Recurrence }, Instant | null>
  /** Nothing comes due until it is resumed; what would have, is not made up for. */
  readonly Pause: FlowDefinition<{ readonly id: string; readonly note: string }, void>
  readonly Resume: FlowDefinition<{ readonly id: string }, Instant | null>
  /** Runs an occurrence now, under the overlap policy; gives its number. */
  readonly Trigger: FlowDefinition<{ readonly id: string }, number>
  /** Ends an occurrence that is running, also one whose flow an operator has killed; says whether it was running. */
  readonly Cancel: FlowDefinition<{ readonly id: string; readonly number: number }, boolean>
  /** Runs the occurrences of a past period, by the rules that were then in force; gives how many. */
  readonly Backfill: FlowDefinition<{ readonly id: string; readonly from: Instant; readonly until: Instant }, number>
}

const defaultGraceMs = 60_000
const mostBackfilled = 100
const mostTries = 20

/** Makes a schedulable state and its flows of any recurrence: list both in the app, and start it with `start`. */
export const recurring = <A>(options: RecurringOptions<A>): Recurring<A> => {
  const { name, overlap = 'skip', missed = 'run-latest', graceMs = defaultGraceMs } = options
  type ScheduleData = RecurringSchedule<A>
  type OccurrenceData = RecurringOccurrence<A>
  const Command = defineCommand({ type: `${name}/Command` })
  const fireName = `${name}/Fire`
  const runName = `${name}/Run`

  const Schedule: StateDefinition<ScheduleData> = defineState<ScheduleData>({
    type: `${name}/Schedule`,
    data: scheduleCodec(options.payload),
    participants: ({ owner }) => [owner],
    key: ({ id }) => id,
    nextScheduledActivity: ({ next, paused, id }) =>
      next === null || paused !== null ? none : some(activity(next, { name: fireName, input: { id } })),
  })
  const keyOf = (schedule: string, number: number): string => `${schedule}#${number}`
  const Occurrence: StateDefinition<OccurrenceData> = defineState<OccurrenceData>({
    type: `${name}/Occurrence`,
    data: occurrenceCodec(options.payload),
    participants: ({ owner }) => [owner],
    key: ({ schedule, number }) => keyOf(schedule, number),
    nextScheduledActivity: ({ outcome, decidedAt }, { transaction, index }) =>
      outcome === 'running'
        ? some(activity(decidedAt, { name: runName, input: { occurrence: { transaction, index } } }))
        : none,
  })

  /** A schedule and some of its occurrences, as one flow changes them. */
  type Sheet = { schedule: ScheduleData; readonly occurrences: Map<number, OccurrenceData> }

  /**
   * Reads a schedule, lets `work` change it, and writes all in one transaction; whoever lost a race reads again. Once it
   * is on the ledger that an occurrence is cancelled, its flow is ended: not before, or a lost race would end it in vain.
   */
  const change = function* <R>(io: FlowIo, id: string, work: (sheet: Sheet, now: Instant) => FlowBody<R>): FlowBody<R> {
    for (let tries = 1; ; tries++) {
      const before = yield* io.find(Schedule, id)
      if (before === undefined)
        throw new CarillonError('state-unknown', `There is no schedule "${id}" of ${name}.`, { id })
      const now = yield* io.now()
      const sheet: Sheet = { schedule: before.data, occurrences: new Map() }
      const result = yield* work(sheet, now)
      if (sheet.schedule === before.data && sheet.occurrences.size === 0) return result
      const replaced: StateAndRef<OccurrenceData>[] = []
      for (const number of sheet.occurrences.keys()) {
        const known = yield* io.find(Occurrence, keyOf(id, number))
        if (known !== undefined) replaced.push(known)
      }
      const written = yield* io.attempt(
        io.finalise((tx) => {
          tx.consume(before, ...replaced).produce(Schedule, sheet.schedule)
          for (const occurrence of sheet.occurrences.values()) tx.produce(Occurrence, occurrence)
          return tx.command(Command, [io.me])
        }),
      )
      if (written._tag === 'Right') {
        for (const { data, ref } of replaced)
          if (sheet.occurrences.get(data.number)?.outcome === 'cancelled') yield* io.killFlowOf(ref)
        return result
      }
      if (written.left.code !== 'state-consumed' || tries === mostTries) throw written.left
    }
  }

  const record = (
    sheet: Sheet,
    at: Instant,
    now: Instant,
    cause: OccurrenceData['cause'],
    outcome: OccurrenceData['outcome'],
  ): number => {
    const { schedule } = sheet
    const number = schedule.count + 1
    const isOver = outcome === 'missed' || outcome === 'skipped'
    sheet.occurrences.set(number, {
      owner: schedule.owner,
      schedule: schedule.id,
      number,
      payload: schedule.payload,
      at,
      cause,
      outcome,
      decidedAt: now,
      endedAt: isOver ? now : null,
      error: null,
      zoneData: schedule.zoneData,
    })
    sheet.schedule = { ...schedule, count: number }
    return number
  }

  const start = (sheet: Sheet, at: Instant, now: Instant, cause: OccurrenceData['cause']): number => {
    const number = record(sheet, at, now, cause, 'running')
    sheet.schedule = { ...sheet.schedule, running: [...sheet.schedule.running, number] }
    return number
  }

  const cancelRunning = function* (io: FlowIo, sheet: Sheet, now: Instant): FlowBody<void> {
    for (const number of sheet.schedule.running) {
      const running =
        sheet.occurrences.get(number) ?? (yield* io.find(Occurrence, keyOf(sheet.schedule.id, number)))?.data
      if (running !== undefined) sheet.occurrences.set(number, { ...running, outcome: 'cancelled', endedAt: now })
    }
    sheet.schedule = { ...sheet.schedule, running: [] }
  }

  /** Starts an occurrence, or does with it what the overlap policy says. */
  const admit = function* (
    io: FlowIo,
    sheet: Sheet,
    at: Instant,
    now: Instant,
    cause: OccurrenceData['cause'],
  ): FlowBody<number> {
    if (sheet.schedule.running.length === 0 || overlap === 'allow') return start(sheet, at, now, cause)
    if (overlap === 'cancel-previous') {
      yield* cancelRunning(io, sheet, now)
      return start(sheet, at, now, cause)
    }
    if (overlap === 'skip' || sheet.schedule.buffered !== null) return record(sheet, at, now, cause, 'skipped')
    const buffered = record(sheet, at, now, cause, 'buffered')
    sheet.schedule = { ...sheet.schedule, buffered }
    return buffered
  }

  const Fire = defineFlow({
    name: fireName,
    schedulable: true,
    // It leaves the schedule as it is while what is running must end first.
    leavesState: true,
    input: t.readonly(t.strict({ id: t.string })),
    run: (io, { id }): FlowBody<void> =>
      change(io, id, function* (sheet, now): FlowBody<void> {
        // The end of what is running writes the schedule again, which then comes due at once.
        if (mustWait(sheet.schedule, now, { missed, overlap, graceMs })) return
        const { dues, next } = decideDues(sheet.schedule, now, { missed, graceMs })
        for (const { at, run } of dues) {
          if (run) yield* admit(io, sheet, at, now, 'due')
          else record(sheet, at, now, 'due', 'missed')
        }
        sheet.schedule = { ...sheet.schedule, next, zoneData: zoneDataVersion() }
      }),
  })

  /** An occurrence is not running any more: the one that waited for it begins. */
  const release = function* (io: FlowIo, sheet: Sheet, number: number, now: Instant): FlowBody<void> {
    const running = sheet.schedule.running.filter((other) => other !== number)
    sheet.schedule = { ...sheet.schedule, running }
    const { buffered, id } = sheet.schedule
    if (buffered === null || running.length > 0) return
    const waiting = (yield* io.find(Occurrence, keyOf(id, buffered)))?.data
    if (waiting !== undefined) sheet.occurrences.set(buffered, { ...waiting, outcome: 'running', decidedAt: now })
    sheet.schedule = { ...sheet.schedule, running: [buffered], buffered: null }
  }

  /** Accounts for the end of an occurrence, and lets the one that waited for it begin. */
  const settle = (io: FlowIo, made: OccurrenceData, error: string | null): FlowBody<void> =>
    change(io, made.schedule, function* (sheet, now): FlowBody<void> {
      const present = (yield* io.find(Occurrence, keyOf(made.schedule, made.number)))?.data
      if (present?.outcome !== 'running') return
      sheet.occurrences.set(made.number, {
        ...present,
        outcome: error === null ? 'completed' : 'failed',
        endedAt: now,
        error,
      })
      yield* release(io, sheet, made.number, now)
    })

  const Run = defineFlow({
    name: runName,
    schedulable: true,
    input: t.readonly(t.strict({ occurrence: StateRefC })),
    *run(io, { occurrence }): FlowBody<void> {
      const { data: made } = yield* io.load(Occurrence, occurrence)
      let error: string | null = null
      try {
        yield* options.run(io, made)
      } catch (thrown) {
        // To be parked is the flow's own wish and not an outcome.
        if (thrown instanceof CarillonError && thrown.consequence === 'park') throw thrown
        error = messageOf(thrown)
      }
      yield* settle(io, made, error)
    },
  })

  const nextOf = (recurrence: Recurrence, now: Instant): Instant | null => nextAfter(recurrence, now) ?? null

  const Create = defineFlow({
    name: `${name}/Create`,
    input: t.readonly(t.strict({ id: t.string, recurrence: RecurrenceC, payload: options.payload })),
    *run(io, { id, recurrence, payload }): FlowBody<Instant | null> {
      const now = yield* io.now()
      const next = nextOf(checkRecurrence(recurrence), now)
      yield* io.finalise((tx) =>
        tx
          .produce(Schedule, {
            owner: io.me,
            id,
            payload,
            rules: [{ from: now, recurrence }],
            next,
            zoneData: zoneDataVersion(),
            paused: null,
            count: 0,
            running: [],
            buffered: null,
          })
          .command(Command, [io.me]),
      )
      return next
    },
  })

  const idInput = t.readonly(t.strict({ id: t.string }))

  const Change = defineFlow({
    name: `${name}/Change`,
    input: t.readonly(t.strict({ id: t.string, recurrence: RecurrenceC })),
    run: (io, { id, recurrence }): FlowBody<Instant | null> =>
      // oxlint-disable-next-line require-yield -- every work on a sheet is a generator, this one has nothing to ask
      change(io, id, function* (sheet, now): FlowBody<Instant | null> {
        const next = nextOf(checkRecurrence(recurrence), now)
        const rules = [...sheet.schedule.rules, { from: now, recurrence }]
        sheet.schedule = { ...sheet.schedule, rules, next, zoneData: zoneDataVersion() }
        return next
      }),
  })

  const Pause = defineFlow({
    name: `${name}/Pause`,
    input: t.readonly(t.strict({ id: t.string, note: t.string })),
    run: (io, { id, note }): FlowBody<void> =>
      // oxlint-disable-next-line require-yield -- as above
      change(io, id, function* (sheet, now): FlowBody<void> {
        sheet.schedule = { ...sheet.schedule, paused: { at: now, note } }
      }),
  })

  const Resume = defineFlow({
    name: `${name}/Resume`,
    input: idInput,
    run: (io, { id }): FlowBody<Instant | null> =>
      // oxlint-disable-next-line require-yield -- as above
      change(io, id, function* (sheet, now): FlowBody<Instant | null> {
        const rule = presentRule(sheet.schedule)
        const next = rule === undefined ? null : nextOf(rule, now)
        sheet.schedule = { ...sheet.schedule, paused: null, next, zoneData: zoneDataVersion() }
        return next
      }),
  })

  const Trigger = defineFlow({
    name: `${name}/Trigger`,
    input: idInput,
    run: (io, { id }): FlowBody<number> => change(io, id, (sheet, now) => admit(io, sheet, now, now, 'trigger')),
  })

  const Cancel = defineFlow({
    name: `${name}/Cancel`,
    input: t.readonly(t.strict({ id: t.string, number: IntegerC })),
    run: (io, { id, number }): FlowBody<boolean> =>
      change(io, id, function* (sheet, now): FlowBody<boolean> {
        const present = (yield* io.find(Occurrence, keyOf(id, number)))?.data
        if (present?.outcome !== 'running') return false
        sheet.occurrences.set(number, { ...present, outcome: 'cancelled', endedAt: now })
        yield* release(io, sheet, number, now)
        return true
      }),
  })

  const Backfill = defineFlow({
    name: `${name}/Backfill`,
    input: t.readonly(t.strict({ id: t.string, from: InstantC, until: InstantC })),
    run: (io, { id, from, until }): FlowBody<number> =>
      // oxlint-disable-next-line require-yield -- as above
      change(io, id, function* (sheet, now): FlowBody<number> {
        const instants = instantsOfPast(sheet.schedule, from, until < now ? until : now, mostBackfilled + 1)
        if (instants.length > mostBackfilled)
          throw new CarillonError(
            'query-unbounded',
            `The period from ${from} to ${until} has more than ${mostBackfilled} occurrences, which is as many as are backfilled at a time. Ask in portions.`,
            { id },
          )
        for (const at of instants) start(sheet, at, now, 'backfill')
        return instants.length
      }),
  })

  return {
    Schedule,
    Occurrence,
    states: [Schedule, Occurrence],
    flows: [Fire, Run, Create, Change, Pause, Resume, Trigger, Cancel, Backfill],
    Create,
    Change,
    Pause,
    Resume,
    Trigger,
    Cancel,
    Backfill,
  }
}
