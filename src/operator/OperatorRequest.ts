/**
 * Everything an operator can ask of a node, as one type. The node decides it, or the store itself when no node runs;
 * the HTTP API, the command line and the dashboard carry it. Who asks is told beside it, by whoever knows that.
 */
import * as t from 'io-ts'
import { expecting } from '../encoding/expecting.js'
import { StateRefC } from '../ledger/StateRef.js'
import { limits } from '../limits.js'
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

const isNote = (value: unknown): value is string => typeof value === 'string' && value.length <= limits.noteLength

/** A remark of the operator, short enough to be read. */
export const NoteC = expecting(
  `a text of at most ${limits.noteLength.toLocaleString('en')} characters`,
  new t.Type<string, string, unknown>(
    'Note',
    isNote,
    (value, context) => (isNote(value) ? t.success(value) : t.failure(value, context)),
    t.identity,
  ),
)

export const FlowActionC = t.keyof({ retry: null, kill: null, pause: null, resume: null })
export type FlowAction = t.TypeOf<typeof FlowActionC>

export const ActivityActionC = t.keyof({ trigger: null, retry: null, discharge: null, pause: null, resume: null })
export type ActivityAction = t.TypeOf<typeof ActivityActionC>

export const DrainActionC = t.keyof({ start: null, end: null })
export type DrainAction = t.TypeOf<typeof DrainActionC>

/** The actions that a codec knows, in their order. */
export const actionsOf = <A extends string>({ keys }: { readonly keys: Readonly<Record<A, unknown>> }): readonly A[] =>
  Object.keys(keys) as A[]

export const OperatorRequestC = t.union(
  [
    t.strict({ on: t.literal('flow'), action: FlowActionC, flow: FlowIdC }),
    t.intersection([
      t.strict({ on: t.literal('activity'), action: ActivityActionC, ref: StateRefC }),
      t.exact(t.partial({ note: NoteC })),
    ]),
    t.strict({ on: t.literal('draining'), action: DrainActionC }),
    t.strict({ on: t.literal('token'), action: t.literal('issue'), token: NewTokenC }),
    t.strict({ on: t.literal('token'), action: t.literal('revoke'), token: TokenIdC }),
  ],
  'OperatorRequest',
)
/** What an operator asks. Give it to `node.operate`. */
export type OperatorRequest = t.TypeOf<typeof OperatorRequestC>

/** The answer to all of them: it is recorded, or was so already. What cannot be done is an error. */
export const DoneC = t.strict({ done: t.literal(true) }, 'Done')
export type Done = t.TypeOf<typeof DoneC>
export const done: Done = { done: true }

/** What the holder of a token must be allowed to do: who may ask at all is decided by an admin alone. */
export const permissionFor = ({ on }: OperatorRequest): 'operate' | 'admin' => (on === 'token' ? 'admin' : 'operate')
