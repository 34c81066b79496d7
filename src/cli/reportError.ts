/**
 * How an error is told: its code, its message, and the command that says more.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { printable, type Terminal } from './Terminal.js'
import { explainCommand } from './errorPage.js'
import { printNote } from './print.js'

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined)

export const reportError = (terminal: Terminal, error: unknown): void => {
  const code = error instanceof CarillonError ? error.code : 'invariant-broken'
  terminal.err(`${terminal.tone('red', `error[${code}]`)}: ${printable(messageOf(error))}`)
  // Where app code or Carillon itself broke, the developer needs to see the place.
  const broken = error instanceof CarillonError ? (code === 'app-not-loadable' ? error.cause : undefined) : error
  const stack = stackOf(broken)?.split('\n').slice(1, 8).map(printable).join('\n')
  if (stack !== undefined && stack !== '') printNote(terminal, stack)
  // A code with a slash is the app's own, and so is its page.
  if (!code.includes('/')) printNote(terminal, `What to do: ${explainCommand(code)}`)
}
