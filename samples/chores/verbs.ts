/**
 * The chores on the command line, `carillon chores list` and so on. Each verb asks the engine for its caller, where
 * permissions are checked, and every control is recorded with the caller's name. Who that is says the node: the local
 * owner, or the token.
 */
import * as t from 'io-ts'
import { instantFromMillis } from 'carillon'
import { defineVerb, defineVerbs, type Verb, type VerbArgument, type VerbGroup, type VerbOptions } from 'carillon/http'
import { MomentC, WholeC } from '../shared/words.js'
import { describeDetails, describeEntry, describeStatus } from './describe.js'
import {
  ChoreRefused,
  toManage,
  toView,
  type Caller,
  type ChoreEngine,
  type ChoreStatus,
  type Control,
  type PlainVerb,
} from './engine/index.js'

const choreArgument = { name: 'chore', summary: 'the id of the chore' }
const oneChore = { chore: t.string }
const title = { title: t.string }
const seconds = { seconds: WholeC }

/** What a token must allow is checked where the engine is asked for. */
const verb = <I>(options: VerbOptions<I>): Verb => defineVerb({ ...options, permission: 'any' })

const statusOf = async (engine: ChoreEngine, caller: Caller, chore: string): Promise<ChoreStatus> => {
  const status = await toView(engine, caller).getStatus(chore)
  if (status === undefined)
    throw new ChoreRefused(`There is no chore ${chore}. "carillon chores list" shows those there are.`)
  return status
}

/** More would not fit one answer. */
const mostEntries = 2_000

const looking = (engine: ChoreEngine): readonly Verb[] => [
  verb({
    name: 'list',
    summary: 'show all chores, a line each',
    live: true,
    input: t.strict({}),
    handle: async ({ node, ...caller }) => {
      const statuses = await toView(engine, caller).getAllStatuses()
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
      const status = await statusOf(engine, caller, input.chore)
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
    handle: async ({ input: { chore, last }, ...caller }) => {
      await statusOf(engine, caller, chore)
      const entries = (await toView(engine, caller).getRunLog(chore)).slice(-Math.min(last, mostEntries))
      return { lines: entries.map(describeEntry), data: entries }
    },
  }),
]

const controlling = (engine: ChoreEngine): readonly Verb[] => {
  /** A verb that is a control of one chore; `words` are what stands behind the chore, and `more` reads them. */
  const control = <P extends t.Props>(
    name: string,
    summary: string,
    words: readonly VerbArgument[],
    more: P,
    controlOf: (input: t.TypeOfProps<P>) => Control,
  ): Verb =>
    verb({
      name,
      summary,
      arguments: [choreArgument, ...words],
      input: t.intersection([t.strict(oneChore), t.strict(more)]),
      handle: async ({ input, ...caller }) => {
        const { chore } = input
        const asked = controlOf(input)
        await toManage(engine, caller).control(chore, asked, caller)
        return { lines: [`${chore}: ${asked.verb} is done.`], data: { chore, control: asked.verb } }
      },
    })
  const plain = (name: PlainVerb, summary: string): Verb => control(name, summary, [], {}, () => ({ verb: name }))
  return [
    plain('enable', 'let the scheduler fire'),
    plain('disable', 'keep the scheduler from firing'),
    plain('trigger', 'run it now; a stopped chore runs once and stays stopped'),
    plain('start', 'enable it, run it now, and book the next run'),
    plain('pause', 'hold it back and end its run; its next run is kept'),
    plain('resume', 'let a paused chore go on'),
    plain('stop', 'disable it, clear its schedule, end its run'),
    plain('stop-chore', 'in an emergency: end its run and disarm it until it is enabled or triggered'),
    control(
      'interval',
      'set how often it runs, from the next fire on',
      [
        { name: 'seconds', summary: 'the interval, or the shortest one' },
        {
          name: 'max',
          summary: 'the longest interval, and each is drawn at random; or none. Left out, it stays as it is',
          optional: true,
        },
      ],
      { ...seconds, max: t.union([WholeC, t.literal('none'), t.undefined]) },
      ({ max, ...every }) => ({
        ...{ verb: 'interval', ...every },
        ...(max === undefined ? {} : { maxSeconds: max === 'none' ? null : max }),
      }),
    ),
    control(
      'timeout',
      'set how long a task may run',
      [{ name: 'seconds', summary: 'the timeout' }],
      seconds,
      (input) => ({
        verb: 'timeout',
        seconds: input.seconds,
      }),
    ),
    ...(
      [
        ['schedule', 'enable it, and run it first at an instant'],
        ['next-run', 'move its next run to an instant, and nothing else'],
      ] as const
    ).map(([name, summary]) =>
      control(
        name,
        summary,
        [{ name: 'instant', summary: 'such as 2026-02-01T09:00:00Z' }],
        { instant: MomentC },
        ({ instant }) => ({ verb: name, at: instant }),
      ),
    ),
    control(
      'rename',
      'give it another name; its id stays',
      [{ name: 'title', summary: 'its new name' }],
      title,
      (input) => ({
        verb: 'rename',
        name: input.title,
      }),
    ),
    plain('delete', 'delete it; it must be stopped. The first chore of a type goes when no definition is left of it'),
    control(
      'break',
      'open its circuit breaker: end its run and hold it until it is enabled, started or triggered',
      [{ name: 'reason', summary: 'why, for whoever finds it so' }],
      { reason: t.string },
      ({ reason }) => ({ verb: 'break', reason }),
    ),
    verb({
      name: 'create',
      summary: 'create another chore of a type, with settings and a schedule of its own',
      arguments: [
        { name: 'type', summary: 'the type, which is the id of its first chore' },
        { name: 'chore', summary: 'the id of the new chore' },
        { name: 'title', summary: 'its name' },
      ],
      input: t.strict({ ...oneChore, ...title, type: t.string }),
      handle: async ({ input: { type, chore: choreId, title: name }, ...caller }) => {
        await toManage(engine, caller).createInstance(type, { choreId, name }, caller)
        return { lines: [`${choreId}: create is done.`], data: { chore: choreId, control: 'create' } }
      },
    }),
    verb({
      name: 'stop-all',
      summary: 'in an emergency: stop every chore',
      input: t.strict({}),
      handle: async (caller) => {
        await toManage(engine, caller).stopAllChores(caller)
        return { lines: ['Every chore is stopped.'], data: { control: 'stop-all' } }
      },
    }),
  ]
}

export const choresVerbs = (engine: ChoreEngine): VerbGroup =>
  defineVerbs({
    name: 'chores',
    summary: 'look after recurring work',
    verbs: [...looking(engine), ...controlling(engine)],
  })
