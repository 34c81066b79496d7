/**
 * The quick way through a codec. Most codecs change nothing: what they decode to and encode from is the JSON value
 * itself. For such a codec a check and a writer are compiled once. Whatever the check does not vouch for goes to the
 * codec itself, so the quick way can only ever save time.
 */
import * as t from 'io-ts'
import { canonicalText, Encoded, writeNumber, writeText } from './canonical.js'

/** How the values of a codec that changes nothing are told and written. */
export type PlainForm = {
  /** True when the codec would decode the value to itself and encode it to itself; false when it must be asked. */
  readonly check: (value: unknown) => boolean
  /** The canonical text of a value that passes the check; throws for what has none. */
  readonly write: (value: never) => string
  /** Whether it takes objects and lists. */
  readonly takesObjects: boolean
}

/** Codecs of our own that have no structure io-ts knows of, and yet change nothing. */
const declared = new WeakMap<t.Mixed, PlainForm>()

/** Declares that a codec leaves every value as it is that passes the check. */
export const declarePlain = <C extends t.Mixed>(codec: C, check: PlainForm['check'], takesObjects: boolean): C => {
  declared.set(codec, { check, write: canonicalText, takesObjects })
  return codec
}

// An io-ts codec can be cloned and given another encoder or validator, as io-ts-types does; its class is still the
// same. So the functions are compared, by their source, with those of codecs that are known to be as io-ts made them.
const strict = t.strict({ member: t.string })
const references: readonly t.Mixed[] = [
  t.type({ member: t.string }),
  t.type({ member: strict }),
  t.partial({ member: t.string }),
  t.partial({ member: strict }),
  strict,
  t.array(t.string),
  t.array(strict),
  t.intersection([strict, t.exact(t.partial({ other: t.string }))]),
  t.intersection([t.string, t.string]),
  t.union([t.string, t.number]),
  t.union([t.string, strict]),
  t.union([t.type({ kind: t.literal('a') }), t.type({ kind: t.literal('b') })]),
  t.union([t.strict({ kind: t.literal('a') }), t.strict({ kind: t.literal('b') })]),
  t.literal('a'),
  t.keyof({ a: null }),
  t.brand(
    t.string,
    (text): text is t.Branded<string, { readonly Reference: unique symbol }> => text !== '',
    'Reference',
  ),
  t.unknown,
  t.UnknownRecord,
  t.string,
  t.number,
  t.boolean,
  t.null,
]
const sourcesOf = (codec: t.Mixed): readonly string[] => [codec.is, codec.validate, codec.encode].map(String)
const knownSources = new Set(references.flatMap(sourcesOf))

const isUntouched = (codec: t.Mixed): boolean => sourcesOf(codec).every((source) => knownSources.has(source))

type Member = {
  readonly key: string
  readonly form: PlainForm
  readonly isRequired: boolean
  /** The one value it may have, where that is so. */
  readonly only: unknown
}

/** Objects as a JSON parser or a literal makes them: anything else may answer differently the next time it is asked. */
const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const membersOf = (codec: t.Mixed): readonly Member[] | undefined => {
  const isRequired = codec instanceof t.InterfaceType
  if (!isUntouched(codec) || (!isRequired && !(codec instanceof t.PartialType))) return undefined
  const members: Member[] = []
  for (const [key, member] of Object.entries(codec.props as t.Props)) {
    const form = plainForm(member)
    if (form === undefined) return undefined
    members.push({
      key,
      form,
      isRequired,
      only: member instanceof t.LiteralType ? (member.value as unknown) : undefined,
    })
  }
  return members
}

/** The members of an object codec that takes nothing else; undefined for any other codec. */
const exactMembers = (codec: t.Mixed): readonly Member[] | undefined => {
  if (!isUntouched(codec)) return undefined
  if (codec instanceof t.ReadonlyType) return exactMembers(codec.type as t.Mixed)
  if (codec instanceof t.ExactType) return membersOf(codec.type as t.Mixed)
  if (!(codec instanceof t.IntersectionType)) return undefined
  const parts = (codec.types as readonly t.Mixed[]).map(exactMembers)
  const members = parts.flatMap((part) => part ?? [])
  const isDisjoint = new Set(members.map(({ key }) => key)).size === members.length
  return isDisjoint && parts.every((part) => part !== undefined) ? members : undefined
}

/** Canonical text made earlier may stand in any place; it is put in as it is. */
const textOf = (value: unknown, write: PlainForm['write']): string =>
  value instanceof Encoded ? value.text : write(value as never)

/** As `Object.keys(value).length`, without a list for each object that is checked. */
const countKeys = (value: Readonly<Record<string, unknown>>): number => {
  let count = 0
  for (const key in value) if (Object.hasOwn(value, key)) count += 1
  return count
}

const objectForm = (members: readonly Member[]): PlainForm => {
  const sorted = members
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, form }) => ({ key, prefix: `${writeText(key)}:`, write: form.write }))
  return {
    takesObjects: true,
    check: (value) => {
      if (!isPlainObject(value)) return false
      let present = 0
      for (const { key, form, isRequired } of members) {
        const member = value[key]
        if (member !== undefined) {
          if (!form.check(member)) return false
          present += 1
        } else if (isRequired) return false
      }
      // Every enumerable key must be one of those seen; one that is undefined is left to the codec.
      return present === countKeys(value)
    },
    write: (value: Readonly<Record<string, unknown>>) => {
      let text = ''
      for (const { key, prefix, write } of sorted) {
        const member = value[key]
        if (member !== undefined) text += `${text === '' ? '{' : ','}${prefix}${textOf(member, write)}`
      }
      return text === '' ? '{}' : `${text}}`
    },
  }
}

