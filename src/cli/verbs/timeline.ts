/**
 * `carillon timeline`: the agenda counted along time, a line for each span: what was on time, late, failed or missed, and
 * what is to come.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { httpLimits } from '../../http/limits.js'
import { readTimeline, type Bar } from '../../http/questions/readTimeline.js'
import { readStore } from '../../folder/readStore.js'
import { instant, instantFromMillis, toMillis, type Instant } from '../../time/Instant.js'
import { nowOf } from '../nowOf.js'
import type { Column } from '../table.js'
import type { Terminal, Tone } from '../Terminal.js'
import { spanIn, verb, wholeNumber, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { showLateness, showSecond } from '../words.js'
import { printJson, printTable } from '../print.js'

type Options = StoreOptions & {
  readonly from?: Instant
  readonly until?: Instant
  readonly span: number
  readonly bars: number
}

const lateMs = 1_000
const longestBar = 32

const columnsFor = (most: number, nowMs: number, barMs: number): readonly Column<Bar>[] => {
  const count = (header: string, valueOf: (bar: Bar) => number, tone?: Tone): Column<Bar> => ({
    header,
    cell: (bar) => (valueOf(bar) === 0 ? '' : valueOf(bar).toLocaleString('en')),
    align: 'right',
    tone: () => tone,
  })
  const total = (bar: Bar): number => bar.onTime + bar.late + bar.failed + bar.missed + bar.scheduled
  return [
    { header: 'FROM', cell: ({ atMs }) => showSecond(instantFromMillis(atMs)) },
    { header: '', cell: ({ atMs }) => (atMs <= nowMs && nowMs < atMs + barMs ? 'now' : ''), tone: () => 'bold' },
    count('ON TIME', ({ onTime }) => onTime, 'green'),
    count('LATE', ({ late }) => late, 'yellow'),
    count('FAILED', ({ failed }) => failed, 'red'),
    count('MISSED', ({ missed }) => missed, 'red'),
    count('TO COME', ({ scheduled }) => scheduled, 'cyan'),
    {
      header: 'AT WORST',
      cell: ({ worstLatenessMs }) => (worstLatenessMs === 0 ? '' : showLateness(worstLatenessMs)),
      align: 'right',
      spare: true,
    },
    {
      header: '',
      // By the root, so that one stays visible beside a thousand.
      cell: (bar) => '█'.repeat(Math.ceil((Math.sqrt(total(bar)) / Math.sqrt(Math.max(1, most))) * longestBar)),
      tone: () => 'dim',
      flexible: true,
    },
  ]
}

export const timeline = (real: Terminal): Command =>
  verb(
    'timeline',
    'count the agenda along time: what was on time, late, failed or missed, and what is to come',
    ['timeline', 'timeline --span 7d --bars 14', 'timeline --from 2026-01-31T09:00:00Z --until 2026-02-28T09:00:00Z'],
    'print one JSON document a line',
  )
    .addOption(
      new Option('--from <instant>', 'where it begins (default: two fifths of the span before now)').argParser(instant),
    )
    .addOption(new Option('--until <instant>', 'where it ends (default: a span later)').argParser(instant))
    .addOption(
      new Option('--span <span>', 'how much time it covers, such as 30m, 2h or 7d')
        .argParser(spanIn('smhdw', '30m, 2h or 7d'))
        .default(7_200_000, '2h'),
    )
    .addOption(new Option('--bars <n>', 'in how many lines').argParser(wholeNumber(1)).default(20))
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ store, json, from, until, span: spanMs, bars }: Options) => {
        const nowMs = await nowOf(store)
        const barMs = Math.ceil(spanMs / bars)
        // On whole bars, so that a watch does not count anew each time.
        const fromMs =
          from === undefined ? Math.max(0, Math.floor((nowMs - spanMs * 0.4) / barMs) * barMs) : toMillis(from)
        const untilMs = until === undefined ? fromMs + spanMs : toMillis(until)
        if (untilMs <= fromMs || bars > httpLimits.timelineBars)
          throw new InvalidArgumentError(
            `A timeline goes from an instant until a later one, in 1 to ${httpLimits.timelineBars} bars.`,
          )
        const found = readStore(store, (db) => readTimeline(db, { fromMs, untilMs, bars, lateMs }))
        if (json === true) {
          for (const { atMs, ...counts } of found.bars)
            printJson(terminal, json, { at: instantFromMillis(atMs), ...counts })
          return
        }
        const totals = found.bars.map((bar) => bar.onTime + bar.late + bar.failed + bar.missed + bar.scheduled)
        printTable(terminal, columnsFor(Math.max(...totals), nowMs, found.barMs), found.bars)
        if (found.partial)
          terminal.err(
            terminal.tone('dim', 'Only the newest occurrences were counted; look at a later span for the rest.'),
          )
      }),
    )
