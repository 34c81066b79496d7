/**
 * Verbs of the command line that an app contributes: `carillon chores list` asks the node that runs the app, and the
 * node does it. The command itself loads no code of the app; what it needs to read a command line comes from the node.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { JsonC } from '../encoding/JsonC.js'
import { CarillonError } from '../errors/CarillonError.js'
import { httpLimits } from './limits.js'
import type { Node } from '../node/Node.js'
import { PermissionC, type NeededPermission } from '../operator/Permission.js'
import { assertMay, mayDo, operatorOf, type Principal } from './Principal.js'

const ArgumentC = t.intersection([
  t.strict({ name: t.string, summary: t.string }),
  t.exact(t.partial({ optional: t.boolean })),
])
/** What stands behind a verb; only the last ones may be left out. */
export type VerbArgument = Readonly<t.TypeOf<typeof ArgumentC>>

const OptionC = t.intersection([
  t.strict({ name: t.string, summary: t.string, value: t.string }),
  t.exact(t.partial({ default: t.string })),
])
/** An option with a value, such as `--as <caller>`: its name `as`, its value `caller`. */
export type VerbOption = Readonly<t.TypeOf<typeof OptionC>>

const VerbDescriptionC = t.strict({
  name: t.string,
  summary: t.string,
  arguments: t.readonlyArray(ArgumentC),
  options: t.readonlyArray(OptionC),
  live: t.boolean,
})

export const VerbGroupDescriptionC = t.strict({
  name: t.string,
  summary: t.string,
  verbs: t.readonlyArray(VerbDescriptionC),
})
/** What a group of verbs says of itself. */
export type VerbGroupDescription = t.TypeOf<typeof VerbGroupDescriptionC>

/** What a verb answers: lines for people, and the same as data for `--json`, one document for each entry of a list. */
export const VerbAnswerC = t.strict({ lines: t.readonlyArray(t.string), data: JsonC })
/** What a verb answers: lines for people, and the same as data for `--json`, one document for each entry of a list. */
export type VerbAnswer = { readonly lines: readonly string[]; readonly data: Json }

/** Who asks for a verb. */
export type VerbCaller = {
  /** The operator, as the log is to remember him: the local owner, or the token and from where. */
  readonly by: string
  /** Whether the caller has a permission; the local owner has all. */
  readonly may: (permission: string) => boolean
}

/** What a verb is given. */
export type VerbAsked<I> = VerbCaller & { readonly node: Node; readonly input: I }

/** What an app developer writes. */
export type VerbOptions<I> = {
  /** One word, such as `list`. */
  readonly name: string
  readonly summary: string
  readonly arguments?: readonly VerbArgument[]
  readonly options?: readonly VerbOption[]
  /** Reads arguments and options, by their names; their values come as text. */
  readonly input: t.Type<I, unknown>
  /** Whether it only looks, so that `--watch` may ask it again every second. */
  readonly live?: boolean
  /**
   * What a token must allow, such as `chores:view`, or several permissions of which each is enough; `any` for a verb that
   * looks at `may` itself. Default `admin`.
   */
  readonly permission?: NeededPermission
  readonly handle: (asked: VerbAsked<I>) => Promise<VerbAnswer>
}

/** One verb of an app. Make one with {@link defineVerb}. */
export type Verb = {
  readonly description: t.TypeOf<typeof VerbDescriptionC>
  readonly permission: NeededPermission
  readonly perform: (node: Node, words: unknown, caller: VerbCaller) => Promise<VerbAnswer>
}

/** The verbs of an app under one name, such as `chores`. Make one with {@link defineVerbs}. */
export type VerbGroup = { readonly description: VerbGroupDescription; readonly verbs: readonly Verb[] }

const wordPattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const taken: ReadonlySet<string> = new Set(['store', 'url', 'ca', 'json', 'help', 'watch'])

const assertWords = (of: string, words: readonly string[]): void => {
  const wrong =
    words.find((word) => !wordPattern.test(word)) ?? words.find((word, place) => words.indexOf(word) !== place)
  if (wrong !== undefined)
    throw new CarillonError(
      'definition-invalid',
      `${of}: "${wrong}" is there twice, or is not a word of small letters, digits and hyphens.`,
      { name: wrong },
    )
}

/** Defines one verb. */
export const defineVerb = <I>(options: VerbOptions<I>): Verb => {
  const { name, summary, input, handle, live = false, permission = 'admin' } = options
  const given = { arguments: options.arguments ?? [], options: options.options ?? [] }
  assertWords(`Verb ${name}`, [name])
  const names = [...given.arguments, ...given.options].map((each) => each.name)
  assertWords(`Verb ${name}`, names)
  const late = given.arguments.find(
    ({ optional }, place) => optional !== true && given.arguments[place - 1]?.optional === true,
  )
  if (late !== undefined)
    throw new CarillonError('definition-invalid', `Verb ${name}: ${late.name} cannot be told behind one left out.`, {
      name,
    })
  const own = given.options.find((option) => taken.has(option.name))
  if (own !== undefined)
    throw new CarillonError('definition-invalid', `Verb ${name}: every verb has an option --${own.name} already.`, {
      name,
    })
  const needed = [permission].flat()
  if (permission !== 'any' && !(needed.length > 0 && needed.every((each) => PermissionC.is(each))))
    throw new CarillonError('definition-invalid', `Verb ${name}: "${needed.join(', ')}" is no permission.`, { name })
  return {
    description: { name, summary, ...given, live },
    permission,
    perform: async (node, words, caller) => {
      const decoded = decodeWith(input, words)
      if (isLeft(decoded)) throw new CarillonError('usage', `${name}: ${decoded.left.join('; ')}.`, { verb: name })
      return handle({ node, input: decoded.right, by: caller.by, may: caller.may })
    },
  }
}

/** Puts verbs under one name, the first word behind `carillon`. */
export const defineVerbs = (group: {
  readonly name: string
  readonly summary: string
  readonly verbs: readonly Verb[]
}): VerbGroup => {
  const { name, summary, verbs } = group
  assertWords(`Verbs ${name}`, [name])
  assertWords(
    `Verbs ${name}`,
    verbs.map(({ description }) => description.name),
  )
  return { description: { name, summary, verbs: verbs.map(({ description }) => description) }, verbs }
}

/** Which verb, and what stands behind it on the command line, by name. */
export type VerbRequest = {
  readonly group: string
  readonly verb: string
  readonly words: Readonly<Record<string, string>>
}

const assertFits = (answer: VerbAnswer): VerbAnswer => {
  const bytes = Buffer.byteLength(JSON.stringify(answer))
  if (bytes > httpLimits.verbAnswerBytes)
    throw new CarillonError(
      'request-invalid',
      `The answer has ${bytes} bytes, more than the ${httpLimits.verbAnswerBytes} of one answer. Ask for less.`,
      { bytes },
    )
  return answer
}

/** Does what a command line asked for, if the caller may. */
export const performVerb = async (
  node: Node,
  groups: readonly VerbGroup[],
  { group, verb: name, words }: VerbRequest,
  principal: Principal,
): Promise<VerbAnswer> => {
  const verb = groups
    .find(({ description }) => description.name === group)
    ?.verbs.find(({ description }) => description.name === name)
  const permission = verb?.permission ?? 'admin'
  if (permission !== 'any') assertMay(principal, permission)
  if (verb === undefined) throw new CarillonError('usage', `The app has no verb ${group} ${name}.`, { verb: name })
  const caller = { by: operatorOf(principal), may: (needed: string) => mayDo(principal, needed) }
  return assertFits(await verb.perform(node, words, caller))
}
