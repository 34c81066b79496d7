/**
 * Who acts, as the log is to remember it: `cli:` and the user of the operating system.
 */
import { userInfo } from 'node:os'
import { OperatorNameC, type OperatorName } from '../operator/OperatorRequest.js'
import { assertInvariant } from '../errors/CarillonError.js'

const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    // In a container the user id may have no name.
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}

export const operatorName = (): OperatorName => {
  const name = `cli:${
    userName()
      .replaceAll(/\p{Cc}/gu, '')
      .slice(0, 80) || 'unknown'
  }`
  assertInvariant(OperatorNameC.is(name), `"${name}" cannot name an operator`)
  return name
}
