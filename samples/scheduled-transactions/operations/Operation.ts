/**
 * Something a transaction can do: at once when it is submitted, or as a schedule when its signatures are there. An
 * operation says whose signatures it needs from its own words alone, and does its work in the books of the
 * network, so that it happens in the same commit as what triggered it, or not at all.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Errors } from 'io-ts'
import * as t from 'io-ts'
import type { FlowBody, FlowDefinition, Json } from 'carillon'
import { record } from '../../shared/record.js'
import type { Books } from '../Books.js'
import { needs, type Needs } from '../model/Account.js'
import { meaningOf, refuse, ResponseCodeC, type ResponseCode } from '../model/ResponseCode.js'
import type { TransactionReceipt } from '../model/TransactionRecord.js'
import type { AccountID, ScheduleID, Timestamp, TransactionID } from '../model/ids.js'

const show = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80))

const isIntersection = (codec: unknown): boolean =>
  codec instanceof t.IntersectionType || (codec instanceof t.ReadonlyType && isIntersection(codec.type))

/** The first mismatch; the places of an intersection are no fields. */
export const mismatchIn = (errors: Errors): string => {
  const [first] = errors
  if (first === undefined) return 'something does not fit'
  const place = first.context
    .filter(({ key }, index) => key !== '' && !isIntersection(first.context[index - 1]?.type))
    .map(({ key }) => key)
  const expected = first.context.at(-1)?.type.name ?? 'another value'
  return `${place.length === 0 ? 'it' : place.join('.')} is ${show(first.value)}, expected ${expected}`
}

/** What an operation knows of the transaction it is done for. */
export type Occasion = {
  readonly payer: AccountID
  readonly transactionID: TransactionID
  readonly consensusTimestamp: Timestamp
  /** The schedule whose execution this is; undefined for a transaction that was submitted as it is. */
  readonly schedule: ScheduleID | undefined
}

/** What an operation adds to the receipt of its transaction. */
export type Receipted = Omit<TransactionReceipt, 'status' | 'schedule' | 'scheduledTransactionID'>

/** An operation with what it is asked to do, read and ready. */
export type ReadOperation = {
  readonly kind: string
  readonly needs: Needs
  /** Does it. Whatever it has changed is taken back when it refuses or throws. */
  readonly perform: (books: Books, occasion: Occasion) => FlowBody<Either<ResponseCode, Receipted>>
}

/** Why what is asked makes no sense: for programs, and in a sentence for whoever has written it. */
type Misread = { readonly code: ResponseCode; readonly why: string }

export type Operation = {
  readonly kind: string
  /** Reads what is asked; refuses what makes no sense whatever the ledger holds. */
  readonly read: (asked: Json) => Either<Misread, ReadOperation>
  /** What may be asked, for people. */
  readonly example: Json | undefined
}

const misread = (code: ResponseCode, why = `${code}: ${meaningOf(code)}`): Either<Misread, never> => left({ code, why })

/** Defines an operation. */
export const defineOperation = <A>(options: {
  /** Its name in transactions. */
  readonly kind: string
  /** What is asked of it; `kind` may be left out of the codec. */
  readonly asked: t.Type<A, unknown>
  /** What may be asked, for people; the kind is put before it. */
  readonly example?: Readonly<Record<string, Json>>
  /** What makes no sense in it whatever the ledger holds; undefined when all of it does. */
  readonly problem?: (asked: A) => ResponseCode | undefined
  /** Whose signatures it needs besides the payer's. */
  readonly needs: (asked: A) => Partial<Needs>
  readonly perform: (books: Books, asked: A, occasion: Occasion) => FlowBody<Either<ResponseCode, Receipted>>
}): Operation => ({
  kind: options.kind,
  example: options.example === undefined ? undefined : { kind: options.kind, ...options.example },
  read: (json) => {
    // Code of an app may throw; a transaction that was taken must come to an end.
    try {
      const asked = options.asked.decode(json)
      if (isLeft(asked)) return misread('INVALID_TRANSACTION_BODY', `${mismatchIn(asked.left)}.`)
      const problem = options.problem?.(asked.right)
      if (problem !== undefined) return misread(ResponseCodeC.is(problem) ? problem : 'FAIL_INVALID')
      return right({
        kind: options.kind,
        needs: needs(options.needs(asked.right)),
        perform: (books, occasion) => options.perform(books, asked.right, occasion),
      })
    } catch {
      return misread('FAIL_INVALID')
    }
  },
})

/**
 * Lets an operation do its work. What it has changed is taken back when it refuses, and when it throws: code of an app
 * may, and a transaction that was taken must come to an end.
 */
export const performSafely = function* (
  books: Books,
  operation: ReadOperation,
  occasion: Occasion,
): FlowBody<Either<ResponseCode, Receipted>> {
  const putBack = books.mark()
  try {
    const performed = yield* operation.perform(books, occasion)
    // What one commit cannot hold is not done at all.
    const done = books.isTooLarge ? refuse('TRANSACTION_OVERSIZE') : performed
    if (!isLeft(done)) return done
    putBack()
    // A code that cannot be recorded must not take the transaction with it.
    return ResponseCodeC.is(done.left) ? done : refuse('FAIL_INVALID')
  } catch {
    putBack()
    return refuse('FAIL_INVALID')
  }
}

/** Operations by kind. */
export type Operations = ReadonlyMap<string, Operation>

export const operationsOf = (operations: readonly Operation[]): Operations => {
  const byKind = new Map(operations.map((operation) => [operation.kind, operation]))
  if (byKind.size < operations.length) throw new Error('Two operations have the same kind; every kind needs one.')
  return byKind
}

/** The operation of a flow: `{ kind: <the flow's name>, input }`, signed by the accounts that its input concerns. */
export const schedulableFlow = <I, R, F>(
  flow: FlowDefinition<I, R, F>,
  options: { readonly signedBy: (input: I) => readonly AccountID[] },
): Operation =>
  defineOperation({
    kind: flow.name,
    asked: record('Called', { input: flow.input }),
    needs: ({ input }) => ({ accounts: options.signedBy(input) }),
    *perform(books, asked, { schedule, transactionID, consensusTimestamp }) {
      // Without a schedule nobody would have been asked to wait: start the flow itself instead.
      if (schedule === undefined) return refuse('NOT_SUPPORTED')
      const input = flow.input.encode(asked.input)
      const call = { schedule, flow: flow.name, input, calledAt: consensusTimestamp, transactionID }
      yield* books.calls.put({ operator: books.io.me, ...call })
      return right({})
    },
  })
