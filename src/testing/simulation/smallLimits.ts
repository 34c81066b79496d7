/**
 * Limits for one history, made small by its seed, so that every boundary is met in ordinary histories: full ticks, second
 * portions, rows that are evicted, messages that wait for room.
 */
import type { GivenLimits } from '../../node/NodeLimits.js'
import type { Chance } from './Chance.js'

/** Small values of each limit; one in three histories keeps the default. */
const choices = {
  agenda: { startAttempts: [1, 2, 3] },
  engine: {
    tickBytes: [1, 2_048, 8_192],
    idleTickBytes: [1, 1_024, 4_096],
    inputsPerTick: [1, 2, 3],
    activitiesPerTick: [1, 2, 3],
    dueAtATime: [1, 2],
    reassessedPerTick: [1, 2],
    wakesPerTick: [1, 2, 3],
    operationsPerTurn: [1, 2, 5],
    turnBytes: [1, 500],
    liveFlows: [1, 2],
    stepsInFlight: [1, 2],
  },
  session: {
    sessionsPerParty: [25],
    unreadMessages: [5, 20],
    unreadBytes: [20_000],
    unreadBytesPerParty: [30_000],
    unacknowledged: [1, 4],
    unacknowledgedPerParty: [1, 3],
    unacknowledgedBytesPerParty: [1, 2_000],
    unacknowledgedAtLeast: [1],
  },
  storage: {
    dueReadAhead: [1, 2, 8],
    rowsKept: [1, 2, 8],
    rowsKeptAhead: [1, 8],
    sentKept: [1, 4],
    unindexedKeys: [1, 3, 16],
    foldedBytesPerCommit: [1, 4_096],
  },
} as const satisfies {
  readonly [Room in keyof GivenLimits]: Readonly<
    Partial<Record<keyof NonNullable<GivenLimits[Room]>, readonly number[]>>
  >
}

/** The limits of one history. */
export const smallLimits = (chance: Chance): GivenLimits =>
  Object.fromEntries(
    Object.entries(choices).map(([room, limits]) => [
      room,
      Object.fromEntries(
        Object.entries(limits).flatMap(([limit, values]: [string, readonly number[]]) =>
          chance.oneIn(3) ? [] : [[limit, chance.pick(values)]],
        ),
      ),
    ]),
  )
