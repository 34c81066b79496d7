/**
 * The chores on the command line, `carillon chores list` and so on: every verb is asked at the desk of its caller, where
 * permissions are checked, and every control is recorded with the caller's name.
 */
import * as t from 'io-ts'
import {
  defineVerb,
  defineVerbs,
  instant,
  InstantC,
  instantFromMillis,
  type Verb,
  type VerbAnswer,
  type VerbGroup,
} from 'carillon'
import { describeDetails, describeEntry, describeStatus } from './describe.js'
import { ChoreRefused, type ChoreDesk, type ChoreStatus, type Control } from './engine/index.js'

type DeskOf = (caller: string) => ChoreDesk

/** A codec from the text of a command line. */
const fromText = <A>(name: string, is: (value: unknown) => value is A, read: (text: string) => A | undefined) =>
  new t.Type<A, string>(
    name,
    is,
    (given, context) => {
      const value = typeof given === 'string' ? read(given) : undefined
      return value === undefined ? t.failure(given, context) : t.success(value)
    },
    String,
  )

const WholeC = fromText('a whole number, such as 3600', t.number.is, (text) =>
  /^\d{1,12}$/.test(text) ? Number(text) : undefined,
)

const MomentC = fromText('an instant, such as 2026-02-01T09:00:00Z', InstantC.is, (text) => {
  try {
    return instant(text)
  } catch {
    return undefined
  }
})

const callerOption = {
  name: 'as',
  value: 'caller',
  summary: 'who asks: operator, caretaker or auditor',
  default: 'operator',
}
const choreArgument = { name: 'chore', summary: 'the id of the chore' }
const caller = { as: t.string }
const oneChore = { ...caller, chore: t.string }

const statusIn = (desk: ChoreDesk, chore: string): ChoreStatus => {
  const status = desk.getChoreStatus(chore)
  if (status === undefined)
    throw new ChoreRefused(`There is no chore ${chore}. "carillon chores list" shows those there are.`)
  return status
}

/** After a control, people want to see what it has led to. */
const controlled = async (desk: ChoreDesk, chore: string, control: Control): Promise<VerbAnswer> => {
  statusIn(desk, chore)
  await desk.control(chore, control)
  return { lines: [`${chore}: ${control.verb} is done.`], data: { chore, control: control.verb } }
}

const looking = (deskOf: DeskOf): readonly Verb[] => [
  defineVerb({
    name: 'list',
    summary: 'show all chores, a line each',
    live: true,
    options: [callerOption],
    input: t.strict(caller),
    handle: ({ node, input }) => {
      const statuses = deskOf(input.as).getChoreStatuses()
      const now = instantFromMillis(node.nowMs)
      return Promise.resolve({ lines: statuses.map((status) => describeStatus(status, now)), data: statuses })
    },
  }),
  defineVerb({
    name: 'status',
    summary: 'show everything about one chore',
    live: true,
    arguments: [choreArgument],
    options: [callerOption],
    input: t.strict(oneChore),
    handle: ({ node, input }) => {
      const status = statusIn(deskOf(input.as), input.chore)
      return Promise.resolve({ lines: describeDetails(status, instantFromMillis(node.nowMs)), data: status })
    },
  }),
  defineVerb({
    name: 'log',
    summary: 'show what happened to one chore, run by run',
    live: true,
    arguments: [choreArgument],
    options: [
      callerOption,
      { name: 'last', value: 'entries', summary: 'how many entries, the latest', default: '100' },
    ],
    input: t.strict({ ...oneChore, last: WholeC }),
    handle: async ({ input }) => {
      const desk = deskOf(input.as)
      statusIn(desk, input.chore)
      const entries = (await desk.getChoreLog(input.chore)).slice(-Math.min(input.last, mostEntries))
      return { lines: entries.map(describeEntry), data: entries }
    },
  }),
]

/** More would not fit one answer. */
const mostEntries = 2_000

const plain = {
  enable: 'let the scheduler fire',
  disable: 'keep the scheduler from firing',
  trigger: 'run it now; a stopped chore runs once and stays stopped',
  start: 'enable it, run it now, and book the next run',
  pause: 'hold it back and end its run; its next run is kept',
  resume: 'let a paused chore go on',
  stop: 'disable it, clear its schedule, end its run',
  'stop-chore': 'in an emergency: end its run and disarm it until it is enabled or triggered',
} as const
const plainVerbs = ['enable', 'disable', 'trigger', 'start', 'pause', 'resume', 'stop', 'stop-chore'] as const

const controlling = (deskOf: DeskOf): readonly Verb[] => [
  ...plainVerbs.map((verb) =>
    defineVerb({
      name: verb,
      summary: plain[verb],
      arguments: [choreArgument],
      options: [callerOption],
      input: t.strict(oneChore),
      handle: ({ input }) => controlled(deskOf(input.as), input.chore, { verb }),
    }),
  ),
  defineVerb({
    name: 'interval',
    summary: 'set how often it runs, from the next fire on',
    arguments: [
      choreArgument,
      { name: 'seconds', summary: 'the interval, or the shortest one' },
      { name: 'max', summary: 'the longest interval; each is then drawn at random', optional: true },
    ],
    options: [callerOption],
    input: t.strict({ ...oneChore, seconds: WholeC, max: t.union([WholeC, t.undefined]) }),
    handle: ({ input: { as, chore, seconds, max } }) =>
      controlled(deskOf(as), chore, { verb: 'interval', seconds, maxSeconds: max ?? null }),
  }),
  defineVerb({
    name: 'timeout',
    summary: 'set how long a task may run',
    arguments: [choreArgument, { name: 'seconds', summary: 'the timeout' }],
    options: [callerOption],
    input: t.strict({ ...oneChore, seconds: WholeC }),
    handle: ({ input: { as, chore, seconds } }) => controlled(deskOf(as), chore, { verb: 'timeout', seconds }),
  }),
  defineVerb({
    name: 'schedule',
    summary: 'enable it, and run it first at an instant',
    arguments: [choreArgument, { name: 'instant', summary: 'such as 2026-02-01T09:00:00Z' }],
    options: [callerOption],
    input: t.strict({ ...oneChore, instant: MomentC }),
    handle: ({ input: { as, chore, instant: at } }) => controlled(deskOf(as), chore, { verb: 'schedule', at }),
  }),
  defineVerb({
    name: 'break',
    summary: 'open its circuit breaker: end its run and hold it until it is enabled, started or triggered',
    arguments: [choreArgument, { name: 'reason', summary: 'why, for whoever finds it so' }],
    options: [callerOption],
    input: t.strict({ ...oneChore, reason: t.string }),
    handle: ({ input: { as, chore, reason } }) => controlled(deskOf(as), chore, { verb: 'break', reason }),
  }),
  defineVerb({
    name: 'stop-all',
    summary: 'in an emergency: stop every chore',
    options: [callerOption],
    input: t.strict(caller),
    handle: async ({ input }) => {
      await deskOf(input.as).stopAllChores()
      return { lines: ['Every chore is stopped.'], data: { control: 'stop-all' } }
    },
  }),
]

export const choresVerbs = (deskOf: DeskOf): VerbGroup =>
  defineVerbs({
    name: 'chores',
    summary: 'look after recurring work',
    verbs: [...looking(deskOf), ...controlling(deskOf)],
  })
