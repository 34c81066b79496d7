/**
 * A frame: four bytes of length and that much canonical JSON, either a greeting or a list of envelopes; an empty list
 * only says that the sender is alive. Whatever is not exactly that is refused, before it can reach anything else.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText } from '../encoding/canonical.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { frameLimits } from './limits.js'
import { EnvelopeC, type Envelope } from '../log/Message.js'

const prefixBytes = 4

/** Rises when nodes of before and after could not understand each other. */
export const protocolVersion = 1

const GreetingC = t.strict({ carillon: IntegerC })

export type Frame =
  | { readonly kind: 'greeting'; readonly protocol: number }
  | { readonly kind: 'envelopes'; readonly envelopes: readonly Envelope[]; readonly bytes: number }

/** What arrived is no frame; the message says why, in words for the log. */
export class FrameRefused extends Error {}

export const encodeFrame = (text: string): Buffer => {
  const length = Buffer.byteLength(text, 'utf8')
  const frame = Buffer.allocUnsafe(prefixBytes + length)
  frame.writeUInt32BE(length, 0)
  frame.write(text, prefixBytes, 'utf8')
  return frame
}

export const greetingFrame = (): Buffer => encodeFrame(canonicalText({ carillon: protocolVersion }))

/** A frame of envelopes that were encoded before. */
export const envelopesFrame = (texts: readonly string[]): Buffer => encodeFrame(`[${texts.join(',')}]`)

const utf8 = new TextDecoder('utf-8', { fatal: true })

const assertDepth = (value: unknown, room: number): void => {
  if (typeof value !== 'object' || value === null) return
  if (room === 0) throw new FrameRefused(`it is nested more than ${frameLimits.messageDepth} deep`)
  for (const member of Object.values(value)) assertDepth(member, room - 1)
}

/** What only looks like a value of ours (minus zero, half a surrogate, a key twice) has no canonical form. */
const parseCanonical = (bytes: Buffer): unknown => {
  let value: unknown
  let text: string
  try {
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch {
    throw new FrameRefused('it is not JSON')
  }
  assertDepth(value, frameLimits.messageDepth)
  let canonical: string | undefined
  try {
    canonical = canonicalText(value)
  } catch {
    canonical = undefined
  }
  if (canonical !== text) throw new FrameRefused('it is not canonical')
  return value
}

export const decodeFrame = (bytes: Buffer): Frame => {
  const value = parseCanonical(bytes)
  if (!Array.isArray(value)) {
    const greeting = GreetingC.decode(value)
    if (isLeft(greeting)) throw new FrameRefused('it is neither a greeting nor a list of envelopes')
    return { kind: 'greeting', protocol: greeting.right.carillon }
  }
  if (value.length > frameLimits.envelopesPerFrame)
    throw new FrameRefused(`it holds more than ${frameLimits.envelopesPerFrame} envelopes`)
  const envelopes = value.map((each: unknown) => {
    const decoded = EnvelopeC.decode(each)
    if (isLeft(decoded)) throw new FrameRefused('it holds something that is no envelope')
    return decoded.right
  })
  return { kind: 'envelopes', envelopes, bytes: bytes.length }
}

/**
 * Cuts what arrives into frames. What is incomplete is copied into the place of its frame, and nothing of the chunks is kept: a
 * sender that brings a byte at a time would make a million of them out of one frame.
 */
export class FrameReader {
  /** The first bytes of a prefix that is not whole yet. */
  #prefix = Buffer.alloc(0)
  /** How much of a frame that is not whole yet has come, and its place. */
  #filled = 0
  #frame: Buffer | undefined

  /** Fills the place of the frame under way, and gives what is left of the chunk. */
  #fill(frame: Buffer, chunk: Buffer): Buffer {
    const taken = chunk.copy(frame, this.#filled)
    this.#filled += taken
    return chunk.subarray(taken)
  }

  *feed(chunk: Buffer): Generator<Frame> {
    let rest = chunk
    for (;;) {
      if (this.#frame !== undefined) {
        const frame = this.#frame
        rest = this.#fill(frame, rest)
        if (this.#filled < frame.length) return
        this.#frame = undefined
        yield decodeFrame(frame)
      }
      if (this.#prefix.length > 0) rest = Buffer.concat([this.#prefix, rest])
      this.#prefix = rest.length < prefixBytes ? Buffer.from(rest) : Buffer.alloc(0)
      if (rest.length < prefixBytes) return
      const length = rest.readUInt32BE(0)
      if (length > frameLimits.frameBytes)
        throw new FrameRefused(`it announces ${length} bytes, and ${frameLimits.frameBytes} are allowed`)
      rest = rest.subarray(prefixBytes)
      if (rest.length >= length) {
        yield decodeFrame(rest.subarray(0, length))
        rest = rest.subarray(length)
      } else {
        this.#frame = Buffer.allocUnsafe(length)
        this.#filled = 0
      }
    }
  }
}
