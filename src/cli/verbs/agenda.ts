/**
 * `carillon agenda`: what is to come, in order, or what is not going its way.
 */
import { Option, type Command } from 'commander'
import type { AgendaEntry, AgendaQuery } from '../../agenda/AgendaEntry.js'
import type { Standing } from '../../agenda/ActivityRow.js'
import type { Moment } from '../../history/moment.js'
import { AgendaEntryC } from '../../http/answers.js'
import { toMillis } from '../../time/Instant.js'
import { atOption, withPast } from '../atOption.js'
import { afterOption, gather, limitOption, printListed, sayMore, type Listed, type PageOptions } from '../pages.js'
import { printList } from '../print.js'
import type { PrintedColumn } from '../table.js'
import type { Terminal, TextTone } from '../Terminal.js'
import { apiVerb, placeHint, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortRef, showDistance, showSecond } from '../words.js'

type Show = NonNullable<AgendaQuery['show']>
type Options = ApiOptions & PageOptions & { readonly show: Show; readonly at?: Moment }

const nothing: Readonly<Record<Show, string>> = {
  scheduled: 'Nothing is scheduled.',
  attention: 'Nothing needs attention.',
  paused: 'Nothing is paused.',
  started: 'No flow of an activity is under way.',
}

const toneOf = (standing: Standing): TextTone | undefined =>
  standing === 'parked' || standing === 'missed' ? 'red' : standing === 'paused' ? 'yellow' : undefined

const columnsFor = (nowMs: number, { show }: Options): readonly PrintedColumn<AgendaEntry>[] => [
  { header: 'DUE', cell: ({ due }) => (due === undefined ? '' : showSecond(due)) },
  {
    header: 'ACTS',
    cell: ({ due, actsAt }) => {
      if (due === undefined) return ''
      return actsAt === undefined ? showDistance(due, nowMs) : showDistance(actsAt, nowMs)
    },
    spare: true,
  },
  ...(show === 'scheduled'
    ? []
    : [
        {
          header: 'STANDING',
          cell: ({ standing }: AgendaEntry) => standing,
          tone: ({ standing }: AgendaEntry) => toneOf(standing),
        },
      ]),
  { header: 'FLOW', cell: ({ flow }) => flow ?? '', flexible: true },
  { header: 'STATE', cell: ({ type }) => type, flexible: true, spare: true },
  { header: 'REF', cell: ({ ref }) => shortRef(ref), tone: () => 'cyan' },
  { header: 'TRIES', cell: ({ attempts }) => (attempts === 0 ? '' : String(attempts)), align: 'right', spare: true },
  {
    header: 'WHY',
    cell: ({ error, note }) => (error === undefined ? (note ?? '') : `${error.code}: ${error.message}`),
    flexible: true,
  },
]

const listed: Listed<Options, AgendaEntry> = {
  path: '/agenda',
  query: ({ show }) => ({ show }),
  item: AgendaEntryC,
  columns: columnsFor,
  empty: ({ show }) => nothing[show],
  hint: (options) => {
    if (options.show !== 'attention') return undefined
    const hint = placeHint(options)
    return `Next: carillon why <ref>, carillon activity retry <ref>, carillon activity dismiss <ref>${hint === '' ? '' : `, each with${hint}`}`
  },
}

/** Views keep how an activity stands, not how it stood: the log is folded up to that moment. */
const printThen = async (terminal: Terminal, options: Options, at: Moment): Promise<void> => {
  const { store, json, show } = options
  const { found, nowMs } = await withPast(terminal, store, at, async (machine) => {
    const then = typeof at === 'number' ? machine.now : at
    const read = ({ limit, after }: PageOptions) => {
      const { items, next } = machine.agenda({ show, limit, ...(after === undefined ? {} : { after }) })
      return Promise.resolve({ items, ...(next === undefined ? {} : { next }) })
    }
    return { found: await gather(options, read), nowMs: then === undefined ? Date.now() : toMillis(then) }
  })
  await printList(terminal, json, { rows: found.items, columns: columnsFor(nowMs, options), empty: nothing[show] })
  sayMore(terminal, found)
}

export const agendaVerb = (real: Terminal): Command =>
  apiVerb(
    'agenda',
    'show what is to come, in order; or what needs attention',
    [
      'agenda',
      'agenda --watch',
      'agenda --show attention',
      'agenda --at 2026-01-31T09:00:00Z',
      'agenda --json | jq .due',
    ],
    'print one JSON document a line',
  )
    .addOption(
      new Option('--show <what>', 'which activities')
        .choices(['scheduled', 'attention', 'paused', 'started'])
        .default('scheduled'),
    )
    .addOption(atOption('the agenda').conflicts('url'))
    .addOption(limitOption())
    .addOption(afterOption())
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => (options: Options) => {
        return options.at === undefined
          ? printListed(terminal, options, listed)
          : printThen(terminal, options, options.at)
      }),
    )
