/**
 * The first lines of `carillon run`: whose node this is, what is to come, how to stop it, and what to try.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import type { App } from '../app/App.js'
import { toMillis, type Instant } from '../time/Instant.js'
import { inputSketch } from '../http/inputSketch.js'
import type { StoreStatus } from './storeStatus.js'
import { factLines, type Fact } from './print.js'
import { printable, type Terminal } from './Terminal.js'
import { storeHint } from './verb.js'
import { showCount, showDistance, showInstant } from './words.js'

/** A flow that a person could start, with an input that it would take if there is an obvious one. */
const suggestion = (app: App): string | undefined => {
  const startable = app.flows.filter(({ schedulable }) => !schedulable)
  const easy = startable.find(({ input }) => isRight(input.decode({})))
  if (easy !== undefined) return `carillon start ${easy.name}`
  const [first] = startable
  return first === undefined ? undefined : `carillon start ${first.name} '${inputSketch(first.input)}'`
}

const pendingText = ({ activities, next }: StoreStatus, nowMs: number): string => {
  const at: Instant | undefined = next?.actsAt ?? next?.due
  if (activities.scheduled === 0 || at === undefined) return 'nothing yet'
  const when = `${showInstant(at)}, ${toMillis(at) <= nowMs ? 'now' : showDistance(at, nowMs)}`
  return `${showCount(activities.scheduled, 'activity', 'activities')}; next ${next?.flow ?? ''} at ${when}`
}

export const banner = (
  status: StoreStatus,
  app: App,
  party: string,
  terminal: Terminal,
  nowMs: number,
  { url, link }: { readonly url?: string | undefined; readonly link?: string | undefined } = {},
): readonly string[] => {
  const { activities, flows, store, facts } = status
  const hint = storeHint(store)
  const waiting = activities.parked + activities.missed + activities.failed + activities.unconsumed
  const tries = [suggestion(app), 'carillon agenda', 'carillon status'].filter((text) => text !== undefined)
  const lines: readonly Fact[] = [
    ['store', store],
    ['log', status.log],
    ['pending', pendingText(status, nowMs)],
    ['flows', flows.open === 0 ? undefined : `${showCount(flows.open, 'flow')} under way`],
    [
      'attention',
      waiting === 0
        ? undefined
        : `${showCount(waiting, 'activity needs', 'activities need')} attention: carillon agenda --show attention${hint}`,
    ],
    ['draining', facts.draining ? `nothing is started until: carillon drain end${hint}` : undefined],
    [
      'dashboard',
      link === undefined
        ? url && `${url}  (for a link: carillon token link${hint})`
        : `${link}  (opens once; another: carillon token link${hint})`,
    ],
    ['stop', 'Ctrl-C; a second one does not wait'],
    ...tries.map((command, index): Fact => [index === 0 ? 'try' : '', `${command}${hint}`]),
  ]
  return [
    terminal.tone('bold', printable(`${app.name} ${app.version}, run by ${party}`)),
    ...factLines(terminal, lines, { indent: '  ' }),
    '',
  ]
}
