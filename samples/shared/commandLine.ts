/**
 * What the commands of the samples have in common: numbers in options, when to stop, and errors in a sentence.
 */
import { CarillonError } from 'carillon'

/** A whole number from an option of the command line. */
export const wholeNumber = (option: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number => {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
  throw new RangeError(`${option} takes a whole number ${range}, not ${text}`)
}

/** Resolves at Ctrl-C, at `kill`, when nobody reads any more, or when told. A second Ctrl-C waits for nothing. */
export const untilTold = (): { readonly told: Promise<void>; readonly tell: () => void } => {
  let tell: () => void = () => undefined
  const told = new Promise<void>((resolve) => {
    tell = resolve
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, tell)
  process.stdout.on('error', tell)
  return { told, tell }
}

/** Runs a command. What its user has done wrong is said in a sentence, and only a defect in a stack. */
export const runCommand = async (command: () => Promise<void>): Promise<void> => {
  try {
    await command()
  } catch (error) {
    if (!(error instanceof CarillonError || error instanceof RangeError || error instanceof TypeError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

const shellWord = /^[\w./-]+$/

/** A word as a shell takes it. */
export const quoted = (word: string): string => (shellWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
