/**
 * The canonical encoding: one function from plain values to text. Equal values have equal text, whatever the
 * order of their keys, and whatever has no faithful JSON form is refused instead of being bent into one.
 */
import { CarillonError } from '../errors/CarillonError.js'

/** A value as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Canonical text made earlier; it is put into a larger value as it stands, so nothing is encoded twice. */
export class Encoded {
  constructor(readonly text: string) {}
}

/** What can be encoded: plain values, with canonical text allowed in any place. */
export type Encodable =
  null | boolean | number | string | Encoded | readonly Encodable[] | { readonly [key: string]: Encodable | undefined }

// Quotes, backslashes, control characters and surrogates need the slow path; everything else is copied.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/

/** Raised inside the encoder; {@link canonicalText} adds the place, which costs nothing while all is well. */
class Refused extends Error {}

const refuse = (what: string): never => {
  throw new Refused(what)
}

/** The canonical form of a text; for writers of known shapes, which catch what it throws. */
export const writeText = (text: string): string => {
  if (!needsEscape.test(text)) return `"${text}"`
  if (!text.isWellFormed()) return refuse('Text with half a surrogate pair')
  return JSON.stringify(text)
}

/** The canonical form of a number; see {@link writeText}. */
export const writeNumber = (value: number): string => {
  if (!Number.isFinite(value)) return refuse(String(value))
  if (Object.is(value, -0)) return refuse('Minus zero')
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return refuse(`The integer ${String(value)}, beyond the safe range,`)
  return String(value)
}

const isPlainObject = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

// An object need not have a constructor, whatever its type says.
const classOf = (value: { readonly constructor?: unknown }): string =>
  typeof value.constructor === 'function' ? value.constructor.name : 'unknown'

const fewKeys = 16

/** Sorts keys in place. Records have few, mostly in order, and for those this takes a fraction of what a sort takes. */
const sortKeys = (keys: string[]): void => {
  if (keys.length > fewKeys) {
    keys.sort()
    return
  }
  for (let place = 1; place < keys.length; place++) {
    const key = keys[place] ?? ''
    let free = place
    for (let before = keys[free - 1] ?? ''; free > 0 && key < before; before = keys[free - 1] ?? '') {
      keys[free] = before
      free -= 1
    }
    keys[free] = key
  }
}

/** Keys as they are written, with their colon: records of one kind all have the same ones. */
const keyTexts = new Map<string, string>()
const mostKeyTexts = 4_096
const longestKept = 64

const keyText = (key: string): string => {
  const known = keyTexts.get(key)
  if (known !== undefined) return known
  const text = `${writeText(key)}:`
  if (keyTexts.size < mostKeyTexts && key.length <= longestKept) keyTexts.set(key, text)
  return text
}

const remembered = new WeakMap<object, string>()

/** Keeps the canonical text of an object that is large, never changes, and is put into other values again and again. */
export const rememberText = (value: object, { text }: Encoded): void => {
  remembered.set(value, text)
}

/** The text that was kept of an object; undefined when none was. */
export const rememberedText = (value: object): string | undefined => remembered.get(value)

const encodeObject = (value: object): string => {
  const known = remembered.get(value)
  if (known !== undefined) return known
  if (!isPlainObject(value)) return refuse(`An object of class ${classOf(value)}`)
  const keys = Object.keys(value)
  sortKeys(keys)
  let text = ''
  for (const key of keys) {
    const member = value[key]
    // A key that is absent and a key that is undefined are the same thing in an immutable record.
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${keyText(key)}${encode(member)}`
  }
  return `{${text}}`
}

const encodeList = (list: readonly unknown[]): string => {
  let text = ''
  for (let index = 0; index < list.length; index++) text += `${index === 0 ? '' : ','}${encode(list[index])}`
  return `[${text}]`
}

const encode = (value: unknown): string => {
  switch (typeof value) {
    case 'string':
      return writeText(value)
    case 'number':
      return writeNumber(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (value instanceof Encoded) return value.text
      return Array.isArray(value) ? encodeList(value) : encodeObject(value)
    default:
      return refuse(`A value of type ${typeof value}`)
  }
}

const refused = (value: unknown): boolean => {
  try {
    encode(value)
    return false
  } catch {
    return true
  }
}

/** What is encoded of an object or a list, in that order; in an object an undefined member is absent. */
const membersOf = (value: object): readonly (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return Array.from(value, (member: unknown, index) => [String(index), member])
  const members = new Map<string, unknown>(Object.entries(value))
  const keys = [...members.keys()]
  sortKeys(keys)
  return keys.map((key) => [key, members.get(key)] as const).filter(([, member]) => member !== undefined)
}

/** The path to the innermost value that the encoder refuses; into a cycle it goes once around. */
const placeOf = (value: unknown): string => {
  const path: string[] = []
  const seen = new Set<unknown>()
  let here = value
  while (typeof here === 'object' && here !== null && path.length < deepestPlace && !seen.has(here)) {
    seen.add(here)
    const offender = membersOf(here).find(([, member]) => refused(member))
    if (offender === undefined) break
    path.push(offender[0])
    here = offender[1]
  }
  return path.length === 0 ? 'the value itself' : path.join('.')
}

const deepestPlace = 32

/** The canonical text of a value. Throws `value-not-encodable`, naming the place, for what has none. */
export const canonicalText = (value: unknown): string => {
  try {
    return encode(value)
  } catch (error) {
    // The search encodes again and again, which is cheap except for what overflows the stack each time.
    const where = error instanceof Refused ? placeOf(value) : 'some place inside'
    const what = error instanceof Refused ? error.message : 'A value that is nested too deeply or contains itself'
    throw new CarillonError(
      'value-not-encodable',
      `${what} at ${where} has no canonical form. Use text, booleans, null, safe integers, finite decimals, lists and plain objects.`,
      { where },
    )
  }
}

/** As {@link canonicalText}, wrapped so that it can be put into a larger value without being encoded again. */
export const encoded = (value: unknown): Encoded => new Encoded(canonicalText(value))

const encoder = new TextEncoder()

/** How many bytes a text takes in UTF-8. */
export const utf8Length = (text: string): number => {
  // Plain letters take a byte each; only a text with others is really encoded.
  // oxlint-disable-next-line no-control-regex -- all that takes one byte is meant, control characters too
  return /[^\u0000-\u007f]/.test(text) ? encoder.encode(text).length : text.length
}
