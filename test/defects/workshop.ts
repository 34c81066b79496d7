/** A workshop of one party, made to go through everything a single node does: steps, sleeps, twins, windows, rules. */
import * as t from 'io-ts'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  allOf,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  rule,
  StateRefC,
  toMillis,
  type App,
  type FlowBody,
} from 'carillon'
import type { Chance, Invariant, SimulationOptions, Turn } from 'carillon/testing'
import { answerTheDoor, doorCounts } from './door.js'
import { visitVersions, type Visits } from './visits.js'
import { localIn, visitCounts, visitsBegin, visitsInTime, visitsKept } from './visitsJudged.js'

const Do = defineCommand({ type: 'workshop/Do' })
const JobC = t.strict({ owner: PartyC, name: t.string, round: IntegerC, dueAt: t.union([InstantC, t.null]) })
const JobKind = { type: 'workshop/Job', data: JobC } as const

const Job = defineState({
  ...JobKind,
  contract: defineContract({
    name: 'workshop/Job',
    verify: (transaction) =>
      allOf(transaction.outputsOf(JobKind).map(({ data }) => rule('at most four rounds', data.round <= 4))),
  }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ dueAt }, job) => (dueAt === null ? none : some(Work.at(dueAt, { job }))),
})

/** Takes a job on, or several at once; `round` may be more than the rules allow. */
const Take = defineFlow({
  name: 'workshop/Take',
  input: t.strict({ names: t.readonlyArray(t.string), inMs: IntegerC, round: IntegerC }),
  *run(io, { names, inMs, round }): FlowBody<void> {
    const dueAt = plus(yield* io.now(), { milliseconds: inMs })
    for (const name of names)
      yield* io.finalise((tx) => tx.produce(Job, { owner: io.me, name, round, dueAt }).command(Do, [io.me]))
  },
})

/** The activity: a twin of the job is taken along, so that it must not run any more. */
const Work = defineFlow({
  name: 'workshop/Work',
  schedulable: true,
  input: t.strict({ job: StateRefC }),
  *run(io, { job }): FlowBody<string> {
    const current = yield* io.load(Job, job)
    const { name, round, dueAt } = current.data
    if (name === 'brittle') throw new Error('it broke')
    if (name === 'slow') {
      yield* io.step('cut', () => `cut ${round}`, { retry: { attempts: 5, firstWaitMs: 500 } })
      const before = yield* io.now()
      yield* io.sleep({ seconds: 3 })
      const after = yield* io.now()
      if (after < plus(before, { seconds: 3 })) throw new Error('woken too early')
    }
    const twins = (yield* io.query(Job)).filter(
      ({ data, ref }) => data.name === name && ref.transaction !== job.transaction,
    )
    const next = name === 'once' || round >= 3 ? null : plus(dueAt ?? (yield* io.now()), { seconds: 2 })
    yield* io.finalise((tx) => {
      tx.consume(current, ...twins).produce(Job, { ...current.data, round: round + 1, dueAt: next })
      if (dueAt !== null) tx.timeWindow({ from: dueAt })
      return tx.command(Do, [io.me])
    })
    return name
  },
})

/** Must be refused: its time window ends at this very instant. */
const TooLate = defineFlow({
  name: 'workshop/TooLate',
  input: t.strict({ name: t.string }),
  *run(io, { name }): FlowBody<void> {
    const until = yield* io.now()
    yield* io.finalise((tx) =>
      tx.produce(Job, { owner: io.me, name, round: 0, dueAt: null }).command(Do, [io.me]).timeWindow({ until }),
    )
  },
})

/** A tool is sharpened now and then, by a flow that holds it meanwhile; others borrow it or throw it away. */
const StoneC = t.keyof({ good: null, stuck: null })
const Tool = defineState({
  type: 'workshop/Tool',
  data: t.strict({ owner: PartyC, edge: IntegerC, stone: StoneC, dueAt: InstantC }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ dueAt, edge }, tool) => (edge >= 3 ? none : some(Sharpen.at(dueAt, { tool }))),
})

