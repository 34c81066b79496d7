/**
 * `carillon live`: a node in a line, now and whenever something has happened, as its live stream tells it.
 */
import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { decodeWith } from '../../encoding/decode.js'
import { LiveC } from '../../http/answers.js'
import { followAgain } from '../followAgain.js'
import { printable, type Terminal } from '../Terminal.js'
import { untilSignalled } from '../untilSignalled.js'
import { apiVerb, type ApiOptions } from '../verb.js'
import { showCount, showSecond } from '../words.js'
import { printLine } from '../print.js'

const lineOf = (live: t.TypeOf<typeof LiveC>): string => {
  const { activities, flows } = live
  const waiting =
    activities.parked +
    activities.missed +
    activities.failed +
    activities.unconsumed +
    flows.parked +
    flows.superseded +
    live.hangingSteps
  return [
    showSecond(live.now),
    showCount(live.head.revision + 1, 'event'),
    `${live.eventsPerSecond.toFixed(1)}/s`,
    `${live.startsPerSecond.toFixed(1)} starts/s`,
    `${activities.scheduled.toLocaleString('en')} to come`,
    showCount(flows.open, 'open flow'),
    ...(waiting > 0 ? [`${waiting.toLocaleString('en')} need attention`] : []),
    ...(live.draining ? ['draining'] : []),
    ...(live.trouble === undefined ? [] : [live.trouble.code]),
  ].join('  ')
}

export const liveVerb = (terminal: Terminal): Command =>
  apiVerb(
    'live',
    'follow a running node in lines, one whenever something has happened',
    ['live', 'live --json'],
    'print one JSON document a line',
  ).action(async ({ json, ...place }: ApiOptions) => {
    await followAgain(terminal, place, { path: '/live', query: () => ({}) }, untilSignalled(), ({ data }) => {
      const decoded = decodeWith(LiveC, JSON.parse(data))
      if (isLeft(decoded)) return
      printLine(terminal, json, decoded.right, printable(lineOf(decoded.right)))
    })
  })
