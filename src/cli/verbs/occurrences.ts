/**
 * `carillon occurrences`: every attempt at an activity, newest first, with its lateness and its outcome.
 */
import { Option, type Command } from 'commander'
import { AttemptC, OccurrenceC, pageOfC, type Occurrence } from '../../http/answers.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import type { Attempt } from '../../agenda/AgendaEntry.js'
import { stateNamed, statePath } from '../named.js'
import { NodeApi } from '../NodeApi.js'
import { nowOf } from '../nowOf.js'
import { afterOption, limitOption, printListed, type Listed, type PageOptions } from '../pages.js'
import { printList } from '../print.js'
import type { PrintedColumn } from '../table.js'
import type { Terminal, TextTone } from '../Terminal.js'
import { apiVerb, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortId, shortRef, showDistance, showLateness } from '../words.js'

type AttemptOf = Attempt & { readonly ref: StateRef }

const toneOf = (outcome: Attempt['outcome']): TextTone | undefined => {
  if (outcome === 'completed') return 'green'
  return outcome === 'running' || outcome === 'superseded' ? undefined : 'yellow'
}

const columnsAt = (nowMs: number): readonly PrintedColumn<AttemptOf>[] => [
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

type Options = ApiOptions & PageOptions & { readonly of?: string }

const nothing = 'No activity has fallen due yet.'

const all: Listed<Options, Occurrence> = {
  path: '/occurrences',
  item: OccurrenceC,
  columns: columnsAt,
  empty: nothing,
}

export const occurrencesVerb = (real: Terminal): Command =>
  apiVerb(
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
      watching(real, (terminal) => async (options: Options) => {
        if (options.of === undefined) return printListed(terminal, options, all)
        const ref = await stateNamed(options, options.of)
        const path = `${statePath(showRef(ref))}/occurrences`
        const { items } = await NodeApi.at(options).get(path, {}, pageOfC(AttemptC))
        return printList(terminal, options.json, {
          rows: items.map((attempt) => ({ ...attempt, ref })),
          columns: async () => columnsAt(await nowOf(options)),
          empty: nothing,
        })
      }),
    )
