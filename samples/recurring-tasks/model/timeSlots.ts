/**
 * Time as the seeds know it: Unix seconds, cut into slots of equal length. A slot is named by its first second.
 */
import { instantFromMillis, toMillis, type Instant } from 'carillon'
import type { Settings } from './Settings.js'

/** Seconds since 1970, UTC. */
export type UnixTime = number

export const unixTime = (at: Instant): UnixTime => Math.floor(toMillis(at) / 1_000)

export const instantOf = (time: UnixTime): Instant => instantFromMillis(time * 1_000)

/** "To do this we will simply subtract the extra time." */
export const slotOf = (time: UnixTime, { slotSeconds }: Settings): UnixTime => time - (time % slotSeconds)

export const isSlot = (time: UnixTime, { slotSeconds }: Settings): boolean => time % slotSeconds === 0

/** Whether a slot is kept open for what was missed. */
export const isReserved = (slot: UnixTime, { reservedEvery, slotSeconds }: Settings): boolean =>
  reservedEvery > 0 && (slot / slotSeconds) % reservedEvery === 0
