/**
 * The load of the sample: so many schedules pending at one time, with one to a hundred signers each, then signed to the
 * end or left to expire. Afterwards every schedule is accounted for exactly once.
 */
import { createHash } from 'node:crypto'
import { instant } from 'carillon'
import type { KeyPair } from 'carillon/keys'
import type { OpenStore } from 'carillon/logs'
import { keyPairFromSeed, VirtualNode } from 'carillon/testing'
import { scheduledTransactions } from '../../app.js'
import { ScheduleNetwork } from '../../client/ScheduleNetwork.js'
import { signIdentity, usualSpan, Wallet } from '../../client/Wallet.js'
import type { Identity } from '../../model/Identity.js'
import { keyList } from '../../model/KeyTree.js'
import { plain } from '../../../shared/plain.js'
import { transactionBody } from '../../model/ScheduledBody.js'
import { defaultSettings, treasury } from '../../model/Settings.js'
import { timestampOf } from '../../model/ids.js'
import type { Response } from '../../model/TransactionRecord.js'
import { PastSchedule } from '../../states.js'

export type LoadReport = {
  readonly schedules: number
  readonly signatures: number
  /** Schedules pending when the last was created. */
  readonly mostPending: number
  readonly executed: number
  readonly expired: number
  readonly moved: number
  readonly creatingMs: number
  readonly signingMs: number
  readonly expiringMs: number
}

/** How many must sign each schedule of an account. */
const signerCounts = [1, 2, 5, 10, 25, 50, 100]
/** One schedule in so many never gets its last signature. */
const abandoned = 10
const callers = 200

const keyNumber = (number: number): KeyPair =>
  keyPairFromSeed(createHash('sha256').update(`load ${number}`).digest('hex'))

const inGroups = async <A>(all: readonly A[], work: (one: A, index: number) => Promise<void>): Promise<void> => {
  for (let first = 0; first < all.length; first += callers)
    await Promise.all(all.slice(first, first + callers).map((one, index) => work(one, first + index)))
}

const must = (response: Response): Response => {
  if (response.status !== 'SUCCESS') throw new Error(`Refused: ${response.status}`)
  return response
}

export const runLoad = async (count: number, options: { readonly store?: OpenStore } = {}): Promise<LoadReport> => {
  const app = scheduledTransactions()
  const virtual = await VirtualNode.start({
    app: app.app,
    start: instant('2026-01-01T00:00Z'),
    development: false,
    ...(options.store === undefined ? {} : { store: options.store }),
  })
  const root = keyNumber(-1)
  // The load comes as fast as the node takes it, so the throttles are out of the way.
  const settings = { ...defaultSettings, buckets: {} }
  const network = await ScheduleNetwork.open(virtual.node, app, { key: root.publicKey, settings })
  let nanos = 0
  const bank = new Wallet(network.ledgerID, treasury, [root], () => nanos++)
  const now = () => timestampOf(virtual.now)
  const accounts: { readonly id: string; readonly keys: readonly KeyPair[] }[] = []
  for (const signers of signerCounts) {
    const keys = Array.from({ length: signers }, (_, number) => keyNumber(number))
    const key = keyList(...keys.map(({ publicKey }) => publicKey))
    const operation = plain({ kind: 'cryptoCreateAccount', key, initialBalance: 10_000_000 })
    const { receipt } = must(await network.submit(bank.transaction(operation, now())))
    accounts.push({ id: receipt?.accountID ?? '', keys })
  }

  type Pending = { readonly id: string; readonly identity: Identity; readonly keys: readonly KeyPair[] }
  const pending: Pending[] = []
  const begun = performance.now()
  await inGroups(Array.from({ length: count }), async (_, number) => {
    const { id, keys } = accounts[number % accounts.length] ?? { id: '', keys: [] }
    const transfers = [
      { accountID: id, amount: -1 },
      { accountID: treasury, amount: 1 },
    ]
    const body = transactionBody({ kind: 'cryptoTransfer', transfers }, { nonce: number })
    const identity: Identity = { transactionBody: body, payer: id, adminKey: null, memo: '' }
    const create = { kind: 'scheduleCreate', transactionBody: body, payer: id } as const
    const { receipt } = must(await network.create(bank.transaction(create, now())))
    pending.push({ id: receipt?.schedule ?? '', identity, keys })
  })
  const created = performance.now()
  const mostPending = pending.length

  let signatures = 0
  let moved = 0
  await inGroups(pending, async ({ id, identity, keys }, number) => {
    const mine = number % abandoned === 0 ? keys.slice(1) : keys
    // Two halves, so that most schedules are signed more than once.
    const half = Math.ceil(mine.length / 2)
    for (const part of [mine.slice(0, half), mine.slice(half)].filter(({ length }) => length > 0)) {
      const sigMap = part.map((key) => signIdentity(network.ledgerID, key, identity, usualSpan(now())))
      const sign = { kind: 'scheduleSign', scheduleID: id, sigMap } as const
      const { execution } = must(await network.sign(bank.transaction(sign, now())))
      signatures += part.length
      if (execution?.receipt.status === 'SUCCESS') moved += 1
    }
  })
  const signed = performance.now()
  await virtual.advanceBy({ seconds: 1_800 })
  const expiredMs = performance.now() - signed

  const ends = { executed: 0, deleted: 0, expired: 0 }
  let after: string | undefined = '0'
  while (after !== undefined) {
    const page: Awaited<ReturnType<typeof virtual.node.queryVault>> = await virtual.node.queryVault({
      type: PastSchedule.type,
      limit: 500,
      after,
    })
    after = page.next
    for (const { data } of page.items) {
      if (!PastSchedule.data.is(data)) throw new Error('A past schedule cannot be read.')
      ends[data.end.as] += 1
    }
  }
  await virtual.stop()
  return {
    schedules: count,
    signatures,
    mostPending,
    executed: ends.executed,
    expired: ends.expired,
    moved,
    creatingMs: created - begun,
    signingMs: signed - created,
    expiringMs: expiredMs,
  }
}
