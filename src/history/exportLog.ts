/**
 * Writes a log as lines of JSON. What was hashed is written as it stands, so the running hash can be checked in
 * any language, and the same log always gives the same file.
 */
import { canonicalText } from '../encoding/canonical.js'
import { headerLine, type EncodedTick } from '../log/Tick.js'

/** Counts up when the form of the lines changes. */
export const exportFormat = 2

/** The line every export begins with. */
export const exportFirstLine = canonicalText({ carillon: 'log', format: exportFormat })

/** The line that closes a tick: its number, the running hash after it, and its signature. */
const closingLine = ({ hash, number, signature }: EncodedTick): string =>
  canonicalText({ hash, signature, tick: number })

/**
 * Exports a log: a line that names the format; then for each tick its header, its events, and its running hash with the signature.
 * `write` gets each line without a line break. Returns the number of events.
 */
export const exportLog = async (
  ticks: AsyncIterable<EncodedTick>,
  write: (line: string) => Promise<void> | void,
  onProgress?: (events: number) => void,
): Promise<number> => {
  let events = 0
  await write(exportFirstLine)
  for await (const tick of ticks) {
    await write(headerLine(tick))
    for (const line of tick.events) await write(line)
    await write(closingLine(tick))
    events += tick.events.length
    onProgress?.(events)
  }
  return events
}
