/**
 * An IANA time zone by name, such as `Europe/London`. The offsets come from the host's zone data, which changes
 * over the years; whoever records an instant computed with a zone records the version of that data beside it.
 */
import { IANAZone } from 'luxon'
import * as t from 'io-ts'
import { CarillonError } from '../errors/CarillonError.js'

/** A time zone that is known here. */
export interface ZoneBrand {
  readonly Zone: unique symbol
}

/** The host is asked once about a name: it takes its time, and does not change its mind. Only good names are kept. */
const known = new Set<string>()

const isZone = (text: string): boolean => {
  if (known.has(text)) return true
  const isValid = IANAZone.isValidZone(text)
  if (isValid) known.add(text)
  return isValid
}

/** Codec of a time zone. */
export const ZoneC = t.brand(t.string, (text): text is t.Branded<string, ZoneBrand> => isZone(text), 'Zone')
/** An IANA time zone by name, such as `Europe/London`. */
export type Zone = t.TypeOf<typeof ZoneC>

/** A zone from its name, or `recurrence-invalid` when there is none of that name. */
export const zone = (name: string): Zone => {
  if (ZoneC.is(name)) return name
  throw new CarillonError(
    'recurrence-invalid',
    `"${name}" is not an IANA time zone. Write it as Europe/London or UTC.`,
    {
      zone: name,
    },
  )
}

/** Offsets that were asked for of late: schedules ask for the same instants again and again, and the host takes its time. */
const offsets = new Map<Zone, Map<number, number>>()
const offsetsKept = 1_000

/** Milliseconds by which the zone's wall clock is ahead of UTC at an instant. */
export const offsetMs = (of: Zone, atMs: number): number => {
  const asked = offsets.get(of) ?? new Map<number, number>()
  const answered = asked.get(atMs)
  if (answered !== undefined) return answered
  const offset = IANAZone.create(of).offset(atMs) * 60_000
  if (asked.size >= offsetsKept) asked.clear()
  offsets.set(of, asked.set(atMs, offset))
  return offset
}
