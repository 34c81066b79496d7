/**
 * The answer a recorded operation got, given again when the flow is run over its record.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision } from '../decision/Decision.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { CarillonError, reviveError, type ErrorDetails } from '../errors/CarillonError.js'
import { parseRef } from '../ledger/StateRef.js'
import { TransactionIdC } from '../ledger/TransactionId.js'
import type { RecordedOperation } from '../log/events.js'
import { valueAnswer, type Answer } from './Answer.js'
import { participantsOf, type Proposal } from '../vault/decideTransaction.js'
import { resolveBody } from '../vault/resolveBody.js'
import { sealBody, TransactionBodyC } from '../ledger/Transaction.js'
import { finalised, type Finalised } from './Finalised.js'
import type { Operation } from './Operation.js'
import { checkTransaction, requestFor, reviveWalk, WalkedC } from './performLedger.js'
import { messageFor } from './performSession.js'
import { stateAt } from './performOperation.js'

const FinalisedC = t.union([
  t.strict({ transaction: TransactionIdC, outputs: IntegerC }),
  t.strict({ proposal: TransactionBodyC }),
  t.undefined,
])
const RefsC = t.readonlyArray(t.string)
const PageC = t.intersection([t.strict({ refs: RefsC }), t.exact(t.partial({ next: t.string }))])

const decode = <A>(codec: t.Type<A, unknown>, recorded: RecordedOperation): A => {
  const decoded = codec.decode(recorded.result)
  if (isLeft(decoded))
    throw new CarillonError('flow-diverged', `The recorded result of ${recorded.label} cannot be read.`)
  return decoded.right
}

const reviveTransaction = (decision: Decision, recorded: RecordedOperation): Finalised | Proposal | undefined => {
  const found = decode(FinalisedC, recorded)
  if (found === undefined) return undefined
  if ('proposal' in found) {
    const { id } = sealBody(found.proposal)
    return {
      kind: 'proposal',
      id,
      body: found.proposal,
      participants: participantsOf(resolveBody(decision, id, found.proposal)),
    }
  }
  const { transaction, outputs } = found
  return finalised(
    transaction,
    Array.from({ length: outputs }, (_, index) => ({ transaction, index })),
  )
}

export const reviveAnswer = (decision: Decision, operation: Operation, recorded: RecordedOperation): Answer => {
  if (recorded.error !== undefined) {
    const { code, message, details } = recorded.error
    return {
      kind: 'error',
      error: reviveError({ code, message, ...(details === undefined ? {} : { details: details as ErrorDetails }) }),
    }
  }
  switch (operation.kind) {
    case 'load':
      // Whether it was consumed later does not matter: at the time it was not, and its data never changes.
      return valueAnswer(stateAt(decision, operation.definition, operation.ref).state)
    case 'find':
      return recorded.result === undefined
        ? valueAnswer(undefined)
        : valueAnswer(stateAt(decision, operation.definition, parseRef(decode(t.string, recorded))).state)
    case 'query':
      return valueAnswer(
        decode(RefsC, recorded).map((ref) => stateAt(decision, operation.definition, parseRef(ref)).state),
      )
    case 'queryPage': {
      const { refs, next } = decode(PageC, recorded)
      const items = refs.map((ref) => stateAt(decision, operation.definition, parseRef(ref)).state)
      return valueAnswer({ items, next })
    }
    case 'finalise':
    case 'changeNotary':
    case 'record':
      return valueAnswer(reviveTransaction(decision, recorded))
    case 'walk':
      return valueAnswer(reviveWalk(decision, decode(WalkedC, recorded)))
    case 'check':
      return valueAnswer(checkTransaction(decision, operation.signed, operation))
    case 'notaryRequest':
      return valueAnswer(requestFor(decision, operation.signed))
    case 'receive':
      // The message itself is in the log once, as it was received.
      return valueAnswer(messageFor(decision, operation))
    default:
      return valueAnswer(recorded.result)
  }
}
