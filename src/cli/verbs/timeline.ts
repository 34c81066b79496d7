/**
 * `carillon timeline`: the agenda counted along time, a line for each span: what was on time, late, failed or missed, and
 * what is to come. The dashboard draws it.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { httpLimits } from '../../http/limits.js'
import { TimelineC, type TimelineAnswer } from '../../http/answers.js'
import { instant, instantFromMillis, toMillis, type Instant } from '../../time/Instant.js'
import { NodeApi } from '../NodeApi.js'
import { nowOf } from '../nowOf.js'
import { printList, printNote } from '../print.js'
import type { PrintedColumn } from '../table.js'
import type { Terminal, TextTone } from '../Terminal.js'
import { apiVerb, spanIn, wholeNumber, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { showLateness, showSecond } from '../words.js'

type Options = ApiOptions & {
  readonly from?: Instant
  readonly until?: Instant
  readonly span: number
  readonly bars: number
}

type Bar = TimelineAnswer['bars'][number]

const count = (header: string, valueOf: (bar: Bar) => number, tone: TextTone): PrintedColumn<Bar> => ({
  header,
  cell: (bar) => (valueOf(bar) === 0 ? '' : valueOf(bar).toLocaleString('en')),
  align: 'right',
  tone: () => tone,
})

const columnsAt = ({ now, barMs }: TimelineAnswer): readonly PrintedColumn<Bar>[] => {
  const isNow = ({ at }: Bar): boolean => at <= now && toMillis(now) < toMillis(at) + barMs
  return [
    { header: 'FROM', cell: ({ at }) => showSecond(at) },
    { header: '', cell: (bar) => (isNow(bar) ? 'now' : ''), tone: () => 'bold' },
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
  ]
}

export const timelineVerb = (real: Terminal): Command =>
  apiVerb(
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
      watching(real, (terminal) => async ({ json, from, until, span: spanMs, bars, ...place }: Options) => {
        const barMs = Math.ceil(spanMs / bars)
        // On whole bars, so that a watch does not count anew each time.
        const fromMs =
          from === undefined
            ? Math.max(0, Math.floor(((await nowOf(place)) - spanMs * 0.4) / barMs) * barMs)
            : toMillis(from)
        const untilMs = until === undefined ? fromMs + spanMs : toMillis(until)
        if (untilMs <= fromMs || bars > httpLimits.timelineBars)
          throw new InvalidArgumentError(
            `A timeline goes from an instant until a later one, in 1 to ${httpLimits.timelineBars} bars.`,
          )
        const asked = { from: instantFromMillis(fromMs), until: instantFromMillis(untilMs), bars }
        const found = await NodeApi.at(place).get('/agenda/timeline', asked, TimelineC)
        await printList(terminal, json, { rows: found.bars, columns: columnsAt(found), empty: '' })
        if (found.partial && json !== true)
          printNote(terminal, 'Only the newest occurrences were counted; look at a later span for the rest.')
      }),
    )
