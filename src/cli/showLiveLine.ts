/**
 * A live line as people read it: when, how it ended, what, and how late.
 */
import type { OutcomeKind } from '../telemetry/Outcome.js'
import type { LiveLine, Untold } from './LiveLines.js'
import { fit } from './table.js'
import { printable, type Terminal, type TextTone } from './Terminal.js'
import { shortId, shortRef, showJson, showLateness } from './words.js'

const toneOf: Readonly<Record<OutcomeKind, TextTone>> = {
  completed: 'green',
  failed: 'red',
  killed: 'red',
  refused: 'yellow',
  superseded: 'dim',
  continued: 'dim',
  parked: 'red',
  missed: 'red',
  'start failed': 'yellow',
  draining: 'yellow',
  drained: 'green',
}

const outcomeWidth = 'start failed'.length
const timeLength = 'HH:MM:SS.mmmZ'.length

const what = (line: LiveLine): string => {
  if (line.outcome === 'draining') return `nothing new is started, by ${line.by ?? ''}`
  if (line.outcome === 'drained') return `starting again what is due, by ${line.by ?? ''}`
  const ends =
    line.error === undefined ? showJson(line.result ?? line.refusal) : `${line.error.code}: ${line.error.message}`
  const retried = (line.attempt ?? 1) > 1 ? `attempt ${line.attempt ?? 1}` : ''
  return [
    line.name ?? (line.flow === undefined ? '' : `flow ${shortId(line.flow)}`),
    line.ref === undefined ? '' : shortRef(line.ref),
    line.latenessMs === undefined ? '' : showLateness(line.latenessMs),
    retried,
    line.by === undefined ? '' : `by ${line.by}`,
    ends,
  ]
    .filter((part) => part !== '')
    .join('  ')
}

export const showLiveLine = (line: LiveLine, { tone, width }: Terminal): string => {
  const head = `${tone('dim', line.at.slice(-timeLength))}  ${tone(toneOf[line.outcome], line.outcome.padEnd(outcomeWidth))}  `
  return `${head}${fit(printable(what(line)), width - timeLength - outcomeWidth - 4)}`
}

export const showUntold = (untold: Untold, { tone }: Terminal): string => {
  const parts = Object.entries(untold).map(([outcome, count]) => `${count.toLocaleString('en')} ${outcome}`)
  return tone('dim', `${' '.repeat(timeLength)}  … and more: ${parts.join(', ')}`)
}
