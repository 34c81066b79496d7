/** Changes of the events of a log: what they hold, their order, their number. Hashes stay as they are. */
import { canonicalText, encoded, type Encoded, type Json } from '../../../src/encoding/canonical.js'
import { transactionIdOf } from '../../../src/ledger/componentTree.js'
import type { TransactionId } from '../../../src/ledger/TransactionId.js'
import type { Chance } from '../../../src/testing/simulation/Chance.js'
import { objectIn, type LogFile } from '../LogFile.js'
import { keyNamed } from '../WrittenParty.js'
import { exchanged, inserted, replaced, withTick, without, type Change, type Changed } from './Change.js'
import { changeValue } from './changeValue.js'

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}

/** The canonical text of a value, or what comes closest for one that has none. */
const lineOf = (value: Json): string => {
  try {
    return canonicalText(value)
  } catch {
    return JSON.stringify(sorted(value))
  }
}

type JsonObject = Readonly<Record<string, Json>>

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const encodedList = (value: Json | undefined): readonly Encoded[] | undefined =>
  Array.isArray(value) ? value.map(encoded) : undefined

const encodedMember = (value: Json | undefined): Encoded | undefined =>
  value === undefined ? undefined : encoded(value)

/** The id of a body, whatever it holds in the places of what an id is made of. */
const idOf = (body: JsonObject): TransactionId | undefined => {
  const [inputs, references, outputs, commands] = ['inputs', 'references', 'outputs', 'commands'].map((name) =>
    encodedList(body[name]),
  )
  const { salt, signers, notary } = body
  if (inputs === undefined || references === undefined || outputs === undefined || commands === undefined)
    return undefined
  if (typeof salt !== 'string' || signers === undefined || notary === undefined) return undefined
  return transactionIdOf({
    ...{ inputs, references, outputs, commands, salt, signers: encoded(signers), notary: encoded(notary) },
    ...{ newNotary: encodedMember(body['newNotary']), timeWindow: encodedMember(body['timeWindow']) },
  })
}

/** Gives a transaction the id of the body that it has now. */
const withOwnId = (event: Json): Json => {
  if (!isObject(event) || !isObject(event['body'])) return event
  try {
    const id = idOf(event['body'])
    return id === undefined ? event : { ...event, id }
  } catch {
    // A value without a canonical text has no id.
    return event
  }
}

const where = (
  log: LogFile,
  chance: Chance,
): { readonly at: number; readonly place: number; readonly line: string } => {
  const special = log.ticks.flatMap(({ events }, at) =>
    events.flatMap((line, place) => (/"type":"(Key|Net|NodeSt|Transaction)/.test(line) ? [{ at, place, line }] : [])),
  )
  if (special.length > 0 && chance.below(3) > 0) return chance.pick(special)
  const at = chance.below(log.ticks.length)
  const events = log.ticks[at]?.events ?? []
  const place = chance.below(Math.max(1, events.length))
  return { at, place, line: events[place] ?? '' }
}

const withEvents = (log: LogFile, at: number, events: readonly string[], counts: boolean): LogFile =>
  withTick(log, at, { events, ...(counts ? { count: events.length } : {}) })

const changeEvent: Change<LogFile> = (chance, log) => {
  const { at, place, line } = where(log, chance)
  const event = objectIn(line)
  if (event === undefined) return { log, what: 'nothing' }
  const changed = changeValue(chance, event, chance.pick([2, 4, 8]))
  const text = lineOf(chance.oneIn(2) ? withOwnId(changed) : changed)
  const events = replaced(log.ticks[at]?.events ?? [], place, text)
  return {
    log: withEvents(log, at, events, false),
    what: `event ${place} of tick ${at} is now ${text.slice(0, 2_000)}`,
  }
}

/** A value that was written in another way. */
const rewriteEvent: Change<LogFile> = (chance, log) => {
  const { at, place, line } = where(log, chance)
  const text = chance.pick([
    () => line.replace(':', ': '),
    () => `${line}\r`,
    () => ` ${line}`,
    () => line.replace(/"([a-z])/, (_, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`),
    () => line.replace(/(\d)([,}])/, '$1.0$2'),
    () => line.replace(/:(\d)/, ':-$1'),
    () => line.replace(/:\d+/, ':1e2'),
    () => line.replace('{', '{"type":"x",'),
    () => line.replace(/[}]$/, ',"type":"NodeStopped"}'),
    () => `[${line}]`,
    () => line.replace(/"/, '"\\ud83d\\ude00'),
    () => '['.repeat(chance.pick([10, 200_000])),
  ])()
  const events = replaced(log.ticks[at]?.events ?? [], place, text)
  return {
    log: withEvents(log, at, events, false),
    what: `event ${place} of tick ${at} is written ${text.slice(0, 300)}`,
  }
}

const dropEvent: Change<LogFile> = (chance, log) => {
  const { at, place } = where(log, chance)
  const counts = chance.oneIn(2)
  const events = without(log.ticks[at]?.events ?? [], place)
  return {
    log: withEvents(log, at, events, counts),
    what: `event ${place} of tick ${at} dropped, count kept: ${!counts}`,
  }
}

const addEvent: Change<LogFile> = (chance, log) => {
  const { at, place } = where(log, chance)
  const { line } = where(log, chance)
  const counts = chance.oneIn(2)
  const added = chance.oneIn(3)
    ? lineOf({ type: 'NetworkJoined', network: keyNamed('odd').publicKey.slice('ed25519:'.length) })
    : line
  const events = inserted(log.ticks[at]?.events ?? [], place, added)
  return {
    log: withEvents(log, at, events, counts),
    what: `an event added at ${place} of tick ${at}: ${added.slice(0, 300)}`,
  }
}

const swapEvents: Change<LogFile> = (chance, log) => {
  const several = log.ticks.flatMap(({ events }, index) => (events.length > 1 ? [index] : []))
  if (several.length === 0) return { log, what: 'nothing' }
  const at = chance.pick(several)
  const events = log.ticks[at]?.events ?? []
  const [first, second] = [chance.below(events.length), chance.below(events.length)]
  const swapped = exchanged(events, first, second)
  return { log: withEvents(log, at, swapped, false), what: `events ${first} and ${second} of tick ${at} exchanged` }
}

/** Exchanges events of different ticks. */
const swapAcross: Change<LogFile> = (chance, log) => {
  const one = where(log, chance)
  const other = where(log, chance)
  const put = (target: LogFile, { at, place }: typeof one, line: string): LogFile =>
    withEvents(target, at, replaced(target.ticks[at]?.events ?? [], place, line), false)
  const what = `event ${one.place} of tick ${one.at} exchanged with ${other.place} of ${other.at}`
  return { log: put(put(log, one, other.line), other, one.line), what }
}

const weighted = [
  ...[changeEvent, changeEvent, changeEvent, changeEvent, changeEvent, changeEvent],
  ...[rewriteEvent, dropEvent, addEvent, swapEvents, swapAcross],
]

export const changeEvents: Change<LogFile> = (chance, log): Changed<LogFile> =>
  log.ticks.length === 0 ? { log, what: 'nothing' } : chance.pick(weighted)(chance, log)
