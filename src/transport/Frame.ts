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

/** Cuts what arrives into frames. Never holds more than one frame and the chunk that completed it. */
export class FrameReader {
  #chunks: Buffer[] = []
  #bytes = 0

  #joined(): Buffer {
    const [first] = this.#chunks
    const all = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }

  /** The length of the frame that begins what is held, once its prefix is there. */
  #nextLength(): number | undefined {
    if (this.#bytes < prefixBytes) return undefined
    const first = this.#chunks[0]
    const head = first !== undefined && first.length >= prefixBytes ? first : this.#joined()
    const length = head.readUInt32BE(0)
    if (length > frameLimits.frameBytes)
      throw new FrameRefused(`it announces ${length} bytes, and ${frameLimits.frameBytes} are allowed`)
    return length
  }

  *feed(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    for (let length = this.#nextLength(); length !== undefined; length = this.#nextLength()) {
      if (this.#bytes < prefixBytes + length) return
      const all = this.#joined()
      const rest = all.subarray(prefixBytes + length)
      this.#chunks = rest.length === 0 ? [] : [rest]
      this.#bytes = rest.length
      yield decodeFrame(all.subarray(prefixBytes, prefixBytes + length))
    }
  }
}
