/**
 * The tick that is being decided, as the engine uses it: deciders read it, the engine alone records facts in it and holds
 * back what may only happen once they are durable.
 */
import type { Registry } from '../app/Registry.js'
import type { OperationReads } from '../app/Operation.js'
import type { Signing } from '../identity/Signing.js'
import type { DomainEvent } from '../log/events.js'
import type { OperatorReads } from '../operator/OperatorReads.js'
import type { MessageReads } from '../session/decideMessage.js'
import type { TickLimits } from './limits.js'
import type { RecentMoves } from './RecentMoves.js'
import type { Views } from './Views.js'

type Recording = {
  // First, so that a flow is found with its code, and not by its signature only.
  readonly registry: Registry
  readonly views: Views
  readonly limits: TickLimits
  /** Records a fact: applies it to the views and adds it to the tick. Refuses one too large for any tick. */
  readonly emit: (event: DomainEvent) => void
  /** Whether the tick has reached its size and what remains must wait for the next. */
  readonly isFull: () => boolean
  /** Whether a transaction was recorded in this tick. */
  readonly hasRecorded: () => boolean
  /** Activities that a recheck has moved since the node started. */
  readonly moves: RecentMoves
  /** Runs after the tick is durable; never when it is rolled back. */
  readonly release: (action: () => void) => void
}

export type ActiveTick = Recording & OperationReads & MessageReads & OperatorReads & Signing
