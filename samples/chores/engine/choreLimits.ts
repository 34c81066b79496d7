/**
 * What a chore may ask for, and how what cannot be done is told apart from what can.
 */
export const choreLimits = {
  shortestSeconds: 1,
  /** A hundred years, in seconds. */
  longestSeconds: 36_525 * 86_400,
  /** Characters of an id or a name. */
  nameLength: 200,
  /** Characters that are kept of an error. */
  errorLength: 2_000,
  /** A conductor decides and returns. One that has not after so long has failed its run. */
  conductorSeconds: 3_600,
} as const

/** Why a span cannot be an interval or a timeout; undefined when it can. */
export const faultOfSeconds = (what: string, seconds: unknown): string | undefined =>
  Number.isSafeInteger(seconds) &&
  Number(seconds) >= choreLimits.shortestSeconds &&
  Number(seconds) <= choreLimits.longestSeconds
    ? undefined
    : `${what} is a whole number of seconds, at least 1 and at most ${choreLimits.longestSeconds} (100 years).`

/** Why a text cannot be an id or a name; undefined when it can. */
export const faultOfName = (what: string, text: unknown): string | undefined => {
  if (typeof text !== 'string' || text.trim() === '') return `${what} is not empty.`
  if (text.length > choreLimits.nameLength) return `${what} has at most ${choreLimits.nameLength} characters.`
  return text.isWellFormed() ? undefined : `${what} is not well-formed text.`
}

/** An error as it is kept: never empty, never longer than it may be. */
export const errorText = (text: unknown): string => {
  if (typeof text !== 'string' || text.trim() === '') return 'It did not say why.'
  const whole = text.toWellFormed()
  const { errorLength } = choreLimits
  return whole.length <= errorLength
    ? whole
    : `${whole.slice(0, errorLength).toWellFormed()}… (${whole.length} characters)`
}

/** What was thrown, in words, whatever it was: it may refuse even to be turned into text. */
export const thrownText = (thrown: unknown): string => {
  try {
    if (thrown instanceof Error)
      return errorText(thrown.message.trim() === '' ? `${thrown.name} without a message` : thrown.message)
    return errorText(String(thrown))
  } catch {
    return errorText(undefined)
  }
}
