/**
 * What a node has to say while it runs, as lines on stderr for people.
 */
import type { Logger } from '../engine/Logger.js'
import { printable, type Terminal } from './Terminal.js'
import { printNote } from './print.js'

export const terminalLogger = (terminal: Terminal): Logger => ({
  info: (message) => printNote(terminal, printable(message)),
  warn: (message) => terminal.err(`${terminal.tone('yellow', 'warning')}: ${printable(message)}`),
  error: (message) => terminal.err(`${terminal.tone('red', 'error')}: ${printable(message)}`),
})
