/**
 * What a log says about itself: the version of its format, and the version of Carillon that writes it.
 */

/**
 * The version of the log format that is written. It counts up when kinds of events or optional fields are added; bytes,
 * hashes and signatures never change.
 */
export const logFormat = 3

/** The oldest version of the log format that can be read: all since the first release. */
export const oldestLogFormat = 2

/** The version of this package. A spec holds it to package.json. */
export const carillonVersion = '0.1.0'
