/**
 * Visits that repeat at a local time somewhere in the world, with notes of any size, in three versions of their state: what
 * the first version has made goes through two upcasters. What the flows do is the same in all of them.
 */
import * as t from 'io-ts'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  defineCommand,
  defineFlow,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  StateRefC,
  type AnyFlowDefinition,
  type AnyStateDefinition,
  type FlowBody,
  type FlowDefinition,
  type Instant,
  type StateDefinition,
} from 'carillon'
import { cron, nextAfter } from 'carillon/recurrence'

/** On which days, as the last three fields of a cron expression. */
export const daysOf = { daily: '* * *', on31st: '31 * *', onLeapDay: '29 2 *' } as const

const PlanC = t.strict({
  zone: t.string,
  time: t.string,
  every: t.keyof({ daily: null, on31st: null, onLeapDay: null }),
  notes: t.readonly(t.record(t.string, t.string)),
})
type Plan = t.TypeOf<typeof PlanC>

const ArrangedC = t.intersection([PlanC, t.strict({ owner: PartyC, round: IntegerC })])
const due = t.union([InstantC, t.null])
const V1C = t.intersection([ArrangedC, t.strict({ at: due })])
const V2C = t.intersection([ArrangedC, t.strict({ at: due, floor: IntegerC })])
const VisitC = t.intersection([ArrangedC, t.strict({ dueAt: due, floor: IntegerC })])

/** A visit as the last version has it. */
export type Visit = t.TypeOf<typeof VisitC>

const Call = defineCommand({ type: 'workshop/Call' })

const nextOf = ({ time, zone, every }: Plan, after: Instant): Instant | null => {
  const [hour, minute] = time.split(':').map(Number)
  return nextAfter(cron(`${minute} ${hour} ${daysOf[every]}`, zone), after) ?? null
}

type Version<A> = {
  readonly version: number
  readonly data: t.Type<A, unknown>
  readonly write: (visit: Visit) => A
  readonly read: (data: A) => Visit
}

/** What an app of one version has. */
export type Visits = {
  readonly states: readonly AnyStateDefinition[]
  readonly flows: readonly AnyFlowDefinition[]
  readonly Arrange: FlowDefinition<Plan, void>
}

const withDue = ({ at: dueAt, ...rest }: t.TypeOf<typeof V2C>): Visit => ({ ...rest, dueAt })

const versioned = <A>({ version, data, write, read }: Version<A>): Visits => {
  const Visit: StateDefinition<A> = defineState({
    type: 'workshop/Visit',
    version,
    data,
    participants: (visit) => [read(visit).owner],
    nextScheduledActivity: (visit, ref) => {
      const { dueAt } = read(visit)
      return dueAt === null ? none : some(Make.at(dueAt, { visit: ref }))
    },
    upcasters: {
      1: (older) => ({ ...(older as object), floor: 0 }),
      2: (older) => withDue(older as t.TypeOf<typeof V2C>),
    },
  })
  const Arrange = defineFlow({
    name: 'workshop/Arrange',
    input: PlanC,
    *run(io, plan): FlowBody<void> {
      const dueAt = nextOf(plan, yield* io.now())
      yield* io.finalise((tx) =>
        tx.produce(Visit, write({ ...plan, owner: io.me, round: 0, floor: 0, dueAt })).command(Call, [io.me]),
      )
    },
  })
  const Make = defineFlow({
    name: 'workshop/Make',
    schedulable: true,
    input: t.strict({ visit: StateRefC }),
    *run(io, { visit }): FlowBody<void> {
      const current = yield* io.load(Visit, visit)
      const made = read(current.data)
      const dueAt = made.dueAt === null || made.round >= 2 ? null : nextOf(made, made.dueAt)
      yield* io.finalise((tx) =>
        tx
          .consume(current)
          .produce(Visit, write({ ...made, round: made.round + 1, dueAt }))
          .command(Call, [io.me]),
      )
    },
  })
  return { states: [Visit], flows: [Arrange, Make], Arrange }
}

const withoutFloor = ({ dueAt: at, floor: _floor, ...rest }: Visit): t.TypeOf<typeof V1C> => ({ ...rest, at })

/** The versions, the oldest first. */
export const visitVersions: readonly [Visits, Visits, Visits] = [
  versioned({ version: 1, data: V1C, write: withoutFloor, read: (data) => withDue({ ...data, floor: 0 }) }),
  versioned({
    version: 2,
    data: V2C,
    write: ({ dueAt: at, ...rest }) => ({ ...rest, at }),
    read: withDue,
  }),
  versioned({ version: 3, data: VisitC, write: (visit) => visit, read: (visit) => visit }),
]
