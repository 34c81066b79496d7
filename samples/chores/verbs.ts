/**
 * The chores on the command line, `carillon chores list` and so on. Who asks says the node: the local owner, or the
 * token. Every control is recorded with that name.
 */
import * as t from 'io-ts'
import { instantFromMillis } from 'carillon'
import { defineVerb, defineVerbs, type Verb, type VerbArgument, type VerbGroup } from 'carillon/http'
import { MomentC, optional, WholeC } from '../shared/words.js'
import { describeDetails, describeEntry, describeStatus } from './describe.js'
import { ChoreRefused, type ChoreEngine, type ChoreStatus, type Control, type PlainVerb } from './engine/index.js'

/** What a token must allow. Whoever may manage may look, too; the local owner may do everything. */
export const choresPermissions = { view: ['chores:view', 'chores:manage'], act: 'chores:manage' } as const

/** What stands behind a verb, by name. */
const summaries: Readonly<Record<string, string>> = {
  type: 'the type, which is the id of its first chore',
  chore: 'the id of the chore',
  seconds: 'a whole number, such as 3600',
  max: 'the longest interval, and each is drawn at random; or none. Left out, it stays as it is',
  instant: 'such as 2026-02-01T09:00:00Z',
  title: 'its name',
  reason: 'why, for whoever finds it so',
}

/** The words behind a verb, in their order; those that may be undefined may be left out. */
const argumentsOf = (words: t.Props): readonly VerbArgument[] =>
  Object.entries(words).map(([name, codec]) => ({
    ...{ name, summary: summaries[name] ?? '' },
    optional: codec.is(undefined),
  }))

/** More would not fit one answer. */
const mostEntries = 2_000

const looking = (engine: ChoreEngine): readonly Verb[] => {
  const look = { live: true, permission: choresPermissions.view }
  const chore = { chore: t.string }
  const statusOf = async (id: string): Promise<ChoreStatus> => {
    const status = await engine.getStatus(id)
    if (status !== undefined) return status
    throw new ChoreRefused(`There is no chore ${id}. "carillon chores list" shows those there are.`)
  }
  return [
    defineVerb({
      ...{ name: 'list', summary: 'show all chores, a line each', ...look },
      input: t.strict({}),
      handle: async ({ node }) => {
        const statuses = await engine.getAllStatuses()
        const now = instantFromMillis(node.nowMs)
        return { lines: statuses.map((status) => describeStatus(status, now)), data: statuses }
      },
    }),
    defineVerb({
      ...{ name: 'status', summary: 'show everything about one chore', ...look },
      arguments: argumentsOf(chore),
      input: t.strict(chore),
      handle: async ({ node, input }) => {
        const status = await statusOf(input.chore)
        return { lines: describeDetails(status, instantFromMillis(node.nowMs)), data: status }
      },
    }),
    defineVerb({
      ...{ name: 'log', summary: 'show what happened to one chore, run by run', ...look },
      arguments: argumentsOf(chore),
      options: [{ name: 'last', value: 'entries', summary: 'how many entries, the latest', default: '100' }],
      input: t.strict({ ...chore, last: WholeC }),
      handle: async ({ input }) => {
        await statusOf(input.chore)
        const all = await engine.getRunLog(input.chore)
        const entries = all.slice(Math.max(0, all.length - Math.min(input.last, mostEntries)))
        return { lines: entries.map(describeEntry), data: entries }
      },
    }),
  ]
}

const controlling = (engine: ChoreEngine): readonly Verb[] => {
  const { act: permission } = choresPermissions
  /** A verb that is a control of one chore; `words` stand behind the chore, and `read` makes the control of them. */
  const control = <P extends t.Props>(
    name: Control['verb'],
    summary: string,
    words: P,
    read: (given: t.TypeOfProps<P>) => Control,
  ): Verb =>
    defineVerb({
      ...{ name, summary, permission },
      arguments: argumentsOf({ chore: t.string, ...words }),
      input: t.intersection([t.strict({ chore: t.string }), t.strict(words)]),
      handle: async ({ input, by }) => {
        await engine.control(input.chore, read(input), { by })
        return { lines: [`${input.chore}: ${name} is done.`], data: { chore: input.chore, control: name } }
      },
    })
  const plain = (verb: PlainVerb, summary: string): Verb => control(verb, summary, {}, () => ({ verb }))
  const seconds = { seconds: WholeC }
  const instant = { instant: MomentC }
  const title = { title: t.string }
  const create = { type: t.string, chore: t.string, ...title }
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
      'set how often it runs, or the shortest interval, from the next fire on',
      { ...seconds, max: optional(t.union([WholeC, t.literal('none')])) },
      ({ max, ...every }) => ({
        ...{ verb: 'interval', ...every },
        ...(max === undefined ? {} : { maxSeconds: max === 'none' ? null : max }),
      }),
    ),
    control('timeout', 'set how long a task may run', seconds, (given) => ({ verb: 'timeout', ...given })),
    control('schedule', 'enable it, and run it first at an instant', instant, (given) => ({
      ...{ verb: 'schedule', at: given.instant },
    })),
    control('next-run', 'move its next run to an instant, and nothing else', instant, (given) => ({
      ...{ verb: 'next-run', at: given.instant },
    })),
    control('rename', 'give it another name; its id stays', title, (given) => ({ verb: 'rename', name: given.title })),
    plain('delete', 'delete it; it must be stopped. The first chore of a type goes when no definition is left of it'),
    control(
      'break',
      'open its circuit breaker: end its run and hold it until it is enabled, started or triggered',
      { reason: t.string },
      (given) => ({ verb: 'break', ...given }),
    ),
    defineVerb({
      ...{
        name: 'create',
        summary: 'create another chore of a type, with settings and a schedule of its own',
        permission,
      },
      arguments: argumentsOf(create),
      input: t.strict(create),
      handle: async ({ input: { type, chore: choreId, title: name }, by }) => {
        await engine.createInstance(type, { choreId, name }, { by })
        return { lines: [`${choreId}: create is done.`], data: { chore: choreId, control: 'create' } }
      },
    }),
    defineVerb({
      ...{ name: 'stop-all', summary: 'in an emergency: stop every chore', permission },
      input: t.strict({}),
      handle: async ({ by }) => {
        await engine.stopAllChores({ by })
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
