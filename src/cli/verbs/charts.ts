/**
 * `carillon charts`: how busy a running node was lately and how late it ran, a line for each second or minute. The
 * dashboard draws it.
 */
import { Option, type Command } from 'commander'
import { ChartsC, type Charts } from '../../http/answers.js'
import { NodeApi } from '../NodeApi.js'
import { printJson, printTable } from '../print.js'
import type { PrintedColumn } from '../table.js'
import type { Terminal } from '../Terminal.js'
import { apiVerb, wholeNumber, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { showLateness, showSecond } from '../words.js'

type Options = ApiOptions & { readonly by: 'second' | 'minute'; readonly points: number }
type Point = Charts['points'][number]

const figure = (
  header: string,
  valueOf: (point: Point) => number,
  show = (value: number) => value.toLocaleString('en'),
): PrintedColumn<Point> => ({
  header,
  cell: (point) => (valueOf(point) === 0 ? '' : show(valueOf(point))),
  align: 'right',
})

const columns: readonly PrintedColumn<Point>[] = [
  { header: 'AT', cell: ({ at }) => showSecond(at) },
  figure('EVENTS', ({ events }) => events),
  figure('TRANSACTIONS', ({ transactions }) => transactions),
  figure('STARTED', ({ started }) => started),
  figure('FAILED', ({ failed }) => failed),
  figure('LATENESS, HALF', ({ latenessP50Ms }) => latenessP50Ms, showLateness),
  figure('LATENESS, WORST', ({ latenessMaxMs }) => latenessMaxMs, showLateness),
]

export const chartsVerb = (real: Terminal): Command =>
  apiVerb('charts', 'show throughput and lateness lately, second by second or minute by minute', [
    'charts',
    'charts --by minute',
    'charts --watch 1',
  ])
    .addOption(new Option('--by <span>', 'what a point stands for').choices(['second', 'minute']).default('second'))
    .addOption(new Option('--points <n>', 'how many').argParser(wholeNumber(1)).default(20))
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ json, by, points, ...place }: Options) => {
        const found = await NodeApi.at(place).get('/charts', { by, points: points + 1 }, ChartsC)
        // The point under way is not over, and would look like a fall.
        if (!printJson(terminal, json, found)) printTable(terminal, columns, found.points.slice(0, -1))
      }),
    )
