/**
 * `carillon occurrences`: every attempt at an activity, newest first, with its lateness and its outcome.
 */
import type { Command } from 'commander'
import { readOccurrences, type Occurrence } from '../../http/questions/readOccurrences.js'
import { readStore } from '../../node/readStore.js'
import { afterOption, gather, limitOption, sayMore, type PageOptions } from '../pages.js'
import { table, type Column } from '../table.js'
import type { Terminal, Tone } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortId, shortRef, showDistance, showLateness } from '../words.js'

const toneOf = (outcome: Occurrence['outcome']): Tone | undefined => {
  if (outcome === 'completed') return 'green'
  return outcome === 'running' || outcome === 'superseded' ? undefined : 'yellow'
}

const columnsAt = (nowMs: number): readonly Column<Occurrence>[] => [
  { header: 'WHEN', cell: ({ at }) => showDistance(at, nowMs), align: 'right' },
  { header: 'OUTCOME', cell: ({ outcome }) => outcome, tone: ({ outcome }) => toneOf(outcome) },
  { header: 'LATE', cell: ({ latenessMs }) => showLateness(latenessMs), align: 'right' },
  { header: 'TRY', cell: ({ attempt }) => String(attempt), align: 'right' },
  { header: 'FLOW', cell: ({ flowName }) => flowName ?? '', flexible: true },
  { header: 'ID', cell: ({ flow }) => (flow === undefined ? '' : shortId(flow)), tone: () => 'cyan' },
  { header: 'REF', cell: ({ ref }) => shortRef(ref), tone: () => 'cyan' },
  {
    header: 'WHY',
    cell: ({ error }) => (error === undefined ? '' : `${error.code}: ${error.message}`),
    flexible: true,
  },
]

type Options = StoreOptions & PageOptions

export const occurrences = (real: Terminal): Command =>
  verb(
    'occurrences',
    'show every attempt at an activity, newest first, with its lateness and outcome',
    ['occurrences', 'occurrences --watch', 'occurrences --json | jq .latenessMs'],
    'print one JSON document a line',
  )
    .addOption(limitOption())
    .addOption(afterOption())
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => ({ store, json, ...page }: Options) => {
        const found = readStore(store, (db) => gather(page, (query) => readOccurrences(db, query)))
        if (json === true) for (const occurrence of found.items) terminal.out(JSON.stringify(occurrence))
        else if (found.items.length === 0) terminal.out('No activity has fallen due yet.')
        else for (const line of table(columnsAt(Date.now()), found.items, terminal)) terminal.out(line)
        sayMore(terminal, found)
      }),
    )
