/**
 * A text for people as the log keeps it: of bounded length, and one that can be encoded.
 */
const longestLabel = 200

export const clipLabel = (text: string): string =>
  (text.length <= longestLabel ? text : `${text.slice(0, longestLabel - 1)}…`).toWellFormed()
