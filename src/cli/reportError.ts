/**
 * How an error is told: its code, its message, and the command that says more. A program that asked for JSON
 * and has no other answer finds the same on stdout, as a document.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { printable, type Terminal } from './Terminal.js'
import { explainCommand } from './errorPage.js'
import { printJson, printNote } from './print.js'

/** The calls of a stack, without the message before them, which may have several lines. */
const callsOf = (error: unknown): readonly string[] =>
  error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : []

/** Calls in code of the app: those of a compiler that has refused it say nothing of it. */
const isOfApp = (call: string): boolean => !/node_modules|\(?node:/.test(call)

export const reportError = (terminal: Terminal, error: unknown, asDocument = false): void => {
  const code = error instanceof CarillonError ? error.code : 'invariant-broken'
  const message = messageOf(error).replace(/\s*\n\s*/g, ' ')
  // A code with a slash is the app's own, and so is what it means.
  const explain = code.includes('/') ? undefined : explainCommand(code)
  const details = error instanceof CarillonError ? error.details : undefined
  printJson(terminal, asDocument, { error: { code, message, details, explain } })
  terminal.err(`${terminal.tone('red', `error[${code}]`)}: ${printable(message)}`)
  // Where app code or Carillon itself broke, the developer needs to see the place.
  const calls =
    error instanceof CarillonError
      ? code === 'app-not-loadable'
        ? callsOf(error.cause).filter(isOfApp)
        : []
      : callsOf(error)
  if (calls.length > 0) printNote(terminal, calls.slice(0, 7).map(printable).join('\n'))
  if (explain !== undefined) printNote(terminal, `What to do: ${explain}`)
}
