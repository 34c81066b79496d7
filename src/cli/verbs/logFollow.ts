/**
 * `carillon log follow`: every event as it is recorded, from any revision on, each once and in order, across restarts of
 * the node.
 */
import { Option, type Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { decodeWith } from '../../encoding/decode.js'
import { LogEntryC, StatusC } from '../../http/answers.js'
import { followAgain } from '../followAgain.js'
import { NodeApi } from '../NodeApi.js'
import { fit } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { untilSignalled } from '../untilSignalled.js'
import { apiVerb, storeHint, wholeNumber, type ApiOptions } from '../verb.js'
import { showSecond } from '../words.js'
import { printNote, printLine } from '../print.js'

type Options = ApiOptions & { readonly from?: number; readonly type?: string }
type Entry = t.TypeOf<typeof LogEntryC>

const typeWidth = 22

const lineOf = ({ revision, at, type, text }: Entry, terminal: Terminal): string => {
  const start = `${String(revision).padStart(8)}  ${showSecond(at)}  `
  const name = type.padEnd(typeWidth)
  const room = terminal.width - start.length - name.length - 1
  return `${start}${terminal.tone('cyan', name)} ${fit(printable(text), Math.max(room, 8))}`
}

export const follow = (terminal: Terminal): Command =>
  apiVerb(
    'follow',
    'follow the log of a running node, a line for every event; goes on where it ended when the node restarts',
    ['log follow', 'log follow --from 0', 'log follow --type FlowEnded', 'log follow --json | jq .event'],
    'print one JSON document a line',
  )
    .addOption(
      new Option('--from <revision>', 'begin at this revision (default: what comes)').argParser(wholeNumber(0)),
    )
    .addOption(new Option('--type <event>', 'only events of this type'))
    .action(async ({ json, from, type, ...place }: Options) => {
      const { store } = place
      let next = from ?? (await NodeApi.at(place).get('/status', {}, StatusC)).head.revision + 1
      const stopped = untilSignalled()
      await followAgain(terminal, place, { path: '/log/follow', query: () => ({ from: next }) }, stopped, (event) => {
        const decoded = decodeWith(LogEntryC, JSON.parse(event.data))
        if (isLeft(decoded)) return
        const entry = decoded.right
        next = entry.revision + 1
        if (type !== undefined && entry.type !== type) return
        printLine(terminal, json, entry, lineOf(entry, terminal))
      })
      printNote(terminal, `Go on with: carillon log follow --from ${next}${storeHint(store)}`)
    })
