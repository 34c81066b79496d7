/**
 * `carillon charts`: how busy a running node was lately and how late it ran, as lines of little bars.
 */
import { Option, type Command } from 'commander'
import type * as t from 'io-ts'
import { ChartsC } from '../../http/answers.js'
import { showSpan } from '../../agenda/why.js'
import { NodeApi } from '../NodeApi.js'
import { sparkline } from '../sparkline.js'
import { fit } from '../table.js'
import type { Terminal } from '../Terminal.js'
import { apiVerb, wholeNumber, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { showSecond } from '../words.js'
import { printJson } from '../print.js'

type Options = ApiOptions & { readonly by: 'second' | 'minute'; readonly points?: number }
type Point = t.TypeOf<typeof ChartsC>['points'][number]

const labelWidth = 16
const figureWidth = 18
/** In a pipe there is no width to fit; this fits everywhere. */
const usualPoints = 60

const lines: readonly (readonly [label: string, valueOf: (point: Point) => number, show: (value: number) => string])[] =
  [
    ['events', ({ events }) => events, (value) => `at most ${value.toLocaleString('en')}`],
    ['transactions', ({ transactions }) => transactions, (value) => `at most ${value.toLocaleString('en')}`],
    ['flows started', ({ started }) => started, (value) => `at most ${value.toLocaleString('en')}`],
    ['flows failed', ({ failed }) => failed, (value) => `at most ${value.toLocaleString('en')}`],
    ['lateness, half', ({ latenessP50Ms }) => latenessP50Ms, (value) => (value === 0 ? 'none' : showSpan(value))],
    ['lateness, worst', ({ latenessMaxMs }) => latenessMaxMs, (value) => (value === 0 ? 'none' : showSpan(value))],
  ]

export const charts = (real: Terminal): Command =>
  apiVerb('charts', 'show throughput and lateness lately, second by second or minute by minute', [
    'charts',
    'charts --by minute',
    'charts --watch 1',
  ])
    .addOption(new Option('--by <span>', 'what a point stands for').choices(['second', 'minute']).default('second'))
    .addOption(new Option('--points <n>', 'how many (default: as many as fit)').argParser(wholeNumber(1)))
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ json, by, points, ...place }: Options) => {
        const room = Number.isFinite(terminal.width) ? terminal.width - labelWidth - figureWidth : usualPoints
        const asked = points ?? Math.max(10, Math.min(room, 240))
        const found = await NodeApi.at(place).get('/charts', { by, points: asked + 1 }, ChartsC)
        if (printJson(terminal, json, found)) return
        // The point under way is not over, and would look like a fall.
        const over = found.points.slice(0, -1)
        for (const [label, valueOf, show] of lines) {
          const values = over.map(valueOf)
          terminal.out(
            `${terminal.tone('dim', label.padEnd(labelWidth))}${sparkline(values)}  ${show(Math.max(0, ...values))}`,
          )
        }
        const [first, last] = [over[0], over.at(-1)]
        if (first !== undefined && last !== undefined) {
          const footer = `a ${by} each, ${showSecond(first.at)} to ${showSecond(last.at)}`
          terminal.out(terminal.tone('dim', fit(footer, terminal.width)))
        }
      }),
    )
