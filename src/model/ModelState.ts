/**
 * One state as the vault holds it: an output of one transaction, consumed at most once. States are never deleted, so
 * the past can be asked too.
 */
import type { Json } from '../encoding/canonical.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { IndexedValue } from '../ledger/IndexedValue.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { Instant } from '../time/Instant.js'
import type { ModelActivity } from './ModelActivity.js'
import type { ModelAttempt } from './ModelAttempt.js'

/** One state, its activity, and every attempt at it. */
export type ModelState = {
  readonly ref: StateRef
  /** Its number among all outputs of the log: log order, then output index. */
  readonly place: number
  readonly type: string
  readonly version: number
  readonly data: Json
  /** Whether the state concerns this party. Others are kept, and never scheduled. */
  readonly relevant: boolean
  readonly participants: readonly PublicKey[]
  /** What it is known by among the unconsumed states of its type that concern this party. */
  readonly key: string | undefined
  /** What it is found by beside its key. */
  readonly indexed: Readonly<Record<string, IndexedValue>> | undefined
  readonly recordedAt: Instant
  readonly fromRevision: number
  readonly consumed: { readonly by: TransactionId; readonly at: Instant; readonly revision: number } | undefined
  /** What was said of it before it was asked again, and until which revision that held. */
  readonly before: readonly {
    readonly untilRevision: number
    readonly relevant: boolean
    readonly key: string | undefined
  }[]
  readonly activity: ModelActivity
  readonly attempts: readonly ModelAttempt[]
}
