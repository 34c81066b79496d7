/**
 * Moves money between accounts of the registry's own small ledger. What leaves one account arrives in another.
 */
import { right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import type { Books } from './Books.js'
import type { AccountId } from './model/Origin.js'
import { refuse, type Refusal } from './model/Refusal.js'
import { treasury, type Account } from './model/Registry.js'

const account = function* (books: Books, id: AccountId): FlowBody<Account> {
  return (yield* books.accounts.get(books.io, id)) ?? { operator: books.io.me, id, free: 0 }
}

const add = function* (books: Books, id: AccountId, amount: number): FlowBody<void> {
  const before = yield* account(books, id)
  yield* books.accounts.put(books.io, id, { ...before, free: before.free + amount })
}

/** Gives an account money that was not there before: root's privilege, which the contract checks. */
export const endow = add

export const canPay = function* (books: Books, id: AccountId, amount: number): FlowBody<boolean> {
  return (yield* account(books, id)).free >= amount
}

export const transfer = function* (
  books: Books,
  from: AccountId,
  to: AccountId,
  amount: number,
): FlowBody<Either<Refusal, void>> {
  if (!(yield* canPay(books, from, amount))) return refuse('InsufficientBalance')
  if (amount === 0) return right(undefined)
  yield* add(books, from, -amount)
  yield* add(books, to, amount)
  return right(undefined)
}

/** Takes a fee. */
export const charge = (books: Books, from: AccountId, fee: number): FlowBody<Either<Refusal, void>> =>
  transfer(books, from, treasury, fee)
