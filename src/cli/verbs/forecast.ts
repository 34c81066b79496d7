/**
 * `carillon forecast`: what will run on a store until an instant, and what it will do. The store is only read.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { forecast as forecastLog, type ForecastEntry, type ForecastProgress } from '../../testing/forecast/forecast.js'
import { readStore } from '../../folder/readStore.js'
import { timeline } from '../../testing/forecast/timeline.js'
import { instant, instantFromMillis, toMillis, type Instant } from '../../time/Instant.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import { nowOf } from '../nowOf.js'
import { ProgressBar } from '../ProgressBar.js'
import type { PrintedColumn } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { verb, wholeNumber, type StoreOptions } from '../verb.js'
import { withApp } from '../withApp.js'
import { showCount, showSecond } from '../words.js'
import { printJson, printTable } from '../print.js'

type Options = StoreOptions & {
  readonly until: Instant
  readonly from?: Instant
  readonly limit: number
}

const toInstant = (text: string): Instant => {
  try {
    return instant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  } catch {
    throw new InvalidArgumentError('It must be a day or a UTC instant, such as 2027-01-01 or 2027-01-01T09:00:00Z.')
  }
}

const doingsOf = ({ transactions }: ForecastEntry): string =>
  transactions
    .map(
      ({ commands, produces }) =>
        `${commands.map(({ type }) => type).join(', ')}${produces.length === 0 ? '' : ` → ${produces.map(({ type }) => type).join(', ')}`}`,
    )
    .join('; ')

const columns: readonly PrintedColumn<ForecastEntry>[] = [
  { header: 'AT', cell: ({ at }) => showSecond(at) },
  { header: 'FLOW', cell: ({ flow }) => flow, flexible: true },
  {
    header: 'OUTCOME',
    cell: ({ outcome }) => outcome,
    tone: ({ outcome }) => (outcome === 'completed' ? 'green' : outcome === 'open' ? 'yellow' : 'red'),
  },
  { header: 'DOES', cell: (entry) => doingsOf(entry), flexible: true },
  {
    header: 'CASH FLOWS',
    cell: ({ cashFlows }) => cashFlows.map(({ label, amount, unit }) => `${label} ${amount} ${unit}`).join('; '),
    flexible: true,
  },
  { header: 'WHY', cell: ({ error }) => error ?? '', flexible: true },
]

/** A bar for the log that is read, and then one for the time that passes. */
const progressOf = (
  terminal: Terminal,
  store: string,
  from: Instant,
  until: Instant,
): { readonly progress: (far: ForecastProgress) => void; readonly end: () => void } => {
  let passedMs = 0
  const reading = new ProgressBar(terminal, 'Reading the log', readStore(store, readFacts).head.revision + 1)
  let running: ProgressBar | undefined
  const begin = (): ProgressBar =>
    new ProgressBar(terminal, `Forecasting until ${until}`, {
      total: toMillis(until) - toMillis(from),
      done: () => passedMs,
    })
  return {
    progress: ({ doing, events, at }) => {
      passedMs = toMillis(at) - toMillis(from)
      if (doing === 'reading') reading.count(events)
      else (running ??= begin()).count(events)
    },
    end: () => reading.end(),
  }
}

export const forecastVerb = (terminal: Terminal): Command =>
  verb('forecast', 'run the future of a store in memory: what will fire, and what it will do', [
    'forecast src/app.ts --until 2027-01-01',
    'forecast src/app.ts --until 2027-01-01T09:00:00Z --json',
  ])
    .argument('<app-module>', 'a module that exports `app`, and perhaps `cashFlows` and `assumedSteps`')
    .addOption(new Option('--until <instant>', 'where the forecast ends').argParser(toInstant).makeOptionMandatory())
    .addOption(new Option('--from <instant>', 'where it begins (default: now)').argParser(toInstant))
    .addOption(new Option('--limit <count>', 'rows of the table').default(50).argParser(wholeNumber(1)))
    .action((module: string, { store, json, until, from, limit }: Options) =>
      withApp(module, async ({ app, forecasting }) => {
        const begin = from ?? instantFromMillis(await nowOf({ store }))
        const { progress, end } = progressOf(terminal, store, begin, until)
        const found = await forecastLog(store, until, {
          ...forecasting,
          app,
          from: begin,
          onProgress: progress,
        }).finally(end)
        if (printJson(terminal, json, found)) return
        if (found.entries.length === 0) terminal.out('Nothing will run.')
        else {
          printTable(terminal, columns, found.entries.slice(0, limit))
          if (found.entries.length > limit)
            terminal.out(`and ${found.entries.length - limit} more; --limit shows more of them`)
          terminal.out('')
          for (const line of timeline(found, Math.min(terminal.width, 100))) terminal.out(printable(line))
        }
        terminal.out('')
        terminal.out(
          `${showCount(found.entries.length, 'flow')} from ${found.from} until ${found.until}; ${showCount(found.states.length, 'unconsumed state')} then.`,
        )
        for (const sentence of found.assumptions) terminal.out(`Assumed: ${printable(sentence)}`)
      }),
    )
