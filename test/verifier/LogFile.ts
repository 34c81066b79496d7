/**
 * An exported log in parts that a test can change and put together again. Every part may hold what it should not.
 */
import type { Json } from '../../src/encoding/canonical.js'
import { HashC, sha256, zeroHash } from '../../src/encoding/hash.js'
import type { KeyPair } from '../../src/identity/KeyPair.js'
import type { NetworkId } from '../../src/identity/NetworkId.js'
import { textOfTick } from '../../src/ledger/signatures.js'
import { exportFirstLine } from '../../src/history/exportLog.js'

/** The key and the network that a tick should be signed with. */
export type Signer = { readonly key: KeyPair; readonly network: NetworkId }

export type FileTick = {
  readonly at: Json
  readonly count: Json
  readonly revision: Json
  readonly tick: Json
  readonly events: readonly string[]
  readonly hash: Json
  readonly signature: Json
  /** The number on the line that ends the tick. */
  readonly endsTick: Json
  readonly signer: Signer
}

export type LogFile = { readonly firstLine: string; readonly ticks: readonly FileTick[] }

/** How a test signs a tick: the signature for a running hash. */
export type Sign = (tick: FileTick, hash: string) => Json

const write = (value: Json): string => JSON.stringify(value)

export const headerText = ({ at, count, revision, tick }: FileTick): string =>
  `{"at":${write(at)},"count":${write(count)},"revision":${write(revision)},"tick":${write(tick)}}`

const endText = ({ hash, signature, endsTick }: FileTick): string =>
  `{"hash":${write(hash)},"signature":${write(signature)},"tick":${write(endsTick)}}`

export const linesOfFile = ({ firstLine, ticks }: LogFile): readonly string[] => [
  firstLine,
  ...ticks.flatMap((tick) => [headerText(tick), ...tick.events, endText(tick)]),
]

export const bytesOfFile = (log: LogFile): Buffer => Buffer.from(`${linesOfFile(log).join('\n')}\n`, 'utf8')

const isRecord = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object in a line; undefined when there is none. */
export const objectIn = (line: string): Readonly<Record<string, Json>> | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads an export that is whole. */
export const parseFile = (text: string, signer: Signer): LogFile => {
  const lines = text.split('\n')
  const ticks: FileTick[] = []
  for (let at = 1; at < lines.length && lines[at] !== '';) {
    const header = objectIn(lines[at] ?? '') ?? {}
    const count = Number(header['count'])
    const end = objectIn(lines[at + count + 1] ?? '') ?? {}
    ticks.push({
      ...{ at: header['at'] ?? null, count, revision: header['revision'] ?? null, tick: header['tick'] ?? null },
      events: lines.slice(at + 1, at + 1 + count),
      ...{ hash: end['hash'] ?? null, signature: end['signature'] ?? null, endsTick: end['tick'] ?? null },
      signer,
    })
    at += count + 2
  }
  return { firstLine: exportFirstLine, ticks }
}

/** The signature that a tick should have. */
export const signRightly: Sign = ({ events, signer }, hash) => {
  const ids = events.flatMap((line) => {
    const event = objectIn(line)
    const isCovered = event?.['type'] === 'TransactionRecorded' && event['signatures'] === undefined
    const id = event?.['id']
    return isCovered && HashC.is(id) ? [id] : []
  })
  return HashC.is(hash) ? signer.key.sign(textOfTick(signer.network, hash, ids)) : ''
}

const textIn = (value: Json): string => (typeof value === 'string' ? value : '')

/** Gives ticks from one on their running hashes and signatures anew. */
export const rechain = (ticks: readonly FileTick[], from: number, sign: Sign): readonly FileTick[] => {
  const chained = ticks.slice(0, from)
  for (const tick of ticks.slice(from)) {
    const before = chained.at(-1) ?? { hash: zeroHash, signature: '' }
    const hash = sha256([textIn(before.hash), textIn(before.signature), headerText(tick), ...tick.events].join('\n'))
    chained.push({ ...tick, hash, signature: sign(tick, hash) })
  }
  return chained
}

/** Gives ticks from one on the numbers, counts and revisions that follow from the tick before. */
export const renumber = (ticks: readonly FileTick[], from: number): readonly FileTick[] => {
  const numbered = ticks.slice(0, from)
  for (const tick of ticks.slice(from)) {
    const before = numbered.at(-1)
    const number = Number(before?.tick ?? 0) + 1
    const revision = before === undefined ? 0 : Number(before.revision) + before.events.length
    numbered.push({ ...tick, tick: number, endsTick: number, revision, count: tick.events.length })
  }
  return numbered
}
