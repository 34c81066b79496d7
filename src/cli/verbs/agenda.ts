/**
 * `carillon agenda`: what is to come, in order, or what is not going its way.
 */
import { Option, type Command } from 'commander'
import { openStoreLog, readStore } from '../../folder/readStore.js'
import type { Moment } from '../../history/moment.js'
import { TimeMachine } from '../../history/TimeMachine.js'
import { readAgenda } from '../../storage/queries/readAgenda.js'
import type { AgendaEntry, AgendaQuery } from '../../agenda/AgendaEntry.js'
import { toMillis } from '../../time/Instant.js'
import type { Page } from '../../vault/query/VaultQuery.js'
import type { Standing } from '../../agenda/ActivityRow.js'
import { atOption, revisionOf } from '../atOption.js'
import { nowOf } from '../nowOf.js'
import { afterTextOption, gather, limitOption, sayMore, type PageOptions } from '../pages.js'
import { withProgress } from '../Progress.js'
import type { Column } from '../table.js'
import type { Terminal, Tone } from '../Terminal.js'
import { storeHint, verb, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortRef, showDistance, showSecond } from '../words.js'
import { printList } from '../print.js'

type Options = StoreOptions &
  PageOptions<string> & { readonly show: NonNullable<AgendaQuery['show']>; readonly at?: Moment }

const nothing: Readonly<Record<Options['show'], string>> = {
  scheduled: 'Nothing is scheduled.',
  attention: 'Nothing waits for a hand.',
  paused: 'Nothing is paused.',
  started: 'No flow of an activity is under way.',
}

const toneOf = (standing: Standing): Tone | undefined =>
  standing === 'parked' || standing === 'missed' ? 'red' : standing === 'paused' ? 'yellow' : undefined

const columnsFor = (show: Options['show'], nowMs: number): readonly Column<AgendaEntry>[] => [
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

/** Views keep how an activity stands, not how it stood: the log is folded up to that moment. */
const agendaThen = async (
  terminal: Terminal,
  store: string,
  at: Moment,
  show: Options['show'],
  page: PageOptions<string>,
): Promise<{ readonly found: Page<AgendaEntry, string>; readonly nowMs: number }> => {
  const revision = readStore(store, (db) => revisionOf(db, at))
  const log = openStoreLog(store)
  try {
    return await withProgress(
      terminal,
      'Folding',
      async (onProgress) => {
        const machine = await TimeMachine.at(log, revision, { onProgress })
        try {
          const found = gather(page, (query) => machine.agenda({ ...query, show }))
          const then = typeof at === 'number' ? machine.now : at
          return { found, nowMs: then === undefined ? Date.now() : toMillis(then) }
        } finally {
          machine.close()
        }
      },
      revision + 1,
    )
  } finally {
    await log.close()
  }
}

export const agenda = (real: Terminal): Command =>
  verb(
    'agenda',
    'show what is to come, in order; or what waits for a hand',
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
    .addOption(atOption('the agenda'))
    .addOption(limitOption())
    .addOption(afterTextOption())
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ store, json, show, at, ...page }: Options) => {
        const { found, nowMs } =
          at === undefined
            ? {
                found: readStore(store, (db) => gather(page, (query) => readAgenda(db, { ...query, show }))),
                nowMs: await nowOf(store),
              }
            : await agendaThen(terminal, store, at, show, page)
        await printList(terminal, json, { rows: found.items, columns: columnsFor(show, nowMs), empty: nothing[show] })
        if (json !== true && found.items.length > 0 && show === 'attention' && at === undefined) {
          const hint = `carillon why <ref>, carillon activity retry <ref>, carillon activity discharge <ref>`
          terminal.err(
            terminal.tone('dim', `Next: ${hint}${storeHint(store) === '' ? '' : `, each with${storeHint(store)}`}`),
          )
        }
        sayMore(terminal, found)
      }),
    )
