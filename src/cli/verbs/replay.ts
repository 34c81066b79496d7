/**
 * `carillon replay`: whether today's code of an app still agrees with logs that were recorded before.
 */
import { Option, type Command } from 'commander'
import { CarillonError } from '../../errors/CarillonError.js'
import { readStore } from '../../folder/readStore.js'
import { recordedLogs, type RecordedLog } from '../../testing/replay/recordedLogs.js'
import { replay as replayLog, type ExpectedViews } from '../../testing/replay/replay.js'
import { describeProblem, type ReplayReport } from '../../testing/replay/ReplayReport.js'
import { digestViews } from '../../storage/digest.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import { bar } from '../ProgressBar.js'
import type { PrintedColumn } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { showCount } from '../words.js'
import { withApp } from '../withApp.js'
import { printJson, printTable } from '../print.js'

type Options = StoreOptions & { readonly against?: string }

type Replayed = { readonly name: string; readonly report: ReplayReport }

const columns: readonly PrintedColumn<Replayed>[] = [
  { header: 'LOG', cell: ({ name }) => name, flexible: true },
  { header: 'EVENTS', cell: ({ report }) => report.events.toLocaleString('en'), align: 'right' },
  { header: 'TRANSACTIONS', cell: ({ report }) => report.transactions.toLocaleString('en'), align: 'right' },
  { header: 'FLOWS', cell: ({ report }) => report.flows.toLocaleString('en'), align: 'right' },
  {
    header: 'RESULT',
    cell: ({ report: { problems } }) => (problems.length === 0 ? 'agrees' : showCount(problems.length, 'difference')),
    tone: ({ report: { problems } }) => (problems.length === 0 ? 'green' : 'red'),
  },
]

/** Differences that are shown of one log; --json shows all. */
const mostShown = 20

/** A store's own views must be what its log gives, as long as no node has gone on meanwhile. */
const viewsOf = (store: string): ExpectedViews & { readonly revision: number } =>
  readStore(store, (db) => ({ viewsDigest: digestViews(db), revision: readFacts(db).head.revision }))

const showProblems = (terminal: Terminal, { name, report: { problems } }: Replayed): void => {
  if (problems.length === 0) return
  terminal.out('')
  terminal.out(terminal.tone('bold', printable(name)))
  for (const problem of problems.slice(0, mostShown)) terminal.out(`- ${printable(describeProblem(problem))}`)
  if (problems.length > mostShown) terminal.out(`and ${problems.length - mostShown} more; --json prints all of them`)
}

export const replayVerb = (terminal: Terminal): Command =>
  verb(
    'replay',
    "replay logs against an app's code, and say where the two differ",
    ['replay src/app.ts --against test/logs', 'replay dist/app.js --store /var/lib/app'],
    'print one JSON document for each log',
  )
    .argument('<app-module>', 'a module that exports `app`')
    .addOption(
      new Option('--against <folder>', 'a folder of exported logs, .ndjson or .ndjson.gz; or a single one of them'),
    )
    .action((module: string, { store, json, against }: Options) =>
      withApp(module, async ({ app }) => {
        const logs: readonly RecordedLog[] =
          against === undefined ? [{ name: store, file: store }] : recordedLogs(against)
        const replayed: Replayed[] = []
        for (const [index, { name, file, answersDigest }] of logs.entries()) {
          terminal.status(`Replaying: ${logs.length > 1 ? `${bar(index, logs.length)}, ` : ''}${name} …`)
          const noted = answersDigest === undefined ? {} : { answersDigest }
          const before = against === undefined ? viewsOf(store) : undefined
          const report = await replayLog(file, { app, ...noted })
          const altered = before?.revision === report.head.revision && before.viewsDigest !== report.viewsDigest
          const problems = !altered
            ? report.problems
            : [
                ...report.problems,
                {
                  kind: 'views' as const,
                  revision: report.head.revision,
                  what: 'The views of the store are not what its log gives. Run "carillon log rebuild".',
                },
              ]
          replayed.push({ name, report: { ...report, problems } })
          printJson(terminal, json, { log: name, ...report, problems })
        }
        terminal.status('')
        const different = replayed.filter(({ report }) => report.problems.length > 0)
        if (json !== true) {
          printTable(terminal, columns, replayed)
          for (const one of replayed) showProblems(terminal, one)
        }
        if (different.length > 0)
          throw new CarillonError(
            'replay-differs',
            `The code of app ${app.name} does not agree with ${different.length === 1 ? `the log ${different[0]?.name ?? ''}` : `${different.length} of ${replayed.length} logs`}. Restore what the code did, put the new way behind a version of the flow, state or contract, or accept that what is under way will be parked.`,
            { logs: different.map(({ name }) => name) },
          )
      }),
    )
