/**
 * What an administrator may set about a chore. It is part of the scheduler's state, so it survives with it.
 */
import * as t from 'io-ts'
import { IntegerC } from 'carillon'

export const ChoreConfigC = t.readonly(
  t.strict({
    /** Whether the scheduler should fire. */
    enabled: t.boolean,
    /** Enabled, but held back until it is resumed. */
    paused: t.boolean,
    /** How often the scheduler fires. */
    intervalSeconds: IntegerC,
    /** The upper end of a random interval; none, or one that is not above the interval, means no randomness. */
    maxIntervalSeconds: t.union([IntegerC, t.null]),
    /** How long a task may run before it counts as dead. */
    taskTimeoutSeconds: IntegerC,
    countFrom: t.keyof({ fire: null, due: null }),
  }),
  'ChoreConfig',
)
export type ChoreConfig = t.TypeOf<typeof ChoreConfigC>

/** The chore's life as people name it. */
export type Lifecycle = 'Stopped' | 'Running' | 'Paused'

export const lifecycleOf = ({ enabled, paused }: ChoreConfig): Lifecycle =>
  enabled ? (paused ? 'Paused' : 'Running') : 'Stopped'
