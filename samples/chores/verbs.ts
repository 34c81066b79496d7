/**
 * The chores on the command line, `carillon chores list` and so on: every verb is asked at the desk of its caller, where
 * permissions are checked, and every control is recorded with the caller's name. Who that is says the node: the local
 * owner, or the token.
 */
import * as t from 'io-ts'
import { instant, InstantC, instantFromMillis } from 'carillon'
import { defineVerb, defineVerbs, type Verb, type VerbAnswer, type VerbGroup, type VerbOptions } from 'carillon/http'
import { describeDetails, describeEntry, describeStatus } from './describe.js'
import { ChoreRefused, type Caller, type ChoreDesk, type ChoreStatus, type Control } from './engine/index.js'

type DeskOf = (caller: Caller) => ChoreDesk

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

const choreArgument = { name: 'chore', summary: 'the id of the chore' }
const oneChore = { chore: t.string }

/** What a token must allow says the desk of the caller. */
const verb = <I>(options: VerbOptions<I>): Verb => defineVerb({ ...options, permission: 'any' })

const statusIn = async (desk: ChoreDesk, chore: string): Promise<ChoreStatus> => {
  const status = await desk.getChoreStatus(chore)
  if (status === undefined)
    throw new ChoreRefused(`There is no chore ${chore}. "carillon chores list" shows those there are.`)
  return status
}

/** After a control, people want to see what it has led to. */
const controlled = async (desk: ChoreDesk, chore: string, control: Control): Promise<VerbAnswer> => {
  await desk.control(chore, control)
  return { lines: [`${chore}: ${control.verb} is done.`], data: { chore, control: control.verb } }
}

const looking = (deskOf: DeskOf): readonly Verb[] => [
  verb({
    name: 'list',
    summary: 'show all chores, a line each',
    live: true,
    input: t.strict({}),
    handle: async ({ node, ...caller }) => {
      const statuses = await deskOf(caller).getChoreStatuses()
      const now = instantFromMillis(node.nowMs)
      return { lines: statuses.map((status) => describeStatus(status, now)), data: statuses }
    },
  }),
  verb({
    name: 'status',
    summary: 'show everything about one chore',
    live: true,
    arguments: [choreArgument],
    input: t.strict(oneChore),
    handle: async ({ node, input, ...caller }) => {
      const status = await statusIn(deskOf(caller), input.chore)
      return { lines: describeDetails(status, instantFromMillis(node.nowMs)), data: status }
    },
  }),
  verb({
    name: 'log',
    summary: 'show what happened to one chore, run by run',
    live: true,
    arguments: [choreArgument],
    options: [{ name: 'last', value: 'entries', summary: 'how many entries, the latest', default: '100' }],
    input: t.strict({ ...oneChore, last: WholeC }),
    handle: async ({ input, ...caller }) => {
      const desk = deskOf(caller)
      await statusIn(desk, input.chore)
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

const moments = {
  schedule: 'enable it, and run it first at an instant',
  'next-run': 'move its next run to an instant, and nothing else',
} as const

const controlling = (deskOf: DeskOf): readonly Verb[] => [
  ...plainVerbs.map((name) =>
    verb({
      name,
      summary: plain[name],
      arguments: [choreArgument],
      input: t.strict(oneChore),
      handle: ({ input, ...caller }) => controlled(deskOf(caller), input.chore, { verb: name }),
    }),
  ),
  verb({
    name: 'interval',
    summary: 'set how often it runs, from the next fire on',
    arguments: [
      choreArgument,
      { name: 'seconds', summary: 'the interval, or the shortest one' },
      {
        name: 'max',
        summary: 'the longest interval, and each is drawn at random; or none. Left out, it stays as it is',
        optional: true,
      },
    ],
    input: t.strict({ ...oneChore, seconds: WholeC, max: t.union([WholeC, t.literal('none'), t.undefined]) }),
    handle: ({ input: { chore, seconds, max }, ...caller }) =>
      controlled(deskOf(caller), chore, {
        ...{ verb: 'interval', seconds },
        ...(max === undefined ? {} : { maxSeconds: max === 'none' ? null : max }),
      }),
  }),
  verb({
    name: 'timeout',
    summary: 'set how long a task may run',
    arguments: [choreArgument, { name: 'seconds', summary: 'the timeout' }],
    input: t.strict({ ...oneChore, seconds: WholeC }),
    handle: ({ input: { chore, seconds }, ...caller }) =>
      controlled(deskOf(caller), chore, { verb: 'timeout', seconds }),
  }),
  ...(['schedule', 'next-run'] as const).map((name) =>
    verb({
      name,
      summary: moments[name],
      arguments: [choreArgument, { name: 'instant', summary: 'such as 2026-02-01T09:00:00Z' }],
      input: t.strict({ ...oneChore, instant: MomentC }),
      handle: ({ input: { chore, instant: at }, ...caller }) => controlled(deskOf(caller), chore, { verb: name, at }),
    }),
  ),
  verb({
    name: 'create',
    summary: 'create another chore of a type, with settings and a schedule of its own',
    arguments: [
      { name: 'type', summary: 'the type, which is the id of its first chore' },
      { name: 'chore', summary: 'the id of the new chore' },
      { name: 'title', summary: 'its name' },
    ],
    input: t.strict({ ...oneChore, type: t.string, title: t.string }),
    handle: async ({ input: { type, chore, title }, ...caller }) => {
      await deskOf(caller).createInstance(type, chore, title)
      return { lines: [`${chore}: create is done.`], data: { chore, control: 'create' } }
    },
  }),
  verb({
    name: 'rename',
    summary: 'give it another name; its id stays',
    arguments: [choreArgument, { name: 'title', summary: 'its new name' }],
    input: t.strict({ ...oneChore, title: t.string }),
    handle: ({ input: { chore, title }, ...caller }) =>
      controlled(deskOf(caller), chore, { verb: 'rename', name: title }),
  }),
  verb({
    name: 'delete',
    summary: 'delete it; it must be stopped. The first chore of a type goes when no definition is left of it',
    arguments: [choreArgument],
    input: t.strict(oneChore),
    handle: ({ input, ...caller }) => controlled(deskOf(caller), input.chore, { verb: 'delete' }),
  }),
  verb({
    name: 'break',
    summary: 'open its circuit breaker: end its run and hold it until it is enabled, started or triggered',
    arguments: [choreArgument, { name: 'reason', summary: 'why, for whoever finds it so' }],
    input: t.strict({ ...oneChore, reason: t.string }),
    handle: ({ input: { chore, reason }, ...caller }) => controlled(deskOf(caller), chore, { verb: 'break', reason }),
  }),
  verb({
    name: 'stop-all',
    summary: 'in an emergency: stop every chore',
    input: t.strict({}),
    handle: async (caller) => {
      await deskOf(caller).stopAllChores()
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
