/**
 * Where a command writes: results to stdout, everything else to stderr. Text from the ledger never reaches a
 * terminal raw, so that no state can move the cursor or recolour the screen.
 */
import { stripVTControlCharacters, styleText } from 'node:util'

export type TextTone = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export type Terminal = {
  /** Writes one line of the result. */
  readonly out: (line: string) => void
  /** Writes one line about the result: notes, warnings, errors. */
  readonly err: (line: string) => void
  /** Replaces the line at the foot of the screen; an empty text clears it. Nothing happens where nobody watches. */
  readonly status: (text: string) => void
  /** Shows lines in place of those shown before; where nobody watches, after them. What does not fit is left out. */
  readonly redraw: (lines: readonly string[]) => void
  /** The command has done its work and found a fault: it ends with exit code 1. */
  readonly fault: () => void
  /** Whether the result goes to a terminal, and not into a file, a pipe or a journal. Default false. */
  readonly isWatched?: boolean
  /** Columns of the result; without end when it is piped. */
  readonly width: number
  readonly tone: (tone: TextTone, text: string) => string
}

// Control characters, those that turn the direction of writing, and those that end a line.
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** Text that came from elsewhere, safe to show: what would act on a terminal is spelled out instead. */
export const printable = (text: string): string =>
  text.replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

type Environment = Readonly<Record<string, string | undefined>>

const widthOf = (stream: NodeJS.WriteStream, environment: Environment): number => {
  const columns = Number(environment['COLUMNS'])
  if (Number.isInteger(columns) && columns > 0) return columns
  return stream.isTTY ? stream.columns : Number.POSITIVE_INFINITY
}

export const processTerminal = (process: NodeJS.Process): Terminal => {
  const { stdout, stderr, env } = process
  const colours = stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  let footer = false
  const clearFooter = (): void => {
    if (footer) stderr.write('\r\u001b[K')
    footer = false
  }
  return {
    out: (line) => {
      clearFooter()
      stdout.write(`${line}\n`)
    },
    err: (line) => {
      clearFooter()
      // Colours are made for stdout; what is said beside it may go to a file.
      stderr.write(`${stderr.isTTY ? line : stripVTControlCharacters(line)}\n`)
    },
    status: (text) => {
      if (!stderr.isTTY) return
      clearFooter()
      if (text === '') return
      stderr.write(text.slice(0, stderr.columns - 1))
      footer = true
    },
    redraw: (lines) => {
      clearFooter()
      if (!stdout.isTTY) {
        stdout.write(`${lines.join('\n')}\n`)
        return
      }
      const shown = lines.slice(0, Math.max(1, stdout.rows - 1))
      // Each line is cleared to its end and then what is below: a screen that is wiped first would flicker.
      stdout.write(`\u001b[H${shown.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`)
    },
    fault: () => {
      process.exitCode = 1
    },
    isWatched: stdout.isTTY,
    width: widthOf(stdout, env),
    tone: (tone, text) => (colours ? styleText(tone, text, { validateStream: false }) : text),
  }
}
