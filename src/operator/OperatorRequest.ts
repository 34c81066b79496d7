/**
 * Everything an operator can ask of a node, as one type. The node decides it, or the store itself when no node runs;
 * the HTTP API, the command line and the dashboard carry it. Who asks is told beside it, by whoever knows that.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { expecting } from '../encoding/expecting.js'
import { HashC } from '../encoding/hash.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { JsonC } from '../encoding/JsonC.js'
import { SignalTargetC } from '../flow/decideSignal.js'
import { flowLimits } from '../flow/limits.js'
import { PublicKeyC } from '../identity/PublicKey.js'
import { StateRefC } from '../ledger/StateRef.js'
import { operatorLimits } from './limits.js'
import { FlowIdC } from '../log/FlowId.js'
import { NewTokenC } from './operateTokens.js'
import { TokenIdC } from './Token.js'

export interface OperatorNameBrand {
  readonly OperatorName: unique symbol
}

/** Who acts, as it is recorded: `cli:` and a user name, or `http:`, the name of a token, `@` and an address. */
const operatorPattern = /^[a-z]+:[^\p{Cc}]{1,80}$/u
export const OperatorNameC = t.brand(
  t.string,
  (text): text is t.Branded<string, OperatorNameBrand> => operatorPattern.test(text),
  'OperatorName',
)
export type OperatorName = t.TypeOf<typeof OperatorNameC>

const isNote = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= operatorLimits.noteLength

/** A remark of the operator, short enough to be read. */
export const NoteC = expecting(
  `a text of at most ${operatorLimits.noteLength.toLocaleString('en')} characters`,
  new t.Type<string, string>(
    'Note',
    isNote,
    (value, context) => (isNote(value) ? t.success(value) : t.failure(value, context)),
    t.identity,
  ),
)

const isSignalId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= flowLimits.clientIdLength

/** What a sender calls a signal, so that the same one sent again counts once. */
export const SignalIdC = expecting(
  `a text of 1 to ${flowLimits.clientIdLength.toLocaleString('en')} characters`,
  new t.Type<string, string>(
    'SignalId',
    isSignalId,
    (value, context) => (isSignalId(value) ? t.success(value) : t.failure(value, context)),
    t.identity,
  ),
)

const isPositive = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

/** How long something may take. */
export const PositiveC = expecting(
  'a whole number of milliseconds from 1',
  new t.Type<number, number>(
    'PositiveMilliseconds',
    isPositive,
    (value, context) => (isPositive(value) ? t.success(value) : t.failure(value, context)),
    t.identity,
  ),
)

export const FlowActionC = t.keyof({ retry: null, cancel: null, kill: null, pause: null, resume: null, dismiss: null })
/** What an operator can do to a flow. */
export type FlowAction = t.TypeOf<typeof FlowActionC>

export const ActivityActionC = t.keyof({ trigger: null, retry: null, dismiss: null, pause: null, resume: null })
export type ActivityAction = t.TypeOf<typeof ActivityActionC>

export const DrainActionC = t.keyof({ start: null, end: null })
export type DrainAction = t.TypeOf<typeof DrainActionC>

/** The actions that a codec knows, in their order. */
export const actionsOf = <A extends string>({ keys }: { readonly keys: Readonly<Record<A, unknown>> }): readonly A[] =>
  Object.keys(keys) as A[]

const OnFlowC = t.intersection([
  t.strict({ on: t.literal('flow'), action: FlowActionC, flow: FlowIdC }),
  // How long a cancelled flow may take.
  t.exact(t.partial({ withinMs: PositiveC })),
])
const OnActivityC = t.intersection([
  t.strict({ on: t.literal('activity'), action: ActivityActionC, ref: StateRefC }),
  t.exact(t.partial({ note: NoteC })),
])
const OnSignalC = t.intersection([
  t.strict({ on: t.literal('signal'), to: SignalTargetC, signal: t.string, data: JsonC }),
  t.exact(t.partial({ id: SignalIdC })),
])
const OnDrainingC = t.strict({ on: t.literal('draining'), action: DrainActionC })
const IssueC = t.strict({ on: t.literal('token'), action: t.literal('issue'), token: NewTokenC })
const RevokeC = t.strict({ on: t.literal('token'), action: t.literal('revoke'), token: TokenIdC })

const OnNetworkC = t.intersection([
  t.strict({
    on: t.literal('network'),
    action: t.literal('accept'),
    map: t.strict({ root: PublicKeyC, serial: IntegerC, hash: HashC }),
  }),
  t.exact(t.partial({ note: NoteC })),
])

const AnyOfThemC = t.union(
  [OnFlowC, OnActivityC, OnSignalC, OnDrainingC, OnNetworkC, IssueC, RevokeC],
  'OperatorRequest',
)

const OnC = t.strict({
  on: t.keyof({ flow: null, activity: null, signal: null, draining: null, network: null, token: null }),
})
const OnTokenC = t.strict({ on: t.literal('token'), action: t.keyof({ issue: null, revoke: null }) })

/** The one member of the union that a request claims to be, so that a refusal does not speak of all the others. */
const memberFor = (value: unknown): t.Decoder<unknown, t.TypeOf<typeof AnyOfThemC>> | typeof OnC | typeof OnTokenC => {
  if (!OnC.is(value)) return OnC
  switch (value.on) {
    case 'flow':
      return OnFlowC
    case 'activity':
      return OnActivityC
    case 'signal':
      return OnSignalC
    case 'draining':
      return OnDrainingC
    case 'network':
      return OnNetworkC
    case 'token':
      if (!OnTokenC.is(value)) return OnTokenC
      return value.action === 'issue' ? IssueC : RevokeC
  }
}

export const OperatorRequestC = new t.UnionType<
  typeof AnyOfThemC.types,
  t.TypeOf<typeof AnyOfThemC>,
  t.OutputOf<typeof AnyOfThemC>
>(
  AnyOfThemC.name,
  AnyOfThemC.is,
  (value, context) => {
    const member = memberFor(value)
    const decoded = member.validate(value, t.appendContext(context, '0', member, value))
    if (isLeft(decoded)) return decoded
    return AnyOfThemC.is(decoded.right) ? t.success(decoded.right) : t.failure(value, context)
  },
  AnyOfThemC.encode,
  AnyOfThemC.types,
)
/** What an operator asks. Give it to `node.operate`. */
export type OperatorRequest = t.TypeOf<typeof OperatorRequestC>

/** The answer to all of them: it is recorded, or was so already. What cannot be done is an error. */
export const DoneC = t.strict({ done: t.literal(true) }, 'Done')
/** The answer to what an operator asks for. */
export type Done = t.TypeOf<typeof DoneC>
export const done: Done = { done: true }

/** What the holder of a token must be allowed to do: who may ask at all, and whom the node trusts, an admin alone decides. */
export const permissionFor = (request: OperatorRequest): string => {
  if (request.on === 'signal') return `signal:${request.signal}`
  return request.on === 'token' || request.on === 'network' ? 'admin' : 'operate'
}
