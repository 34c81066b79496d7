/**
 * `carillon log`: look into the log, move it as a file, prove it, and build the views from it anew.
 */
import { createReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { Option, type Command } from 'commander'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { Head } from '../../log/Tick.js'
import { importInto } from '../../history/copyLog.js'
import { exportLog } from '../../history/exportLog.js'
import { importLog } from '../../history/importLog.js'
import { rebuildViews } from '../../history/rebuildViews.js'
import { LogPageC, type LogEntry } from '../../http/answers.js'
import { vaultLimits } from '../../vault/limits.js'
import { openLog } from '../../logs/openLog.js'
import { readStore } from '../../folder/readStore.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import { readLines } from '../../history/readLines.js'
import { logOption, withNamedLog, type LogOptions } from '../namedLog.js'
import { openOutput } from '../openOutput.js'
import type { RequestQuery } from '../../client/NodeConnection.js'
import { NodeApi } from '../NodeApi.js'
import { gather, limitOption } from '../pages.js'
import { withProgress, type Extent } from '../ProgressBar.js'
import { publicKeyArgument } from '../publicKeyArgument.js'
import type { PrintedColumn } from '../table.js'
import { printable, type Terminal, type TextTone } from '../Terminal.js'
import { apiVerb, storeHint, verb, verbGroup, wholeNumber, type ApiOptions, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { showCount, showSecond } from '../words.js'
import { copy } from './logCopy.js'
import { follow } from './logFollow.js'
import { checkProofVerb, prove } from './logProve.js'
import { heads } from './logHeads.js'
import { head, verify } from './logVerify.js'
import { jsonText, printJson, printList, printNote } from '../print.js'

type ShowOptions = ApiOptions & { readonly from?: number; readonly limit: number }

const columns: readonly PrintedColumn<LogEntry>[] = [
  { header: 'REVISION', cell: ({ revision }) => String(revision), align: 'right' },
  { header: 'AT', cell: ({ at }) => showSecond(at) },
  { header: 'EVENT', cell: ({ type }) => type, tone: ({ type }): TextTone => (type === '?' ? 'red' : 'cyan') },
  { header: '', cell: ({ text }) => text, flexible: true },
]

const show = (real: Terminal): Command =>
  apiVerb(
    'show',
    'show events of the log, by default the last ones',
    ['log show', 'log show --watch', 'log show --from 0 --limit 20', 'log show --json | jq .event.type'],
    'print one JSON document a line',
  )
    .addOption(new Option('--from <revision>', 'begin at this revision').argParser(wholeNumber(0)))
    .addOption(limitOption())
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ json, from, limit, ...place }: ShowOptions) => {
        const ask = (page: RequestQuery) =>
          NodeApi.at(place).get('/log', { whole: json === true ? 'true' : 'false', ...page }, LogPageC)
        // The last ones come in one answer, as long as they fit into one.
        const first =
          from ?? (limit <= vaultLimits.page ? undefined : Math.max(0, (await ask({ limit: 1 })).head - limit + 1))
        const { items } = await gather({ limit, ...(first === undefined ? {} : { after: String(first) }) }, (page) =>
          ask({ limit: page.limit, from: page.after }),
        )
        if (json !== true)
          return printList(terminal, json, { rows: items, columns, empty: 'There are no such events.' })
        for (const { revision, tick, at, event } of items) printJson(terminal, json, { revision, tick, at, event })
        return undefined
      }),
    )

const exporting = (terminal: Terminal): Command =>
  verb('export', 'write the whole log to a file, as lines of JSON', [
    'log export backup.ndjson',
    'log export - | gzip > backup.ndjson.gz',
    'log export backup.ndjson --log postgres://carillon@db.example/ledger?sslmode=verify-full',
  ])
    .argument('<file>', 'a file that does not exist yet; - writes to stdout')
    .addOption(logOption())
    .action((file: string, { json, ...named }: LogOptions) =>
      withNamedLog(named, async (log) => {
        const output = await openOutput(file)
        try {
          const total = (await log.head()).revision + 1
          const events = await withProgress(
            terminal,
            'Exporting',
            (count) => exportLog(log.read(0), output.write, count),
            total,
          )
          await output.close()
          if (json === true && file !== '-') terminal.out(jsonText({ file, events }))
          else if (json !== true)
            terminal.err(`${showCount(events, 'event')} exported${file === '-' ? '' : ` to ${printable(file)}`}.`)
        } catch (error) {
          await output.discard()
          throw error
        }
      }),
    )