const BuyTools = defineFlow({
  name: 'workshop/BuyTools',
  input: t.strict({ stones: t.readonlyArray(StoneC), inMs: IntegerC }),
  *run(io, { stones, inMs }): FlowBody<void> {
    const dueAt = plus(yield* io.now(), { milliseconds: inMs })
    yield* io.finalise((tx) => {
      for (const stone of stones) tx.produce(Tool, { owner: io.me, edge: 0, stone, dueAt })
      return tx.command(Do, [io.me])
    })
  },
})

/** Long enough to be listed as hanging before its timeout comes. */
const grindLimit = { minutes: 2 }

const Sharpen = defineFlow({
  name: 'workshop/Sharpen',
  schedulable: true,
  holdsState: true,
  input: t.strict({ tool: StateRefC }),
  *run(io, { tool }): FlowBody<void> {
    const before = yield* io.load(Tool, tool)
    if (before.data.stone === 'stuck')
      yield* io.attempt(
        io.step('grind on the stuck stone', () => new Promise<void>(() => undefined), {
          timeout: grindLimit,
          retry: { attempts: 1 },
        }),
      )
    yield* io.step('grind', () => undefined, { retry: { attempts: 20, firstWaitMs: 500 } })
    // No wait between a step and what it is for: here the tool must still be there.
    yield* io.finalise((tx) =>
      tx.replace(before, { edge: before.data.edge + 1, dueAt: plus(before.data.dueAt, { seconds: 4 }) }),
    )
  },
})

/** Reserves a tool for a while and changes it then. */
const Borrow = defineFlow({
  name: 'workshop/Borrow',
  input: t.strict({ inMs: IntegerC }),
  *run(io, { inMs }): FlowBody<string> {
    const [tool] = yield* io.query(Tool, { where: { locked: false }, limit: 1 })
    if (tool === undefined) return 'there is none'
    yield* io.lock(tool.ref)
    yield* io.sleep({ milliseconds: inMs })
    yield* io.finalise((tx) => tx.replace(tool, { dueAt: plus(tool.data.dueAt, { seconds: 1 }) }))
    return 'brought back'
  },
})

/** Consumes any tool, without asking who has it. */
const ThrowAway = defineFlow({
  name: 'workshop/ThrowAway',
  input: t.strict({}),
  *run(io): FlowBody<void> {
    const [tool] = yield* io.query(Tool, { limit: 1 })
    if (tool !== undefined) yield* io.finalise((tx) => tx.consume(tool).command(Do, [io.me]))
  },
})

const names = ['once', 'twin', 'slow', 'brittle', 'plain']

const useTools = async ({ chance, start }: Turn): Promise<void> => {
  if (chance.oneIn(2)) {
    const stones = Array.from({ length: chance.between(1, 2) }, () =>
      chance.oneIn(20) ? ('stuck' as const) : ('good' as const),
    )
    await start(BuyTools, { stones, inMs: chance.pick([0, 1_000, 5_000]) })
  }
  if (chance.oneIn(3)) await start(Borrow, { inMs: chance.pick([0, 1_000, 20_000]) })
  if (chance.oneIn(2)) await start(ThrowAway, {})
}

const zones = [
  // Those that histories begin with a change in come more often.
  ...['Europe/Berlin', 'Europe/Berlin', 'Europe/Berlin', 'Europe/Berlin', 'Pacific/Apia', 'Pacific/Apia'],
  ...['America/New_York', 'America/New_York', 'America/New_York', 'America/New_York'],
  ...['UTC', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'],
]

/** Ten in words that sort as they count and ten that do not, or very many. */
const notesOf = (chance: Chance): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length: chance.pick([0, 20, 40, 300]) }, (_, place) => [
      place % 2 === 0 ? String((place * 7) % 301) : `note ${place}`,
      chance.pick(['oil', 'clean', '']),
    ]),
  )

