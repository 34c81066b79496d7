/**
 * The version of the host's time zone data, such as `2025c`. It is recorded with what was computed from it, so that
 * a change of a country's rules can be told from a change of mind.
 */
export const zoneDataVersion = (): string => process.versions['tz'] ?? 'unknown'
