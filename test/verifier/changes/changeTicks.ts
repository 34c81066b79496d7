/** Changes of the ticks of a log: cuts, repetitions, another order, other headers and ends. */
import { sha256 } from '../../../src/encoding/hash.js'
import type { Chance } from '../../../src/testing/simulation/Chance.js'
import type { FileTick, LogFile } from '../LogFile.js'
import { exchanged, inserted, withTick, withTicks, without, type Change } from './Change.js'
import { changeValue } from './changeValue.js'

const placeIn = (chance: Chance, { ticks }: LogFile): number => chance.below(Math.max(1, ticks.length))

const cut: Change<LogFile> = (chance, log) => {
  const { ticks } = log
  const at = placeIn(chance, log)
  const count = chance.between(1, Math.max(1, Math.min(3, ticks.length - 1)))
  return chance.pick([
    () => ({ log: withTicks(log, ticks.slice(at)), what: `the first ${at} ticks cut off` }),
    () => ({ log: withTicks(log, ticks.slice(0, at)), what: `the ticks from ${at} on cut off` }),
    () => ({ log: withTicks(log, without(ticks, at, count)), what: `${count} ticks from ${at} on taken out` }),
  ])()
}

const repeat: Change<LogFile> = (chance, log) => {
  const from = placeIn(chance, log)
  const at = placeIn(chance, log)
  const again = log.ticks.slice(from, from + chance.between(1, 2))
  return { log: withTicks(log, inserted(log.ticks, at, ...again)), what: `tick ${from} once more at ${at}` }
}

const exchange: Change<LogFile> = (chance, log) => {
  const [first, second] = [placeIn(chance, log), placeIn(chance, log)]
  const ticks = exchanged(log.ticks, first, chance.oneIn(2) ? first + 1 : second)
  return { log: withTicks(log, ticks), what: `ticks ${first} and ${second} (or its neighbour) exchanged` }
}

const move: Change<LogFile> = (chance, log) => {
  const [from, to] = [placeIn(chance, log), placeIn(chance, log)]
  const moved = log.ticks.slice(from, from + 1)
  return { log: withTicks(log, inserted(without(log.ticks, from), to, ...moved)), what: `tick ${from} moved to ${to}` }
}

/** One tick becomes two, or two become one. */
const divide: Change<LogFile> = (chance, log) => {
  const at = placeIn(chance, log)
  const [tick, next] = log.ticks.slice(at)
  if (tick === undefined) return { log, what: 'nothing' }
  const put = (count: number, ...ticks: readonly FileTick[]): LogFile =>
    withTicks(log, [...log.ticks.slice(0, at), ...ticks, ...log.ticks.slice(at + count)])
  const counted = (events: readonly string[]): FileTick => ({ ...tick, events, count: events.length })
  if (next !== undefined && chance.oneIn(2))
    return { log: put(2, counted([...tick.events, ...next.events])), what: `ticks ${at} and ${at + 1} made one` }
  const half = Math.ceil(tick.events.length / 2)
  return {
    log: put(1, counted(tick.events.slice(0, half)), counted(tick.events.slice(half))),
    what: `tick ${at} divided after ${half} events`,
  }
}

const members = ['at', 'count', 'revision', 'tick', 'hash', 'signature', 'endsTick'] as const

const changeMember: Change<LogFile> = (chance, log) => {
  const at = placeIn(chance, log)
  const tick = log.ticks[at]
  if (tick === undefined) return { log, what: 'nothing' }
  const name = chance.pick(members)
  const value = changeValue(chance, tick[name])
  const both = name === 'tick' && chance.oneIn(2) ? { endsTick: value } : {}
  return {
    log: withTick(log, at, { [name]: value, ...both }),
    what: `${name} of tick ${at} is ${JSON.stringify(value)}`,
  }
}

/** The number of a tick, or its revision, is another one that could be. */
const shift: Change<LogFile> = (chance, log) => {
  const at = placeIn(chance, log)
  const tick = log.ticks[at]
  if (tick === undefined) return { log, what: 'nothing' }
  const by = chance.pick([-2, -1, 1, 2, 5])
  const [number, revision] = [Number(tick.tick) + by, Number(tick.revision) + by]
  return chance.pick([
    () => ({ log: withTick(log, at, { tick: number, endsTick: number }), what: `tick ${at} has the number ${number}` }),
    () => ({ log: withTick(log, at, { revision }), what: `tick ${at} has the revision ${revision}` }),
    () => ({
      log: withTick(log, at, { revision, tick: number, endsTick: number }),
      what: `tick ${at} has number and revision ${number}, ${revision}`,
    }),
  ])()
}

const forgeSignature: Change<LogFile> = (chance, log) => {
  const at = placeIn(chance, log)
  const other = log.ticks[placeIn(chance, log)]
  const signature = chance.pick([
    '',
    other?.signature ?? '',
    other?.signer.key.sign('something else') ?? '',
    ` ${JSON.stringify(other?.signature)}`,
    sha256('no signature'),
  ])
  return { log: withTick(log, at, { signature }), what: `tick ${at} has the signature ${JSON.stringify(signature)}` }
}

const firstLine: Change<LogFile> = (chance, log) => {
  const line = chance.pick([
    ...['', '{}', '{"carillon":"log","format":1}', '{"carillon":"log","format":3}', '{"carillon":"log","format":-1}'],
    ...['{"carillon":"log","format":2.5}', '{"carillon":"log","format":"2"}', '{"format":2,"carillon":"log"}'],
    ...['{"carillon":"proof","format":2}', '{"a":1,"carillon":"log","format":3}', '{"carillon":"log","format":2} '],
  ])
  return { log: { ...log, firstLine: line }, what: `the first line is ${line}` }
}

const empty: Change<LogFile> = (_, log) => ({ log: withTicks(log, []), what: 'all ticks are gone' })

const weighted = [
  ...[cut, cut, cut, repeat, repeat, exchange, exchange, move, move, divide, divide],
  ...[changeMember, changeMember, changeMember, shift, shift, forgeSignature, forgeSignature],
]

export const changeTicks: Change<LogFile> = (chance, log) =>
  chance.oneIn(40) ? chance.pick([firstLine, empty])(chance, log) : chance.pick(weighted)(chance, log)
