/**
 * The engine's answer to an operation: a value, an error to throw into the flow, or a wait.
 */
import type { CarillonError } from '../errors/CarillonError.js'
import type { Json } from '../encoding/canonical.js'
import type { Role } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'

/** An answer the flow can go on with. `recorded` is what the record keeps of a value; states are kept as refs. */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown; readonly recorded: Json | undefined }
  | { readonly kind: 'error'; readonly error: CarillonError }

/** What a flow is suspended for: an instant, a message of a session, or the end of the step it asked for. */
export type Wait =
  | { readonly kind: 'until'; readonly atMs: number }
  | { readonly kind: 'message'; readonly session: SessionId; readonly role: Role; readonly seq: number }
  | { readonly kind: 'step' }

export const valueAnswer = (value: unknown, recorded?: Json): Answer => ({ kind: 'value', value, recorded })
