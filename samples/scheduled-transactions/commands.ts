/**
 * What a transaction on the ledger is for. It carries what was submitted, so that the signatures it relies on are
 * part of it and can be checked by anybody, at any time.
 */
import * as t from 'io-ts'
import { defineCommand } from 'carillon'
import { SubmittedC } from './model/TransactionBody.js'

const command = (name: string) =>
  defineCommand({
    type: `scheduled-transactions/${name}`,
    data: t.readonly(t.strict({ submitted: t.union([SubmittedC, t.null]) })),
  })

export const commands = {
  /** The operator's word: open the network, change its parameters. */
  govern: command('Govern'),
  create: command('Create'),
  sign: command('Sign'),
  delete: command('Delete'),
  /** Any other transaction. */
  submit: command('Submit'),
  /** A schedule has reached its expiration time. */
  expire: command('Expire'),
  /** A schedule that is history is forgotten by its identity. */
  clear: command('Clear'),
  /** A called flow has ended. */
  settle: command('Settle'),
  /** A question was asked, which takes its place in a bucket. */
  query: command('Query'),
} as const

export type Purpose = keyof typeof commands
export const purposes: readonly Purpose[] = [
  ...(['govern', 'create', 'sign', 'delete', 'submit', 'expire', 'clear', 'settle', 'query'] as const),
]
