/**
 * What every definition is held to: a name that stays readable in logs, links and command lines, and a version
 * that can be counted up.
 */
import { CarillonError } from '../errors/CarillonError.js'

const namePattern = /^[A-Za-z][\w.-]*(\/[A-Za-z][\w.-]*)*$/

/** Refuses names that would be awkward in logs, links and command lines. */
export const assertName = (kind: string, name: string): void => {
  if (!namePattern.test(name)) {
    throw new CarillonError(
      'definition-invalid',
      `"${name}" cannot name a ${kind}. Use letters, digits, dot, dash and underscore, with slashes between parts, as in heartbeat/Heartbeat.`,
      { name },
    )
  }
}

/** Refuses versions that cannot be recorded and counted up. */
export const assertVersion = (kind: string, name: string, version: number): void => {
  if (!Number.isSafeInteger(version) || version < 1)
    throw new CarillonError(
      'definition-invalid',
      `${kind} ${name} has version ${version}. Versions are whole numbers from 1.`,
      { name },
    )
}
