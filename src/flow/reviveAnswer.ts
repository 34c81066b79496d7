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
import { finalised } from './Finalised.js'
import type { Operation } from './Operation.js'
import { stateAt } from './performOperation.js'

const FinalisedC = t.strict({ transaction: TransactionIdC, outputs: IntegerC })
const RefsC = t.readonlyArray(t.string)

const decode = <A>(codec: t.Type<A, unknown>, recorded: RecordedOperation): A => {
  const decoded = codec.decode(recorded.result)
  if (isLeft(decoded))
    throw new CarillonError('flow-diverged', `The recorded result of ${recorded.label} cannot be read.`)
  return decoded.right
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
    case 'finalise': {
      const { transaction, outputs } = decode(FinalisedC, recorded)
      const refs = Array.from({ length: outputs }, (_, index) => ({ transaction, index }))
      return valueAnswer(finalised(transaction, refs))
    }
    default:
      return valueAnswer(recorded.result)
  }
}
