/**
 * The operator's word: open the network with its two accounts, and change its parameters. Which policy it follows is
 * settled when it is opened, because every schedule's identity and lifetime depend on it.
 */
import * as t from 'io-ts'
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, IntegerC, type FlowBody } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import { isKey, KeyTreeC, type KeyTree } from '../model/KeyTree.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import { feeCollector, firstEntity, problemWith, SettingsC, treasury, type Settings } from '../model/Settings.js'
import { theNetwork } from '../states.js'

type Governed = { readonly status: ResponseCode }

const open = function* (
  books: Books,
  { settings, key, supply }: { readonly settings: Settings; readonly key: KeyTree; readonly supply: number },
): FlowBody<Either<ResponseCode, void>> {
  // Opening it again changes nothing, so that a program can do so at every start.
  if ((yield* books.network.get(books.io, theNetwork)) !== undefined) return right(undefined)
  if (problemWith(settings) !== undefined || supply < 0) return refuse('INVALID_TRANSACTION_BODY')
  if (!isKey(key)) return refuse('BAD_ENCODING')
  const operator = books.io.me
  yield* books.network.put(books.io, theNetwork, { operator, settings })
  yield* books.setConsensus({ operator, last: books.now, nextEntity: firstEntity, schedules: 0, buckets: {} })
  for (const [accountID, balance] of [
    [treasury, supply],
    [feeCollector, 0],
  ] as const)
    yield* books.setAccount({ operator, accountID, key, balance, receiverSigRequired: false, deleted: false })
  return right(undefined)
}

export const OpenNetwork = defineFlow({
  name: 'scheduled-transactions/OpenNetwork',
  input: t.readonly(t.strict({ settings: SettingsC, key: KeyTreeC, supply: IntegerC })),
  *run(io, request): FlowBody<Governed> {
    const opened = yield* inBooks(io, 'govern', null, (books) => open(books, request))
    return { status: isLeft(opened) ? opened.left : 'SUCCESS' }
  },
})

export const SetParameters = defineFlow({
  name: 'scheduled-transactions/SetParameters',
  input: t.readonly(t.strict({ settings: SettingsC })),
  *run(io, { settings }): FlowBody<Governed> {
    const set = yield* inBooks(io, 'govern', null, function* (books): FlowBody<Either<ResponseCode, void>> {
      const before = yield* books.settings()
      if (problemWith(settings) !== undefined || settings.onIdentical !== before.onIdentical)
        return refuse('INVALID_TRANSACTION_BODY')
      yield* books.network.put(books.io, theNetwork, { operator: io.me, settings })
      return right(undefined)
    })
    return { status: isLeft(set) ? set.left : 'SUCCESS' }
  },
})
