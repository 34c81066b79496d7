/**
 * Who asks. Over HTTP and on the command line it is the holder of a token. Whoever may start the flows of requests
 * themselves, a program on the node or a token with `start:recurring-tasks/…`, vouches for whom it names. `root`
 * is the chain's own authority. A called flow is told whose task has called it, by the registry's word.
 */
import * as t from 'io-ts'
import { IntegerC } from 'carillon'
import { record } from '../../shared/record.js'

export const AccountIdC = t.string
export type AccountId = t.TypeOf<typeof AccountIdC>

/** Names of accounts, tasks, flows and errors stand in every sweep that has to do with them. */
export const isShortName = (name: string): boolean => Buffer.byteLength(name) <= 100

export const OriginC = t.union(
  [
    t.readonly(t.strict({ kind: t.literal('signed'), account: AccountIdC })),
    t.readonly(t.strict({ kind: t.literal('root') })),
    t.readonly(t.strict({ kind: t.literal('unsigned') })),
  ],
  'Origin',
)
export type Origin = t.TypeOf<typeof OriginC>

export const signed = (account: AccountId): Origin => ({ kind: 'signed', account })
export const root: Origin = { kind: 'root' }
export const unsigned: Origin = { kind: 'unsigned' }

/** The account of whoever asks, as the log remembers him: `http:ada@127.0.0.1` and `cli:ada` are ada. */
export const accountOf = (by: string): AccountId => by.replace(/^[a-z]+:/, '').replace(/@[^@]*$/, '')

/** What a called flow is told about its call; what else it takes is what the task was scheduled with. */
export const CallerC = record('Caller', { owner: AccountIdC, origin: OriginC, task: t.string, at: IntegerC })
export type Caller = t.TypeOf<typeof CallerC>

/** The input of a flow that tasks may call. */
export const calledWith = <A>(input: t.Type<A, unknown>) => record('Called', { caller: CallerC, input })
