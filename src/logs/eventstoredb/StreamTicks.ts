/**
 * Ticks as events of a stream, and back. An event of the log is an event of the stream at the same revision, with its
 * canonical bytes as data; what belongs to the tick as a whole stands in the metadata of its first and last event.
 */
import { binaryEvent, type BinaryEventData } from '@eventstore/db-client'
import * as t from 'io-ts'
import { HashC, sha256 } from '../../encoding/hash.js'
import { IntegerC } from '../../encoding/IntegerC.js'
import { InstantC } from '../../time/Instant.js'
import type { EncodedTick, Head } from '../../log/Tick.js'
import type { StreamEvent } from './decodeAnswer.js'
import { leadOut } from './StreamRetention.js'

const MetadataC = t.intersection([
  t.type({ tick: IntegerC, index: IntegerC }),
  // The first event says how many there are and when; the last has hash and signature, so that the end of a stream is a head.
  t.partial({ count: IntegerC, at: InstantC, hash: HashC, signature: t.string }),
])
export type StreamMetadata = t.TypeOf<typeof MetadataC>

/** What an event is called in the server's own tools. It is a label; the bytes are what counts. */
const labelOf = (text: string): string => {
  const from = text.lastIndexOf('"type":"') + 8
  const label = from < 8 ? '' : text.slice(from, text.indexOf('"', from))
  return /^[A-Z]\w{0,40}$/.test(label) ? label : 'Event'
}

/** An id for each event, the same for each try of one writer: the server then knows a repeated append. */
const idsOf = (tick: EncodedTick, writer: string): ((index: number) => string) => {
  const digits = sha256(`${writer} ${tick.hash}`)
  const [a, b, c, d] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 15), digits.slice(15, 18)]
  return (index) => `${a}-${b}-8${c}-8${d}-${index.toString(16).padStart(12, '0')}`
}

export const toStream = (tick: EncodedTick, writer: string): readonly BinaryEventData[] => {
  const id = idsOf(tick, writer)
  const last = tick.events.length - 1
  return tick.events.map((text, index) =>
    binaryEvent({
      id: id(index),
      type: labelOf(text),
      data: Buffer.from(text),
      metadata: {
        tick: tick.number,
        index,
        ...(index === 0 ? { count: tick.events.length, at: tick.at } : {}),
        ...(index === last ? { hash: tick.hash, signature: tick.signature } : {}),
      },
    }),
  )
}

/** Undefined when the event was not written by this adapter. */
export const metadataOf = ({ data, metadata }: StreamEvent): StreamMetadata | undefined =>
  // Nothing is changed by decoding, and to look is quicker than to copy.
  data instanceof Uint8Array && MetadataC.is(metadata) ? metadata : undefined

/** Whether an event is the last one of a history that ends with a head. */
export const endsAt = (head: Head, event: StreamEvent | undefined): boolean =>
  event?.revision === BigInt(head.revision) && metadataOf(event)?.hash === head.hash

/** Why a stream does not hold a head that it held before; undefined when it does. `there` is what is in its place. */
export const lostBecause = (head: Head, there: StreamEvent | undefined): string | undefined => {
  if (head.revision < 0 || endsAt(head, there)) return undefined
  return there?.revision === BigInt(head.revision)
    ? `event ${head.revision} is another one than the one that was there`
    : `event ${head.revision}, which was there, is gone`
}

/** Where a stream that was deleted for good shows that, to those who follow it. */
const tombstone = '$streamDeleted'

/** Makes sure that events come without a gap, and says where one is. */
export class StreamOrder {
  readonly #refuse: (what: string, advice?: string) => Error
  /** The revision of the next event. */
  next: number

  constructor(first: number, refuse: (what: string, advice?: string) => Error) {
    this.next = first
    this.#refuse = refuse
  }

  assertNext({ revision, type }: StreamEvent): void {
    if (type === tombstone) throw this.#refuse('the stream was deleted for good (tombstone)', leadOut)
    if (revision !== BigInt(this.next)) {
      throw this.#refuse(
        `events ${this.next} to ${revision - 1n} are missing, and the stream goes on with event ${revision}`,
        leadOut,
      )
    }
    this.next += 1
  }
}

/** Puts events together to ticks, one event after the other; anything else than whole ticks in order is refused. */
export class TickAssembler {
  readonly #refuse: (what: string) => Error
  #open:
    | {
        readonly number: number
        readonly firstRevision: number
        readonly count: number
        readonly at: EncodedTick['at']
      }
    | undefined
  #events: string[] = []

  constructor(refuse: (what: string) => Error) {
    this.#refuse = refuse
  }

  /** The tick that this event completes, if it does. */
  add(event: StreamEvent): EncodedTick | undefined {
    const revision = Number(event.revision)
    const metadata = metadataOf(event)
    if (metadata === undefined || !(event.data instanceof Uint8Array))
      throw this.#refuse(`event ${revision} is a "${event.type}" of another program`)
    const { tick, index, count, at, hash, signature = '' } = metadata
    if (index === 0 && this.#open === undefined && count !== undefined && at !== undefined)
      this.#open = { number: tick, firstRevision: revision, count, at }
    const open = this.#open
    if (open?.number !== tick || index !== this.#events.length || revision !== open.firstRevision + index)
      throw this.#refuse(`event ${revision} is not the next one of its tick`)
    const { buffer, byteOffset, byteLength } = event.data
    this.#events.push(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'))
    if (this.#events.length < open.count) return undefined
    if (hash === undefined) throw this.#refuse(`tick ${tick} ends without its hash`)
    const { number, firstRevision, at: instant } = open
    const whole = { number, firstRevision, at: instant, events: this.#events, hash, signature }
    this.#open = undefined
    this.#events = []
    return whole
  }
}
