/**
 * The limits of a node: how much it does at once, how much it keeps in memory, and how long it waits. Each belongs to the
 * room it bounds. The bounds of data, which all members of a network share, are not among them.
 */
import { agendaLimits, type AgendaLimits } from '../agenda/limits.js'
import { backupLimits, type BackupLimits } from '../backup/limits.js'
import { engineLimits, type EngineLimits } from '../engine/limits.js'
import { CarillonError } from '../errors/CarillonError.js'
import { limitsOf } from '../limits.js'
import { projectionLimits, type ProjectionLimits } from '../projection/limits.js'
import { sessionLimits, type SessionLimits } from '../session/limits.js'
import { storageLimits, type StorageLimits } from '../storage/limits.js'
import { transportLimits, type TransportLimits } from '../transport/limits.js'

/** The limits that a node goes by, room by room. */
export type NodeLimits = {
  /** Attempts to start what is due. */
  readonly agenda: AgendaLimits
  /** Sessions with other parties. */
  readonly session: SessionLimits
  /** Ticks, the flows in them, and the waits between them. */
  readonly engine: EngineLimits
  /** What the storage holds in memory and does at once. */
  readonly storage: StorageLimits
  /** Checkpoints of the log at other parties. */
  readonly backup: BackupLimits
  /** Connections with other parties. */
  readonly transport: TransportLimits
  /** Projections, and the waits for their stores. */
  readonly projection: ProjectionLimits
}

/** Limits that differ from their defaults, room by room. */
export type GivenLimits = { readonly [Room in keyof NodeLimits]?: Partial<NodeLimits[Room]> }

const defaults: NodeLimits = {
  agenda: agendaLimits,
  session: sessionLimits,
  engine: engineLimits,
  storage: storageLimits,
  backup: backupLimits,
  transport: transportLimits,
  projection: projectionLimits,
}

/** All limits of a node: those that were given, and the defaults for the rest. */
export const nodeLimitsOf = (given: GivenLimits = {}): NodeLimits => {
  for (const room of Object.keys(given))
    if (!Object.hasOwn(defaults, room))
      throw new CarillonError(
        'definition-invalid',
        `There are no limits of ${room}. Limits are given for ${Object.keys(defaults).join(', ')}.`,
        { room },
      )
  return {
    agenda: limitsOf('agenda', agendaLimits, given.agenda),
    session: limitsOf('session', sessionLimits, given.session),
    engine: limitsOf('engine', engineLimits, given.engine),
    storage: limitsOf('storage', storageLimits, given.storage),
    backup: limitsOf('backup', backupLimits, given.backup),
    transport: limitsOf('transport', transportLimits, given.transport),
    projection: limitsOf('projection', projectionLimits, given.projection),
  }
}
