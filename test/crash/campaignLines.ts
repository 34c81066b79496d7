/**
 * What the child of a crash campaign leaves behind outside its store, one JSON line each. Lines are framed on both
 * sides, so that one cut off by a kill can never spoil the next.
 */
import { existsSync, readFileSync } from 'node:fs'
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CountC } from './counting.js'

/** Where the node's log ended when something was acknowledged: whatever comes later, this head must stay in it. */
const HeadC = t.strict({ tick: t.number, revision: t.number, hash: t.string })

/** A client's side of the story. `sent` is written before the call, the others after its promise resolved. */
export const ClientLineC = t.union([
  t.strict({ kind: t.literal('sent'), clientId: t.string, flowName: t.string, input: t.UnknownRecord }),
  t.strict({ kind: t.literal('started'), clientId: t.string, flow: t.string, head: HeadC }),
  t.strict({ kind: t.literal('told'), clientId: t.string, signal: t.string, head: HeadC }),
  t.strict({ kind: t.literal('ended'), clientId: t.string, flow: t.string, result: t.unknown, head: HeadC }),
])
export type ClientLine = t.TypeOf<typeof ClientLineC>

/** An outside effect of a step. */
export const EffectC = t.strict({
  key: t.string,
  term: t.number,
  /** The process that took it. */
  process: t.number,
  flow: t.string,
  name: t.string,
  /** Different each time the effect is taken. */
  receipt: t.string,
})
export type Effect = t.TypeOf<typeof EffectC>

/** A result of a projection: saved with its checkpoint, or read from the running node, now and then and at the end. */
export const CountLineC = t.intersection([
  t.strict({ projection: t.string, at: t.keyof({ saved: null, read: null, 'ended with': null }), count: CountC }),
  t.partial({ checkpoint: t.strict({ revision: t.number, hash: t.string }) }),
])
export type CountLine = t.TypeOf<typeof CountLineC>

export const lineOf = (value: ClientLine | Effect | CountLine): string => `\n${JSON.stringify(value)}\n`

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Every whole line of a file; a cut-off one was never said. */
export const readLines = <A>(file: string, codec: t.Decoder<unknown, A>): readonly A[] =>
  (existsSync(file) ? readFileSync(file, 'utf8') : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => codec.decode(parse(line)))
    .filter(isRight)
    .map(({ right }) => right)

/** The files of a campaign. */
export const campaignFiles = (folder: string) => ({
  store: `${folder}/store`,
  clients: `${folder}/clients.ndjson`,
  effects: `${folder}/effects.ndjson`,
  counts: `${folder}/counts.ndjson`,
})
