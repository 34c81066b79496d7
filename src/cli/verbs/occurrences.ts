/**
 * `carillon occurrences`: every attempt at an activity, newest first, with its lateness and its outcome.
 */
import { Option, type Command } from 'commander'
import { CarillonError } from '../../errors/CarillonError.js'
import { readOccurrences } from '../../http/questions/readOccurrences.js'
import type { StateRef } from '../../ledger/StateRef.js'
import { readStore } from '../../folder/readStore.js'
import type { Attempt } from '../../agenda/AgendaEntry.js'
import { explainState } from '../../storage/queries/explainState.js'
import type { Page } from '../../vault/query/VaultQuery.js'
import { resolveRef } from '../../storage/queries/resolveRef.js'
import type { Database } from '../../storage/Database.js'
import { nowOf } from '../nowOf.js'
import { afterOption, gather, limitOption, sayMore, type PageOptions } from '../pages.js'
import type { Column } from '../table.js'
import type { Terminal, Tone } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortId, shortRef, showDistance, showLateness } from '../words.js'
import { printList } from '../print.js'

type Occurrence = Attempt & { readonly ref: StateRef }

const toneOf = (outcome: Occurrence['outcome']): Tone | undefined => {
  if (outcome === 'completed') return 'green'
  return outcome === 'running' || outcome === 'superseded' ? undefined : 'yellow'
}

const columnsAt = (nowMs: number): readonly Column<Occurrence>[] => [
  { header: 'WHEN', cell: ({ at }) => showDistance(at, nowMs), align: 'right' },
  { header: 'OUTCOME', cell: ({ outcome }) => outcome, tone: ({ outcome }) => toneOf(outcome) },
  { header: 'LATE', cell: ({ latenessMs }) => showLateness(latenessMs), align: 'right' },
  { header: 'TRY', cell: ({ attempt }) => String(attempt), align: 'right', spare: true },
  { header: 'FLOW', cell: ({ flowName }) => flowName ?? '', flexible: true },
  { header: 'ID', cell: ({ flow }) => (flow === undefined ? '' : shortId(flow)), tone: () => 'cyan', spare: true },
  { header: 'REF', cell: ({ ref }) => shortRef(ref), tone: () => 'cyan' },
  {
    header: 'WHY',
    cell: ({ error }) => (error === undefined ? '' : `${error.code}: ${error.message}`),
    flexible: true,
  },
]

type Options = StoreOptions & PageOptions & { readonly of?: string }

const occurrencesOf = (db: Database, text: string): readonly Occurrence[] => {
  const ref = resolveRef(db, text)
  const explained = explainState(db, ref)
  if (explained === undefined) throw new CarillonError('state-unknown', `This store holds no state ${text}.`)
  return explained.attempts.map((attempt) => ({ ...attempt, ref }))
}

export const occurrences = (real: Terminal): Command =>
  verb(
    'occurrences',
    'show every attempt at an activity, newest first, with its lateness and outcome',
    ['occurrences', 'occurrences --watch', 'occurrences --of 3fa9c1:0', 'occurrences --json | jq .latenessMs'],
    'print one JSON document a line',
  )
    .addOption(new Option('--of <ref>', 'only those of this state, oldest first'))
    .addOption(limitOption())
    .addOption(afterOption())
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ store, json, of, ...page }: Options) => {
        const found = readStore(store, (db): Page<Occurrence> => {
          if (of !== undefined) return { items: occurrencesOf(db, of), next: undefined }
          return gather(page, (query) => readOccurrences(db, query))
        })
        await printList(terminal, json, {
          rows: found.items,
          columns: async () => columnsAt(await nowOf(store)),
          empty: 'No activity has fallen due yet.',
        })
        sayMore(terminal, found)
      }),
    )
