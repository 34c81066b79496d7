/**
 * Lets a flow of an app be scheduled. That it is called is decided in the commit of the last signature; the flow
 * itself may take months, so it runs on its own and is recorded when it ends.
 */
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { JsonC, type FlowDefinition } from 'carillon'
import * as t from 'io-ts'
import type { AccountID } from '../model/EntityId.js'
import { needs } from '../model/Needs.js'
import { refuse } from '../model/ResponseCode.js'
import { defineOperation, type Operation } from './Operation.js'

/** The operation of a flow: `{ kind: <the flow's name>, input }`, signed by the accounts that its input concerns. */
export const schedulableFlow = <I, R>(
  flow: FlowDefinition<I, R>,
  options: { readonly signedBy: (input: I) => readonly AccountID[] },
): Operation =>
  defineOperation({
    kind: flow.name,
    asked: t.readonly(t.strict({ input: JsonC })),
    check: ({ input }) => (isLeft(flow.input.decode(input)) ? refuse('INVALID_TRANSACTION_BODY') : right(undefined)),
    needs: ({ input }) => {
      const decoded = flow.input.decode(input)
      return needs({ accounts: isLeft(decoded) ? [] : options.signedBy(decoded.right) })
    },
    *perform(books, { input }, { schedule, transactionID, consensusTimestamp }) {
      // Without a schedule nobody would have been asked to wait: start the flow itself instead.
      if (schedule === undefined) return refuse('NOT_SUPPORTED')
      yield* books.calls.put(books.io, schedule, {
        operator: books.io.me,
        schedule,
        flow: flow.name,
        input,
        calledAt: consensusTimestamp,
        transactionID,
      })
      return right({})
    },
  })
