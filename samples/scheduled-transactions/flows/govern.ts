/**
 * The operator's word: open the network with its two accounts, and change its parameters. Which policy it follows is
 * settled when it is opened, because every schedule's identity and lifetime depend on it.
 */
import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalText, defineFlow, IntegerC, type FlowBody } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import { isKey, KeyTreeC, type KeyTree } from '../model/KeyTree.js'
import type { LedgerID } from '../model/ids.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import {
  feeCollector,
  firstEntity,
  problemWith,
  NetworkParametersC,
  treasury,
  type NetworkParameters,
} from '../model/Settings.js'
import { theNetwork } from '../states.js'

type Governed = { readonly status: ResponseCode }
/** Signatures are for one ledger: wallets must know which. */
type Opened = Governed & { readonly ledgerID?: LedgerID }

const open = function* (
  books: Books,
  { settings, key, supply }: { readonly settings: NetworkParameters; readonly key: KeyTree; readonly supply: number },
  ledgerID: LedgerID,
): FlowBody<Either<ResponseCode, LedgerID>> {
  // Opening it again changes nothing, so that a program can do so at every start.
  const there = yield* books.network.get(theNetwork)
  if (there !== undefined) return right(there.settings.ledgerID)
  if (problemWith(settings) !== undefined || supply < 0) return refuse('INVALID_TRANSACTION_BODY')
  if (!isKey(key)) return refuse('BAD_ENCODING')
  const operator = books.io.me
  yield* books.network.put({ operator, settings: { ...settings, ledgerID } })
  yield* books.sequence.put({ operator, last: books.now, nextEntity: firstEntity, schedules: 0, buckets: {} })
  for (const [accountID, balance] of [
    [treasury, supply],
    [feeCollector, 0],
  ] as const)
    yield* books.accounts.put({ operator, accountID, key, balance, receiverSigRequired: false, deleted: false })
  return right(ledgerID)
}

export const OpenNetwork = defineFlow({
  name: 'scheduled-transactions/OpenNetwork',
  input: t.readonly(t.strict({ settings: NetworkParametersC, key: KeyTreeC, supply: IntegerC })),
  *run(io, request): FlowBody<Opened> {
    const id = yield* io.newId()
    const ledgerID = createHash('sha256')
      .update(canonicalText({ operator: io.me, id }))
      .digest('hex')
    const opened = yield* inBooks(io, 'govern', null, (books) => open(books, request, ledgerID))
    return isLeft(opened) ? { status: opened.left } : { status: 'SUCCESS', ledgerID: opened.right }
  },
})

export const SetParameters = defineFlow({
  name: 'scheduled-transactions/SetParameters',
  input: t.readonly(t.strict({ settings: NetworkParametersC })),
  *run(io, { settings }): FlowBody<Governed> {
    const set = yield* inBooks(io, 'govern', null, function* (books): FlowBody<Either<ResponseCode, void>> {
      const { ledgerID, onIdentical } = books.settings
      if (problemWith(settings) !== undefined || settings.onIdentical !== onIdentical)
        return refuse('INVALID_TRANSACTION_BODY')
      yield* books.network.put({ operator: io.me, settings: { ...settings, ledgerID } })
      return right(undefined)
    })
    return { status: isLeft(set) ? set.left : 'SUCCESS' }
  },
})
