/**
 * One kind of operation: what tells two of them apart, how it is decided, and how its answer is read back from the record.
 * Each kind has a file of its own in `operations/` of the room it is about; `app/Operation.ts` lists them.
 */
import { refusalIn } from '../errors/Decision.js'
import type { Encodable, Json } from '../encoding/canonical.js'
import type { RecordedOperation } from '../log/events.js'
import type { Signing } from '../identity/Signing.js'
import type { Decided } from './Answer.js'
import type { FlowId } from '../log/FlowId.js'

/**
 * What tells two operations of a kind apart. The record keeps a digest of its canonical text, so it never changes for
 * an operation that a flow may have recorded. A member that is undefined counts as absent.
 */
export type Identity = Readonly<Record<string, Encodable | undefined>>

type Kind = { readonly kind: string }

type Behaviour<O extends Kind, R> = {
  readonly kind: O['kind']
  /** It only reads. After an error that may pass it is asked again, because it may get another answer. Default false. */
  readonly isRead?: boolean
  /** It records facts, which may be large. In a full tick it waits for the next one. Default false. */
  readonly statesFacts?: boolean
  /** It reads transactions from the log, which does not hold those of the current tick yet. Default false. */
  readonly readsLog?: boolean
  readonly identity: (operation: O) => Identity
  /** For people only. It is never compared, and can be reworded at any time. */
  readonly label: (operation: O) => string
  readonly decide: (reads: R, operation: O, flow: FlowId) => Decided
  /** The value it was answered with, from the record. Default: the recorded result. */
  readonly revive?: (reads: R, operation: O, recorded: RecordedOperation) => unknown
  /** About how many bytes its result takes in the record, where that may be many. Default 0. */
  readonly recordedBytes?: (operation: O, result: Json | undefined) => number
}

/** What the file of a kind declares. `R` is what it reads. Only a kind that `signs` can sign in the party's name. */
export type OperationSpec<O extends Kind, R> =
  (Behaviour<O, R> & { readonly signs?: false }) | (Behaviour<O, R & Signing> & { readonly signs: true })

/**
 * A kind as the engine uses it. Its functions are declared as methods, so that definitions of all kinds fit into one
 * map: it is looked up by the kind of the operation it is then given.
 */
export type OperationDefinition<O extends Kind, R> = {
  readonly kind: O['kind']
  readonly isRead: boolean
  readonly statesFacts: boolean
  readonly readsLog: boolean
  readonly signs: boolean
  identity(operation: O): Identity
  label(operation: O): string
  decide(reads: R & Signing, operation: O, flow: FlowId): Decided
  revive(reads: R & Signing, operation: O, recorded: RecordedOperation): unknown
  recordedBytes(operation: O, result: Json | undefined): number
}

const recordedResult = (_reads: unknown, _operation: unknown, { result }: RecordedOperation): unknown => result
const noBytes = (): number => 0

export const defineOperation = <O extends Kind, R>(spec: OperationSpec<O, R>): OperationDefinition<O, R> => ({
  kind: spec.kind,
  isRead: spec.isRead ?? false,
  statesFacts: spec.statesFacts ?? false,
  readsLog: spec.readsLog ?? false,
  signs: spec.signs ?? false,
  identity: spec.identity,
  label: spec.label,
  decide: (reads, operation, flow) => {
    try {
      return spec.decide(reads, operation, flow)
    } catch (error) {
      return { kind: 'error', error: refusalIn(error) }
    }
  },
  revive: spec.revive ?? recordedResult,
  recordedBytes: spec.recordedBytes ?? noBytes,
})
