/**
 * `carillon clock`: what time it is for a node, and the controls of the clock of a run in virtual time.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import type * as t from 'io-ts'
import { ClockC } from '../../http/answers.js'
import { NodeApi } from '../NodeApi.js'
import type { Terminal } from '../Terminal.js'
import { apiVerb, verbGroup, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { showInstant } from '../words.js'
import { printJson } from '../print.js'

type Clock = t.TypeOf<typeof ClockC>
type Options = ApiOptions & { readonly speed?: number }

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** `60`, `1h`, `1d`: how much virtual time passes in a second. */
const speed = (text: string): number => {
  const [, count, unit = 's'] = /^(\d{1,7}(?:\.\d{1,3})?)([smhd])?$/.exec(text) ?? []
  const seconds = Number(count) * (secondsOf[unit] ?? Number.NaN)
  if (!(seconds > 0))
    throw new InvalidArgumentError('Give how much time passes in a second, such as 60, 10m, 1h or 1d.')
  return seconds
}

const showSpeed = (seconds: number): string => {
  const [unit, length] =
    seconds >= 86_400 ? (['d', 86_400] as const) : seconds >= 3_600 ? (['h', 3_600] as const) : (['s', 1] as const)
  return `${Number((seconds / length).toFixed(1)).toLocaleString('en')} ${unit} a second`
}

const tell = (terminal: Terminal, json: boolean | undefined, clock: Clock): void => {
  if (printJson(terminal, json, clock)) return
  const going = !clock.virtual
    ? "on the machine's clock"
    : clock.playing
      ? `plays, ${showSpeed(clock.speed)}`
      : `paused (${showSpeed(clock.speed)} when it plays)`
  terminal.out(`${showInstant(clock.now)}  ${going}`)
}

const show = (real: Terminal): Command =>
  apiVerb('show', 'say what time it is for the running node, and whether its clock can be turned', [
    'clock show',
    'clock show --watch 1',
  ])
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ json, ...place }: Options) => {
        tell(terminal, json, await NodeApi.at(place).get('/clock', {}, ClockC))
      }),
    )

const turn = (terminal: Terminal, action: 'play' | 'pause' | 'jump', summary: string, example: string): Command =>
  apiVerb(action, summary, [example]).action(async ({ json, speed: wanted, ...place }: Options) => {
    const body = { action, ...(wanted === undefined ? {} : { speed: wanted }) }
    tell(terminal, json, await NodeApi.at(place).post('/clock', body, ClockC))
  })

export const clockVerb = (terminal: Terminal): Command =>
  verbGroup('clock', 'show the clock of a node; in virtual time, play, pause or jump', [
    show(terminal),
    turn(terminal, 'play', 'let a virtual clock run, at a speed', 'clock play --speed 1d').addOption(
      new Option('--speed <time>', 'how much time passes in a second, such as 60, 10m, 1h or 1d').argParser(speed),
    ),
    turn(terminal, 'pause', 'stop a virtual clock', 'clock pause'),
    turn(terminal, 'jump', 'move a virtual clock on to what is due next', 'clock jump'),
  ])
