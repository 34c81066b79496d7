/** Changes of a file that know nothing of what it holds: of its bytes and of its lines. */
import type { Chance } from '../../../src/testing/simulation/Chance.js'
import { exchanged, inserted, without, type Change } from './Change.js'

const lineFeed = 10

/** Short lines are few, and what they hold is much: a place in any line, or in any byte. */
const placeIn = (chance: Chance, bytes: Buffer): number => {
  const any = chance.below(Math.max(1, bytes.length))
  if (chance.oneIn(2)) return any
  const start = bytes.lastIndexOf(lineFeed, any) + 1
  return Math.min(start + chance.below(200), Math.max(0, bytes.length - 1))
}

const splice = (bytes: Buffer, from: number, count: number, put: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + count)])

const flip: Change<Buffer> = (chance, bytes) => {
  const at = placeIn(chance, bytes)
  const value = (bytes[at] ?? 0) ^ (1 << chance.below(8))
  return { log: splice(bytes, at, 1, Buffer.of(value)), what: `byte ${at} is ${value}` }
}

const replace: Change<Buffer> = (chance, bytes) => {
  const at = placeIn(chance, bytes)
  const put = chance.pick([
    '0',
    '1',
    'a',
    'f',
    'A',
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\\',
    '\n',
    '\r',
    'é',
    '\ufeff',
    '\u0000',
  ])
  const count = chance.below(2)
  return { log: splice(bytes, at, count, Buffer.from(put)), what: `${count} bytes at ${at} are ${JSON.stringify(put)}` }
}

const drop: Change<Buffer> = (chance, bytes) => {
  const at = placeIn(chance, bytes)
  const count = chance.oneIn(2) ? 1 : chance.between(1, 500)
  return { log: splice(bytes, at, count), what: `${count} bytes dropped from ${at} on` }
}

const swap: Change<Buffer> = (chance, bytes) => {
  const first = placeIn(chance, bytes)
  const second = chance.oneIn(2) ? first + 1 : placeIn(chance, bytes)
  const changed = Buffer.from(bytes)
  changed[first] = bytes[second] ?? 0
  if (second < bytes.length) changed[second] = bytes[first] ?? 0
  return { log: changed, what: `bytes ${first} and ${second} exchanged` }
}

const cut: Change<Buffer> = (chance, bytes) => {
  const at = placeIn(chance, bytes)
  return chance.pick([
    () => ({ log: bytes.subarray(0, at), what: `cut off at byte ${at}` }),
    () => ({ log: bytes.subarray(at), what: `cut off before byte ${at}` }),
    () => ({ log: bytes.subarray(0, Math.max(0, bytes.length - chance.below(4))), what: 'the last bytes cut off' }),
  ])()
}

const strange: Change<Buffer> = (chance, bytes) => {
  const at = placeIn(chance, bytes)
  const [put, what] = chance.pick<readonly [Buffer, string]>([
    [Buffer.of(0xff), 'a byte that is not UTF-8'],
    [Buffer.of(0xc0, 0x80), 'an overlong character'],
    [Buffer.of(0xed, 0xa0, 0x80), 'half of a surrogate pair'],
    [Buffer.alloc(524_289, 'a'), 'a very long text'],
    [Buffer.from('\ufeff'), 'a byte order mark'],
  ])
  const from = chance.oneIn(3) ? 0 : at
  return { log: splice(bytes, from, 0, put), what: `${what} at ${from}` }
}

const lines: Change<Buffer> = (chance, bytes) => {
  const all = bytes.toString('latin1').split('\n')
  const [one, other] = [chance.below(all.length), chance.below(all.length)]
  const put = chance.pick(['', '{}', 'x', '{"type":"NodeStopped"}', all[other] ?? ''])
  const [changed, what] = chance.pick<readonly [readonly string[], string]>([
    [without(all, one), `line ${one} dropped`],
    [inserted(all, one, all[one] ?? ''), `line ${one} repeated`],
    [exchanged(all, one, other), `lines ${one} and ${other} exchanged`],
    [exchanged(all, one, one + 1), `line ${one} exchanged with the next`],
    [inserted(all, one, put), `${JSON.stringify(put.slice(0, 100))} before line ${one}`],
    [all.slice(0, one), `cut off before line ${one}`],
    [[...all.slice(0, 1), ...all.slice(one)], `lines 1 to ${one} dropped`],
    [[...all, ''], 'an empty line at the end'],
    [[...all, '', ''], 'two empty lines at the end'],
    [all.map((line) => `${line}\r`), 'lines end with carriage return and line feed'],
  ])
  return { log: Buffer.from(changed.join('\n'), 'latin1'), what }
}

const weighted = [flip, flip, flip, flip, replace, replace, drop, swap, cut, lines, lines, lines]

export const changeBytes: Change<Buffer> = (chance, bytes) =>
  chance.oneIn(20) ? strange(chance, bytes) : chance.pick(weighted)(chance, bytes)
