/**
 * `carillon log follow`: every event as it is recorded, from any revision on, each once and in order, across restarts of
 * the node.
 */
import { Option, type Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { nearestNames } from '../../app/nearestNames.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { LogEntryC, PublicEventC, StatusC } from '../../http/answers.js'
import { isEventType } from '../../log/decodeEvent.js'
import { eventCodecs } from '../../log/events.js'
import { followAgain } from '../followAgain.js'
import { NodeApi } from '../NodeApi.js'
import { fit } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { untilSignalled } from '../untilSignalled.js'
import { apiVerb, storeHint, wholeNumber, type ApiOptions } from '../verb.js'
import { showSecond } from '../words.js'
import { printNote, printLine } from '../print.js'

type Options = ApiOptions & { readonly from?: number; readonly type?: string; readonly public?: boolean }
type Entry = t.TypeOf<typeof LogEntryC>

const typeWidth = 22

const lineOf = ({ revision, at, type, text }: Entry, terminal: Terminal): string => {
  const start = `${String(revision).padStart(8)}  ${showSecond(at)}  `
  const name = type.padEnd(typeWidth)
  const room = terminal.width - start.length - name.length - 1
  return `${start}${terminal.tone('cyan', name)} ${fit(printable(text), Math.max(room, 8))}`
}

/** A public event as a line of the log; undefined when it is none. */
const publicEntry = (said: unknown): Entry | undefined => {
  const decoded = decodeWith(PublicEventC, said)
  if (isLeft(decoded)) return undefined
  const place = decoded.right
  // The rest is what it says.
  const says = Object.entries({ ...(said as object) }).filter(([name]) => !(name in place))
  return { ...place, text: JSON.stringify(Object.fromEntries(says)) }
}

const logEntry = (said: unknown): Entry | undefined => {
  const decoded = decodeWith(LogEntryC, said)
  return isLeft(decoded) ? undefined : decoded.right
}

/** The node is asked for the whole log: one that has no event of the type would be listened to for ever. */
const assertType = (type: string | undefined): void => {
  if (type === undefined || isEventType(type)) return
  const near = nearestNames(type, Object.keys(eventCodecs))
  const hint = near.length === 0 ? 'All are in docs/reference/events.md.' : `Did you mean ${near.join(' or ')}?`
  throw new CarillonError('usage', `There is no event ${type}. ${hint}`)
}

export const follow = (terminal: Terminal): Command =>
  apiVerb(
    'follow',
    'follow the log of a running node, a line for every event; goes on where it ended when the node restarts',
    [
      'log follow',
      'log follow --from 0',
      'log follow --type FlowEnded',
      'log follow --json | jq .event',
      'log follow --public --from 0 --json | jq .produced',
    ],
    'print one JSON document a line',
  )
    .addOption(
      new Option('--from <revision>', 'begin at this revision (default: what comes)').argParser(wholeNumber(0)),
    )
    .addOption(new Option('--type <event>', 'only events of this type'))
    .addOption(new Option('--public', 'follow public events, as subscriptions and projections are given them'))
    .action(async ({ json, from, type, public: isPublic, ...place }: Options) => {
      const { store } = place
      if (isPublic !== true) assertType(type)
      let next = from ?? (await NodeApi.at(place).get('/status', {}, StatusC)).head.revision + 1
      const stopped = untilSignalled()
      const types = isPublic !== true || type === undefined ? {} : { types: type }
      const asked = { path: isPublic === true ? '/events' : '/log/follow', query: () => ({ from: next, ...types }) }
      await followAgain(terminal, place, asked, stopped, (event) => {
        const said: unknown = JSON.parse(event.data)
        const entry = isPublic === true ? publicEntry(said) : logEntry(said)
        if (entry === undefined) return
        next = entry.revision + 1
        if (type !== undefined && entry.type !== type) return
        printLine(terminal, json, isPublic === true ? said : entry, lineOf(entry, terminal))
      })
      const how = isPublic === true ? ' --public' : ''
      printNote(terminal, `Go on with: carillon log follow${how} --from ${next}${storeHint(store)}`)
    })
