/**
 * What a flow may ask of its node. Every `yield*` in a flow hands one operation to the engine, which answers
 * it at once or suspends the flow until the answer is there.
 */
import type { Json } from '../encoding/canonical.js'
import type { Hash } from '../encoding/hash.js'
import type { Party } from '../identity/Party.js'
import type { Role } from '../session/Message.js'
import type { SessionId } from '../session/SessionId.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionBuilder } from '../ledger/TransactionBuilder.js'
import type { Instant } from '../time/Instant.js'
import type { VaultQuery } from '../vault/query/VaultQuery.js'
import type { LedgerOperation } from './LedgerOperation.js'
import type { RetryPolicy } from './RetryPolicy.js'

/** What a step is told about itself. */
export type StepContext = {
  /** The same for every try of this step, across restarts: hand it to the outside system. */
  readonly idempotencyKey: string
  /** 1 for the first try. */
  readonly attempt: number
  /** Aborted when the step has run out of time or its flow has ended: hand it to whatever can be cancelled. */
  readonly signal: AbortSignal
  /** Counts up whenever another process takes over the node: an outside system can refuse an older one. */
  readonly term: number
}

/** Which states of a kind a flow asks for. */
export type StateQuery = Omit<VaultQuery, 'type'>

/** As the engine gets it: with its limit. */
export type FlowStateQuery = StateQuery & { readonly limit: number }

/** What a flow may ask of its node; {@link FlowIo} makes them. */
export type Operation =
  | { readonly kind: 'load'; readonly definition: AnyStateDefinition; readonly ref: StateRef }
  | { readonly kind: 'find'; readonly definition: AnyStateDefinition; readonly key: string }
  | { readonly kind: 'query' | 'queryPage'; readonly definition: AnyStateDefinition; readonly query: FlowStateQuery }
  | { readonly kind: 'lock' | 'unlock'; readonly refs: readonly StateRef[] }
  | { readonly kind: 'kill'; readonly ref: StateRef }
  | { readonly kind: 'now' }
  | { readonly kind: 'newId' }
  | {
      readonly kind: 'step'
      readonly name: string
      readonly run: (context: StepContext) => unknown
      readonly retry: RetryPolicy
      /** What becomes of the flow when the last try has failed. */
      readonly thenPark: boolean
      readonly timeoutMs: number | undefined
    }
  | { readonly kind: 'sleep'; readonly durationMs: number }
  | { readonly kind: 'sleepUntil'; readonly until: Instant }
  | { readonly kind: 'finalise'; readonly draft: TransactionBuilder; readonly isShared: boolean }
  | LedgerOperation
  | { readonly kind: 'enter'; readonly flow: string; readonly input: Json }
  | { readonly kind: 'progress'; readonly label: string }
  | {
      readonly kind: 'initiate'
      readonly session: SessionId
      readonly nonce: Hash
      readonly party: Party
      readonly flow: string
      readonly version: number
    }
  | {
      readonly kind: 'send'
      readonly session: SessionId
      readonly role: Role
      readonly party: string
      readonly payload: string
    }
  | {
      readonly kind: 'receive'
      readonly session: SessionId
      readonly role: Role
      readonly party: string
      readonly seq: number
    }
  | { readonly kind: 'close'; readonly session: SessionId; readonly role: Role }
