/**
 * The engine's answer to an operation: a value, an error to throw into the flow, or a wait.
 */
import type { CarillonError } from '../errors/CarillonError.js'
import type { Json } from '../encoding/canonical.js'
import type { Operation } from './Operation.js'

/** An answer the flow can go on with. `recorded` is what the record keeps of a value; states are kept as refs. */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown; readonly recorded: Json | undefined }
  | { readonly kind: 'error'; readonly error: CarillonError }

export type Wait =
  | { readonly kind: 'until'; readonly atMs: number }
  | { readonly kind: 'message'; readonly operation: Extract<Operation, { readonly kind: 'receive' | 'takeHistory' }> }
  | { readonly kind: 'step'; readonly operation: Extract<Operation, { readonly kind: 'step' }> }

export const valueAnswer = (value: unknown, recorded?: Json): Answer => ({ kind: 'value', value, recorded })