/** The bytes of a file, with how many of how many have been read; of a pipe nobody knows how many there will be. */
const bytesOf = (file: string): { readonly bytes: Readable; readonly extent: Extent } => {
  if (file === '-') return { bytes: process.stdin, extent: { total: 0, done: () => 0 } }
  const bytes = createReadStream(file)
  // A file that is not there is complained about when it is read.
  return { bytes, extent: { total: statSync(file, { throwIfNoEntry: false })?.size ?? 0, done: () => bytes.bytesRead } }
}

type ImportOptions = LogOptions & { readonly by?: PublicKey }

const importFile = async (terminal: Terminal, file: string, { store, log, by }: ImportOptions): Promise<Head> => {
  const { bytes, extent } = bytesOf(file)
  const lines = readLines(bytes, file)
  const expected = by === undefined ? {} : { by }
  if (log === undefined)
    return withProgress(
      terminal,
      'Importing',
      (onProgress) => importLog(lines, store, { ...expected, onProgress }),
      extent,
    )
  const target = await openLog(log)
  try {
    return await withProgress(terminal, 'Importing', (onCopied) => importInto(lines, target, { onCopied }), extent)
  } finally {
    await target.close()
  }
}

const importing = (terminal: Terminal): Command =>
  verb('import', 'make a store out of an exported log, or fill an empty log on a server', [
    'log import backup.ndjson --store ./restored',
    'log import backup.ndjson --log postgres://carillon@db.example/ledger?sslmode=verify-full',
  ])
    .argument('<file>', 'a file made by "carillon log export"; - reads from stdin')
    .addOption(logOption())
    .addOption(
      new Option('--by <key>', 'refuse the log unless this key has signed it, at first or since a change of key')
        .argParser(publicKeyArgument)
        .conflicts('log'),
    )
    .action(async (file: string, { json, ...named }: ImportOptions) => {
      const { store, log } = named
      const head = await importFile(terminal, file, named)
      if (printJson(terminal, json, { ...(log === undefined ? { store } : {}), head })) return
      const place = log === undefined ? printable(store) : 'the log'
      terminal.out(`${showCount(head.revision + 1, 'event')} imported into ${place}, head ${head.hash}.`)
      if (log !== undefined) return
      printNote(
        terminal,
        `An export holds no keys: copy node.key and node.secret of the old store to ${printable(store)}. Before a node runs on it, compare it with the checkpoints that others keep (carillon backup compare), or tell it to go on (carillon backup go-on).`,
      )
    })

/** How far the views stand now; 0, which is not known, when they cannot be read, which may be why they are rebuilt. */
const eventsIn = (store: string): number => {
  try {
    return readStore(store, readFacts).head.revision + 1
  } catch {
    return 0
  }
}

const rebuild = (terminal: Terminal): Command =>
  verb('rebuild', 'build all views anew from the log; no node may run meanwhile', ['log rebuild']).action(
    async ({ store, json }: StoreOptions) => {
      const report = await withProgress(terminal, 'Rebuilding', (count) => rebuildViews(store, count), eventsIn(store))
      if (printJson(terminal, json, report)) return
      const same = report.before === report.after
      terminal.out(
        `Views rebuilt from ${showCount(report.events, 'event')}: ${same ? 'they are what they were' : 'they differ from what was there before'}.`,
      )
      terminal.out(terminal.tone('dim', `digest ${report.after}${same ? '' : `, before ${report.before}`}`))
      if (!same)
        terminal.err(`Something had altered the views. See what is due now: carillon agenda${storeHint(store)}`)
    },
  )

export const logVerb = (terminal: Terminal): Command =>
  verbGroup('log', 'show, follow, export, import, copy, verify and prove the log; rebuild the views from it', [
    show(terminal),
    follow(terminal),
    exporting(terminal),
    importing(terminal),
    copy(terminal),
    verify(terminal),
    head(terminal),
    heads(terminal),
    prove(terminal),
    checkProofVerb(terminal),
    rebuild(terminal),
  ])
