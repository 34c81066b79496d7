/**
 * Writes what a notary has seen consumed.
 */
import type { EventOf } from '../log/events.js'
import type { NotaryTables } from './NotaryTables.js'

export const evolveNotary = ({ spent }: NotaryTables, event: EventOf<'TransactionNotarised'>, revision: number): void =>
  spent.insert(event.id, event.inputs, event.caller, revision)
