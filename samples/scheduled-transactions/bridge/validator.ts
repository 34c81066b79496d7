/**
 * A validator of the bridge, on a node of its own: it sees a deposit on the other chain and asks the network to release
 * as much to the user. It keeps at it until the network has taken its word, over restarts of either.
 */
import * as t from 'io-ts'
import {
  defineApp,
  defineFlow,
  IntegerC,
  PartyC,
  type App,
  type FlowBody,
  type FlowDefinition,
  type Json,
} from 'carillon'
import type { KeyPair } from 'carillon/keys'
import { signIdentity, usualSpan, Wallet } from '../client/Wallet.js'
import { Send } from '../gate.js'
import { AccountIDC, LedgerIDC, type AccountID } from '../model/EntityId.js'
import type { Identity } from '../model/Identity.js'
import { plain } from '../model/plain.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { timestampOf, type Timestamp } from '../model/Timestamp.js'
import type { ScheduleCreate } from '../model/TransactionBody.js'
import type { Response } from '../model/TransactionRecord.js'

const ReleaseC = t.readonly(
  t.strict({
    /** Money that a user has locked on the other chain, and when. */
    deposit: t.readonly(t.strict({ to: AccountIDC, amount: IntegerC, timestamp: IntegerC })),
    /** The network's party. */
    network: PartyC,
    /** The account the bridge pays from; its key is a threshold of the validators' keys. */
    bridge: AccountIDC,
    /** The network whose ledger the bridge is on. */
    ledgerID: LedgerIDC,
    /** The validator's own account, which pays for what it sends. */
    account: AccountIDC,
  }),
  'Release',
)
type Release = t.TypeOf<typeof ReleaseC>
export type Deposit = Release['deposit']

/**
 * "Validators of the bridge will create Scheduled Transactions for releasing assets to users by populating the
 * timestamp of the ETH transaction in the nonce": two equal deposits are two releases, and one deposit is one.
 */
const releaseOf = ({ to, amount, timestamp }: Deposit, bridge: AccountID): string => {
  const transfers = [
    { accountID: bridge, amount: -amount },
    { accountID: to, amount },
  ]
  return transactionBody({ kind: 'cryptoTransfer', transfers }, { nonce: timestamp })
}

const signRelease = ({ deposit, bridge, account, ledgerID }: Release, key: KeyPair, now: Timestamp): Json => {
  const body = releaseOf(deposit, bridge)
  // All validators name the same payer, or their creates would not be identical.
  const identity: Identity = { transactionBody: body, payer: bridge, adminKey: null, memo: '' }
  const sigMap = [signIdentity(ledgerID, key, identity, usualSpan(now))]
  const create: ScheduleCreate = { kind: 'scheduleCreate', transactionBody: body, payer: bridge, sigMap }
  return plain(new Wallet(ledgerID, account, [key]).transaction(create, now))
}

/** What may be different the next time: a message may take a day, and a transaction is valid for minutes. */
const mayPass = new Set(['BUSY', 'TRANSACTION_EXPIRED'])

export const validatorWith = (
  key: KeyPair,
): { readonly app: App; readonly Release: FlowDefinition<Release, Response> } => {
  const flow = defineFlow({
    name: 'bridge/Release',
    input: ReleaseC,
    *run(io, release): FlowBody<Response> {
      for (;;) {
        const now = timestampOf(yield* io.now())
        // The key is no part of the flow's record; what it has signed is.
        const signed = yield* io.step('sign', () => signRelease(release, key, now))
        const response = yield* io.subFlow(Send, { network: release.network, signed })
        if (!mayPass.has(response.status)) return response
        yield* io.sleep({ seconds: 30 })
      }
    },
  })
  return {
    app: defineApp({ name: 'bridge-validator', version: '1.0.0', states: [], flows: [Send, flow] }),
    Release: flow,
  }
}