const arrange = async ({ chance, now, start }: Turn): Promise<void> => {
  const zone = chance.pick(zones)
  // The next full minute there is, so that the first visit is due within the history.
  const [, time = ''] = localIn(zone, toMillis(now) + 60_000).split(' ')
  const every = chance.pick(['daily', 'daily', 'daily', 'on31st', 'onLeapDay'] as const)
  await start(last.Arrange, { zone, time, every, notes: notesOf(chance) })
}

const busy = async (turn: Turn): Promise<void> => {
  const { chance, start } = turn
  if (chance.oneIn(3)) await useTools(turn)
  if (chance.oneIn(2)) await arrange(turn)
  if (chance.oneIn(4)) await answerTheDoor(turn)
  if (chance.oneIn(6)) await start(TooLate, { name: 'late' })
  const jobs = chance.some(names, chance.between(1, 3))
  const twice = chance.oneIn(3) ? ['twin', 'twin'] : []
  await start(Take, {
    names: [...jobs, ...twice],
    inMs: chance.pick([0, 500, 2_000, 30_000, 300_000]),
    round: chance.oneIn(6) ? 7 : 0,
  })
}

/** The reasons for which a flow of the workshop may fail. */
const goodReasons = ['it broke', 'at most four rounds', 'was already consumed', 'it is', 'said no', 'is reserved by']

const failsForAReason: Invariant = {
  name: 'flows fail only for good reasons',
  violations: ({ parties }) =>
    parties.flatMap(({ inspect }) =>
      inspect
        .flows({ status: 'failed', limit: 1_000 })
        .items.filter(({ name, error }) => {
          const message = error?.message ?? ''
          if (message.includes('may be notarised') && name !== 'workshop/TooLate')
            return !message.includes('until before any')
          return !goodReasons.some((reason) => message.includes(reason))
        })
        .map(({ name, error }) => `${name} failed: ${error?.message ?? ''}`),
    ),
}

/** A window that begins when an activity is due is open when it runs, unless the clock was set back meanwhile. */
const windowsAreOpen: Invariant = {
  name: 'a window that begins now is open',
  violations: ({ parties }) =>
    parties.flatMap(({ inspect }) =>
      inspect
        .flows({ status: 'failed', name: 'workshop/Work', limit: 1_000 })
        .items.filter(({ error, startedBy, startedAt }) => {
          if (!(error?.message ?? '').includes('may be notarised')) return false
          return (
            startedBy.kind === 'activity' && startedBy.latenessMs === 0 && error?.message.includes(`it is ${startedAt}`)
          )
        })
        .map(({ error }) => error?.message ?? ''),
    ),
}

/** Nobody takes a tool from a flow that has it: not the one that borrowed it, nor the one that sharpens it. */
const heldIsKept: Invariant = {
  name: 'what a flow holds is not taken from it',
  violations: ({ parties }) =>
    parties.flatMap(({ inspect }) => {
      const borrowed = inspect
        .flows({ name: Borrow.name, status: 'failed', limit: 1_000 })
        .items.filter(({ error }) => error?.code === 'state-consumed')
      // One that has begun no step has held nothing, and needs no attention.
      const sharpened = inspect
        .flows({ name: Sharpen.name, status: 'attention', limit: 1_000 })
        .items.filter(({ status }) => status === 'superseded')
      return [...borrowed, ...sharpened].map(({ name, id }) => `${name} (${id}) lost its tool to another flow`)
    }),
}

const appOf = ({ states, flows }: Visits, version: number): App =>
  defineApp({
    name: 'workshop',
    version: `${version}.0.0`,
    states: [Job, Tool, ...states],
    flows: [Take, Work, TooLate, BuyTools, Sharpen, Borrow, ThrowAway, ...flows],
  })
const [first, second, last] = visitVersions

export const workshopSimulation: SimulationOptions = {
  app: appOf(last, 3),
  earlier: [appOf(first, 1), appOf(second, 2)],
  workload: busy,
  invariants: [failsForAReason, windowsAreOpen, heldIsKept, visitsBegin, visitsInTime, visitsKept],
  counts: { ...visitCounts, ...doorCounts },
}
