/**
 * Reads what {@link exportLog} writes, line by line. Nothing is taken that could not be written back to the very
 * same lines.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { HashC } from '../encoding/hash.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { CarillonError } from '../errors/CarillonError.js'
import { TickHeaderC, type EncodedTick } from '../log/Tick.js'
import { exportFirstLine, exportFormat } from './exportLog.js'

/** A tick and the line of the file its header stands on, counted from 1. */
export type ExportedTick = { readonly tick: EncodedTick; readonly line: number }

const ClosingC = t.strict({ hash: HashC, signature: t.string, tick: IntegerC })
const FirstLineC = t.strict({ carillon: t.literal('log'), format: IntegerC })

export const importInvalid = (line: number, why: string, cause?: unknown): CarillonError =>
  new CarillonError(
    'import-invalid',
    `Line ${line} of the export: ${why}. Nothing was imported; export the log again, or use an undamaged copy.`,
    { line },
    cause,
  )

const parse = <A>(codec: t.Decoder<unknown, A>, text: string, line: number, expected: string): A => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw importInvalid(line, `${expected} should stand here, but the line is not JSON`, error)
  }
  const decoded = decodeWith(codec, value)
  if (isLeft(decoded)) throw importInvalid(line, `${expected} should stand here: ${decoded.left.join('; ')}`)
  if (!isTextOf(text, decoded.right))
    throw importInvalid(line, `${expected} should stand here and nothing else, in canonical form`)
  return decoded.right
}

/** Whether a text is the canonical text of a value. Some values, as half of a surrogate pair, have none. */
const isTextOf = (text: string, value: unknown): boolean => {
  try {
    return canonicalText(value) === text
  } catch {
    return false
  }
}

const checkFirstLine = (text: string): void => {
  if (text === exportFirstLine) return
  const { format } = parse(FirstLineC, text, 1, 'the line that names an exported log')
  if (format > exportFormat) {
    throw new CarillonError(
      'log-too-new',
      `The export is in format ${format}, written by a newer version of Carillon; this version reads up to ${exportFormat}. Run the newer version.`,
      { format },
    )
  }
  throw new CarillonError(
    'log-too-old',
    `The export is in format ${format}, from before the first release, whose ticks are not signed. It cannot be read any more, and nothing was imported.`,
    { format },
  )
}

/** The ticks of an export, one after the other. Only the form is checked; whether the log is sound is not. */
export async function* readExport(lines: AsyncIterable<string>): AsyncGenerator<ExportedTick> {
  let line = 0
  let blank = false
  let header: (t.TypeOf<typeof TickHeaderC> & { readonly line: number }) | undefined
  let events: string[] = []
  for await (const text of lines) {
    line += 1
    if (blank) throw importInvalid(line - 1, 'an empty line stands before the end')
    if (line === 1) {
      checkFirstLine(text)
    } else if (header === undefined) {
      // A line break at the very end of the file leaves one empty line.
      if (text === '') {
        blank = true
        continue
      }
      header = { ...parse(TickHeaderC, text, line, 'the header of a tick'), line }
      if (header.count < 1) throw importInvalid(line, `tick ${header.tick} has ${header.count} events`)
    } else if (text === '') {
      throw importInvalid(line, `an empty line stands within tick ${header.tick}`)
    } else if (events.length < header.count) {
      events.push(text)
    } else {
      const { hash, signature, tick: number } = parse(ClosingC, text, line, `the hash of tick ${header.tick}`)
      const tick = { number, firstRevision: header.revision, at: header.at, events, hash, signature }
      if (number !== header.tick) throw importInvalid(line, `the hash of tick ${header.tick} should stand here`)
      yield { tick, line: header.line }
      header = undefined
      events = []
    }
  }
  if (line === 0) throw importInvalid(1, 'the file is empty')
  if (header !== undefined)
    throw importInvalid(line + 1, `the file ends in the middle of tick ${header.tick}; it was cut off`)
}
