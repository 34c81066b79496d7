/**
 * The lines of a file. Only a line feed ends a line: exported events may hold other characters that some
 * readers take for line ends.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { logLimits } from '../log/limits.js'
import { LineReader } from '../folder/LineReader.js'

export async function* readLines(input: AsyncIterable<unknown>, name: string): AsyncGenerator<string> {
  const unreadable = (why: string, cause?: unknown): CarillonError =>
    new CarillonError('import-invalid', `${name} cannot be read: ${why}.`, { file: name }, cause)
  // An event and a little more; nothing an export holds is longer.
  const reader = new LineReader(
    2 * logLimits.factBytes,
    () => unreadable('it has a line longer than any event'),
    () => unreadable('it holds bytes that are not UTF-8'),
  )
  try {
    for await (const chunk of input) {
      if (!Buffer.isBuffer(chunk)) throw unreadable('it does not come as bytes')
      yield* reader.feed(chunk)
    }
  } catch (error) {
    throw error instanceof CarillonError ? error : unreadable(messageOf(error), error)
  }
  const last = reader.end()
  if (last !== '') yield last
}