const listForm = (item: PlainForm): PlainForm => ({
  takesObjects: true,
  check: (value) => {
    if (!Array.isArray(value)) return false
    // A loop, because `every` passes over the holes of a sparse list.
    for (const member of value) if (!item.check(member)) return false
    return true
  },
  write: (value: readonly unknown[]) => {
    let text = ''
    for (let index = 0; index < value.length; index++)
      text += `${index === 0 ? '' : ','}${textOf(value[index], item.write)}`
    return `[${text}]`
  },
})

/** A union whose members are told apart by the one value that each has for the same key. */
const taggedForm = (types: readonly t.Mixed[]): PlainForm | undefined => {
  const alternatives = types.map(exactMembers).filter((members) => members !== undefined)
  const [first = []] = alternatives
  if (alternatives.length < types.length) return undefined
  const onlyOf = (members: readonly Member[], tag: string): unknown => members.find(({ key }) => key === tag)?.only
  const tag = first.find(({ key }) => {
    const values = alternatives.map((members) => onlyOf(members, key))
    return !values.includes(undefined) && new Set(values).size === values.length
  })?.key
  if (tag === undefined) return undefined
  const byTag = new Map(alternatives.map((members) => [onlyOf(members, tag), objectForm(members)]))
  return {
    takesObjects: true,
    check: (value) => isPlainObject(value) && byTag.get(value[tag])?.check(value) === true,
    write: (value: Readonly<Record<string, unknown>>) =>
      byTag.get(value[tag])?.write(value as never) ?? canonicalText(value),
  }
}

/** One that takes objects at most: of two, the first might take a value and strip what the second would keep. */
const unionForm = (types: readonly t.Mixed[]): PlainForm | undefined => {
  const forms = types.map(plainForm).filter((form) => form !== undefined)
  const objects = forms.filter(({ takesObjects }) => takesObjects)
  const [object] = objects
  if (forms.length < types.length || objects.length > 1) return undefined
  return {
    takesObjects: object !== undefined,
    check: (value) => forms.some(({ check }) => check(value)),
    write: (value: unknown) =>
      typeof value === 'object' && value !== null && object !== undefined
        ? object.write(value as never)
        : canonicalText(value),
  }
}

const leaf = (check: PlainForm['check'], write: (value: never) => string): PlainForm => ({
  check,
  write,
  takesObjects: false,
})

const compile = (codec: t.Mixed): PlainForm | undefined => {
  const known = declared.get(codec)
  if (known !== undefined) return known
  if (!isUntouched(codec)) return undefined
  if (codec instanceof t.StringType) return leaf((value) => typeof value === 'string', writeText)
  if (codec instanceof t.NumberType) return leaf((value) => typeof value === 'number', writeNumber)
  if (codec instanceof t.BooleanType) return leaf((value) => typeof value === 'boolean', String)
  if (codec instanceof t.NullType)
    return leaf(
      (value) => value === null,
      () => 'null',
    )
  if (codec instanceof t.LiteralType) {
    const text = canonicalText(codec.value)
    return leaf(
      (value) => value === codec.value,
      () => text,
    )
  }
  if (codec instanceof t.KeyofType) {
    const keys = new Set<unknown>(Object.keys(codec.keys as object))
    return leaf((value) => keys.has(value), writeText)
  }
  if (codec instanceof t.RefinementType) {
    const inner = plainForm(codec.type as t.Mixed)
    const holds = codec.predicate as (value: unknown) => boolean
    return inner === undefined ? undefined : { ...inner, check: (value) => inner.check(value) && holds(value) }
  }
  if (codec instanceof t.ReadonlyArrayType || codec instanceof t.ArrayType) {
    const item = plainForm(codec.type as t.Mixed)
    return item === undefined ? undefined : listForm(item)
  }
  if (codec instanceof t.UnionType) {
    const types = codec.types as readonly t.Mixed[]
    return taggedForm(types) ?? unionForm(types)
  }
  if (codec instanceof t.UnknownType)
    return { check: (value) => value !== undefined, write: canonicalText, takesObjects: true }
  if (codec instanceof t.AnyDictionaryType) return { check: isPlainObject, write: canonicalText, takesObjects: true }
  const members = exactMembers(codec)
  if (members !== undefined) return objectForm(members)
  return codec instanceof t.ReadonlyType ? plainForm(codec.type as t.Mixed) : undefined
}

const compiled = new WeakMap<t.Mixed, { readonly form: PlainForm | undefined }>()

/** The plain form of a codec; undefined for one that may change what it is given. */
export const plainForm = (codec: t.Mixed): PlainForm | undefined => {
  const known = compiled.get(codec)
  if (known !== undefined) return known.form
  // A codec that contains itself finds this entry and is left to io-ts.
  compiled.set(codec, { form: undefined })
  const form = compile(codec)
  compiled.set(codec, { form })
  return form
}

/** The canonical text of a value that passed the check; throws `value-not-encodable`, naming the place, for what has none. */
export const plainText = (form: PlainForm, value: unknown): string => {
  try {
    return form.write(value as never)
  } catch {
    return canonicalText(value)
  }
}
