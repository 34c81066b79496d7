/**
 * What is said on the control socket: one JSON document a line, `{id, verb, args}` one way and `{id, ok}` or
 * `{id, error}` the other. Both sides decode what they read with these codecs.
 */
import * as t from 'io-ts'
import { NewTokenC } from './operateTokens.js'
import { TokenIdC } from './Token.js'
import { JsonC } from '../encoding/JsonC.js'
import { expecting } from '../encoding/expecting.js'
import { FlowIdC } from '../log/FlowId.js'
import { CarillonError } from '../errors/CarillonError.js'
import { limits } from '../limits.js'
import { StateRefC } from '../ledger/StateRef.js'
import { InstantC } from '../time/Instant.js'

export const RequestC = t.strict({ id: t.number, verb: t.string, args: t.UnknownRecord }, 'Request')

export const AnswerC = t.union(
  [
    t.strict({ id: t.number, ok: JsonC }),
    t.strict({
      // Null when the request was too broken to tell its id.
      id: t.union([t.number, t.null]),
      error: t.intersection([
        t.strict({ code: t.string, message: t.string }),
        t.partial({
          details: t.record(t.string, t.union([t.string, t.number, t.boolean, t.null, t.readonlyArray(t.string)])),
        }),
      ]),
    }),
  ],
  'Answer',
)
export type Answer = t.TypeOf<typeof AnswerC>

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

export interface NoteBrand {
  readonly Note: unique symbol
}

/** A remark of the operator, short enough to be read. */
export const NoteC = expecting(
  `a text of at most ${limits.noteLength.toLocaleString('en')} characters`,
  t.brand(t.string, (text): text is t.Branded<string, NoteBrand> => text.length <= limits.noteLength, 'Note'),
)
export type Note = t.TypeOf<typeof NoteC>

export const StartArgsC = t.intersection([
  t.strict({ flow: t.string, input: JsonC, by: OperatorNameC }),
  t.exact(t.partial({ clientId: t.string })),
])
export type StartArgs = t.TypeOf<typeof StartArgsC>

export const ResultArgsC = t.strict({ flow: FlowIdC })
export type ResultArgs = t.TypeOf<typeof ResultArgsC>

export const FlowActionC = t.keyof({ retry: null, kill: null, pause: null, resume: null })
export type FlowAction = t.TypeOf<typeof FlowActionC>

export const ActivityActionC = t.keyof({ trigger: null, retry: null, discharge: null, pause: null, resume: null })
export type ActivityAction = t.TypeOf<typeof ActivityActionC>

export const DrainActionC = t.keyof({ start: null, end: null })
export type DrainAction = t.TypeOf<typeof DrainActionC>

/** What an operator may do that needs no app code: a node does it, or the store itself when no node runs. */
export const OperatorRequestC = t.union(
  [
    t.strict({ on: t.literal('flow'), action: FlowActionC, flow: FlowIdC, by: OperatorNameC }),
    t.intersection([
      t.strict({ on: t.literal('activity'), action: ActivityActionC, ref: StateRefC, by: OperatorNameC }),
      t.exact(t.partial({ note: NoteC })),
    ]),
    t.strict({ on: t.literal('node'), action: DrainActionC, by: OperatorNameC }),
    t.strict({ on: t.literal('token'), action: t.literal('issue'), token: NewTokenC, by: OperatorNameC }),
    t.strict({ on: t.literal('token'), action: t.literal('revoke'), token: TokenIdC, by: OperatorNameC }),
  ],
  'OperatorRequest',
)
export type OperatorRequest = t.TypeOf<typeof OperatorRequestC>

/** How a node is at this moment: what time it has, whether it drains, and why it can record nothing, if so. */
export const ConditionC = t.intersection(
  [
    t.strict({ draining: t.boolean }),
    t.exact(t.partial({ now: InstantC, trouble: t.strict({ code: t.string, message: t.string }) })),
  ],
  'Condition',
)
export type Condition = t.TypeOf<typeof ConditionC>

/** The error for a line that is longer than the socket takes. */
export const lineTooLong = (): CarillonError =>
  new CarillonError(
    'request-invalid',
    `A line on the control socket may have ${limits.controlLineBytes} bytes at most. Send less in one request.`,
    { limit: limits.controlLineBytes },
  )
