/**
 * An event as views take it: one that was decoded, or one that was made by its shape, in which what is opaque to the log
 * is still the canonical text it was. Every {@link DomainEvent} is one; not every one of these may be shown to an app.
 */
import type { Encoded, Json } from '../encoding/canonical.js'
import type { Activity } from '../ledger/Activity.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { Assessment } from '../ledger/Assessment.js'
import type { DomainEvent, TransactionRecorded } from './events.js'

/** A value that nobody looks into. */
type Opaque = Json | Encoded

type WithData<A> = Omit<A, 'data'> & { readonly data: Opaque }

type FoldableFlowRef = { readonly name: string; readonly input: Opaque }

type FoldableActivity = Omit<Activity, 'flow' | 'onMissed'> & {
  readonly flow: FoldableFlowRef
  readonly onMissed?: FoldableFlowRef
}

type FoldableBody = Omit<TransactionBody, 'outputs' | 'commands'> & {
  readonly outputs: readonly WithData<TransactionBody['outputs'][number]>[]
  readonly commands: readonly WithData<TransactionBody['commands'][number]>[]
}

export type FoldableAssessment = Omit<Assessment, 'activity'> & { readonly activity?: FoldableActivity }

export type FoldableTransaction = Omit<TransactionRecorded, 'body' | 'assessments'> & {
  readonly body: FoldableBody | Encoded
  readonly assessments: readonly FoldableAssessment[]
}

export type FoldableEvent = FoldableTransaction | Exclude<DomainEvent, TransactionRecorded>
