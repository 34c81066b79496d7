/**
 * Reads an answer to a read from its bytes, and no more of it than a log needs. The client's own decoder makes about
 * forty objects an event, most of the time of a replay; a spec holds this one against it.
 */

/** What a log needs of an event. */
export type StreamEvent = {
  readonly revision: bigint
  readonly type: string
  /** Bytes, or whatever a JSON event of another program says. */
  readonly data: unknown
  readonly metadata: unknown
}

/** One message of the server. */
export type ReadAnswer =
  { readonly kind: 'event'; readonly event: StreamEvent } | { readonly kind: 'no stream' } | { readonly kind: 'other' }

/** The numbers of the fields, from the protocol's definition. */
const fields = {
  answer: { event: 1, streamNotFound: 4 },
  readEvent: { event: 1 },
  recordedEvent: { revision: 3, properties: 6, metadata: 7, data: 8 },
  property: { name: 1, value: 2 },
} as const

/** How a field is written: a number, eight bytes, bytes with their length, four bytes. */
const wireTypes = { number: 0, eightBytes: 1, bytes: 2, fourBytes: 5 } as const

/** Goes through the fields of one message. Of each, the number and either the value or the bytes are set. */
class Fields {
  readonly #bytes: Buffer
  #at = 0
  field = 0
  value = 0n
  bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.bytes = bytes
  }

  next(): boolean {
    if (this.#at >= this.#bytes.length) return false
    const tag = this.#small()
    this.field = tag >>> 3
    switch (tag & 7) {
      case wireTypes.number:
        this.value = this.#large()
        return true
      case wireTypes.bytes:
        this.bytes = this.#take(this.#small())
        return true
      case wireTypes.eightBytes:
        this.#take(8)
        return true
      case wireTypes.fourBytes:
        this.#take(4)
        return true
      default:
        throw new Error('the server has sent a message that cannot be read')
    }
  }

  #take(length: number): Buffer {
    const from = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw new Error('the server has sent a message that ends too soon')
    return this.#bytes.subarray(from, this.#at)
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new Error('the server has sent a message that ends too soon')
    this.#at += 1
    return byte
  }

  /** A number of at most 28 bits: tags and lengths. */
  #small(): number {
    let result = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte()
      result |= (byte & 0x7f) << shift
      if (byte < 0x80) return result
    }
    throw new Error('the server has sent a message that is too long')
  }

  /** A number of up to 64 bits. Up to 28 bits it needs no large integers on the way. */
  #large(): bigint {
    let small = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte()
      small |= (byte & 0x7f) << shift
      if (byte < 0x80) return BigInt(small)
    }
    let result = BigInt(small)
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte()
      result |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return result
    }
    throw new Error('the server has sent a number that is too large')
  }
}

/** The bytes of one field of a message; undefined when it has none. */
const bytesOf = (message: Buffer, field: number): Buffer | undefined => {
  const all = new Fields(message)
  while (all.next()) if (all.field === field) return all.bytes
  return undefined
}

/** The number in one field of a message; undefined when it has none. */
export const numberIn = (message: Buffer, field: number): number | undefined => {
  const all = new Fields(message)
  while (all.next()) if (all.field === field) return Number(all.value)
  return undefined
}

const textOf = (message: Buffer, field: number): string => bytesOf(message, field)?.toString('utf8') ?? ''

const jsonOf = (bytes: Buffer): unknown => {
  try {
    return bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

const nothing: Buffer = Buffer.alloc(0)

const eventOf = (message: Buffer): StreamEvent => {
  const { revision, properties, metadata, data } = fields.recordedEvent
  const found = { revision: 0n, type: '', isJson: false, metadata: nothing, data: nothing }
  const all = new Fields(message)
  while (all.next())
    if (all.field === revision) found.revision = all.value
    else if (all.field === metadata) found.metadata = all.bytes
    else if (all.field === data) found.data = all.bytes
    else if (all.field === properties) {
      const name = textOf(all.bytes, fields.property.name)
      if (name === 'type') found.type = textOf(all.bytes, fields.property.value)
      if (name === 'content-type') found.isJson = textOf(all.bytes, fields.property.value) === 'application/json'
    }
  return {
    revision: found.revision,
    type: found.type,
    data: found.isJson ? jsonOf(found.data) : found.data,
    metadata: jsonOf(found.metadata),
  }
}

export const decodeAnswer = (bytes: Buffer): ReadAnswer => {
  const all = new Fields(bytes)
  if (!all.next()) return { kind: 'other' }
  if (all.field === fields.answer.streamNotFound) return { kind: 'no stream' }
  if (all.field !== fields.answer.event) return { kind: 'other' }
  const event = bytesOf(all.bytes, fields.readEvent.event)
  return event === undefined ? { kind: 'other' } : { kind: 'event', event: eventOf(event) }
}
