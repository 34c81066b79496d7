/**
 * Accounts: transfer between them, create them, change their keys, delete them. Balances never go below nothing.
 */
import * as t from 'io-ts'
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { IntegerC, type FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import type { Account } from '../model/Account.js'
import { AccountIDC, entityOf, type AccountID } from '../model/EntityId.js'
import { isKey, KeyTreeC } from '../model/KeyTree.js'
import { needs } from '../model/Needs.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import { AccountAmountC } from '../model/TransactionRecord.js'
import { defineOperation } from './Operation.js'

const livingAccount = function* (books: Books, id: AccountID): FlowBody<Either<ResponseCode, Account>> {
  const account = yield* books.account(id)
  if (account === undefined) return refuse('INVALID_ACCOUNT_ID')
  return account.deleted ? refuse('ACCOUNT_DELETED') : right(account)
}

const TransferC = t.readonly(t.strict({ transfers: t.readonlyArray(AccountAmountC) }))

export const cryptoTransfer = defineOperation({
  kind: 'cryptoTransfer',
  example: {
    transfers: [
      { accountID: '0.0.1001', amount: -10 },
      { accountID: '0.0.2', amount: 10 },
    ],
  },
  asked: TransferC,
  check: ({ transfers }) => {
    if (new Set(transfers.map(({ accountID }) => accountID)).size < transfers.length)
      return refuse('ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS')
    // In whole numbers without end: a sum of many large amounts is no safe integer any more.
    return transfers.reduce((sum, { amount }) => sum + BigInt(amount), 0n) === 0n
      ? right(undefined)
      : refuse('INVALID_ACCOUNT_AMOUNTS')
  },
  needs: ({ transfers }) =>
    needs({
      accounts: transfers.filter(({ amount }) => amount < 0).map(({ accountID }) => accountID),
      receivers: transfers.filter(({ amount }) => amount >= 0).map(({ accountID }) => accountID),
    }),
  *perform(books, { transfers }, { settings }) {
    if (transfers.length > settings.maxTransfers) return refuse('TRANSFER_LIST_SIZE_LIMIT_EXCEEDED')
    for (const { accountID, amount } of transfers) {
      const account = yield* livingAccount(books, accountID)
      if (isLeft(account)) return account
      const balance = account.right.balance + amount
      if (balance < 0) return refuse('INSUFFICIENT_ACCOUNT_BALANCE')
      yield* books.setAccount({ ...account.right, balance })
    }
    return right({})
  },
})

export const cryptoCreateAccount = defineOperation({
  kind: 'cryptoCreateAccount',
  example: { key: 'ed25519:…', initialBalance: 1_000, receiverSigRequired: false },
  asked: t.readonly(
    t.intersection([
      t.strict({ key: KeyTreeC }),
      t.exact(t.partial({ initialBalance: IntegerC, receiverSigRequired: t.boolean })),
    ]),
  ),
  check: ({ key, initialBalance = 0 }) => {
    if (!isKey(key)) return refuse('BAD_ENCODING')
    return initialBalance < 0 ? refuse('INVALID_INITIAL_BALANCE') : right(undefined)
  },
  needs: ({ key, receiverSigRequired = false }) => needs({ keys: receiverSigRequired ? [key] : [] }),
  *perform(books, { key, initialBalance = 0, receiverSigRequired = false }, { payer }) {
    const paying = yield* livingAccount(books, payer)
    if (isLeft(paying)) return paying
    if (paying.right.balance < initialBalance) return refuse('INSUFFICIENT_PAYER_BALANCE')
    yield* books.setAccount({ ...paying.right, balance: paying.right.balance - initialBalance })
    const consensus = yield* books.consensus()
    const accountID = entityOf(consensus.nextEntity)
    yield* books.setConsensus({ ...consensus, nextEntity: consensus.nextEntity + 1 })
    yield* books.setAccount({
      operator: books.io.me,
      accountID,
      key,
      balance: initialBalance,
      receiverSigRequired,
      deleted: false,
    })
    return right({ accountID })
  },
})

/** Keys rotate: the old key must agree, and the new one must show that it is there. */
export const cryptoUpdateAccount = defineOperation({
  kind: 'cryptoUpdateAccount',
  example: { accountID: '0.0.1001', key: 'ed25519:…', receiverSigRequired: true },
  asked: t.readonly(
    t.intersection([
      t.strict({ accountID: AccountIDC }),
      t.exact(t.partial({ key: KeyTreeC, receiverSigRequired: t.boolean })),
    ]),
  ),
  check: ({ key }) => (key !== undefined && !isKey(key) ? refuse('BAD_ENCODING') : right(undefined)),
  needs: ({ accountID, key }) => needs({ accounts: [accountID], keys: key === undefined ? [] : [key] }),
  *perform(books, { accountID, key, receiverSigRequired }) {
    const account = yield* livingAccount(books, accountID)
    if (isLeft(account)) return account
    yield* books.setAccount({
      ...account.right,
      key: key ?? account.right.key,
      receiverSigRequired: receiverSigRequired ?? account.right.receiverSigRequired,
    })
    return right({})
  },
})

/** What an account leaves goes to another one. Its key stays known. */
export const cryptoDelete = defineOperation({
  kind: 'cryptoDelete',
  example: { deleteAccountID: '0.0.1001', transferAccountID: '0.0.2' },
  asked: t.readonly(t.strict({ deleteAccountID: AccountIDC, transferAccountID: AccountIDC })),
  check: ({ deleteAccountID, transferAccountID }) =>
    deleteAccountID === transferAccountID ? refuse('TRANSFER_ACCOUNT_SAME_AS_DELETE_ACCOUNT') : right(undefined),
  needs: ({ deleteAccountID, transferAccountID }) =>
    needs({ accounts: [deleteAccountID], receivers: [transferAccountID] }),
  *perform(books, { deleteAccountID, transferAccountID }) {
    const leaving = yield* livingAccount(books, deleteAccountID)
    if (isLeft(leaving)) return leaving
    const heir = yield* livingAccount(books, transferAccountID)
    if (isLeft(heir)) return heir
    yield* books.setAccount({ ...heir.right, balance: heir.right.balance + leaving.right.balance })
    yield* books.setAccount({ ...leaving.right, balance: 0, deleted: true })
    return right({})
  },
})
