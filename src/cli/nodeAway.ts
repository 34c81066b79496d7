/**
 * A node that goes away while someone follows or watches it: told once, and waited for, because it usually comes back.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { Terminal } from './Terminal.js'
import { printNote } from './print.js'

/** What passes by itself while a node stops and starts. */
const passing: ReadonlySet<string> = new Set([
  'node-not-running',
  'node-stopped',
  'address-unavailable',
  'store-locked',
])

export const isNodeAway = (error: unknown): boolean => error instanceof CarillonError && passing.has(error.code)

export const tellNodeAway = (terminal: Terminal): void =>
  printNote(terminal, 'The node went away. Looking for it again; Ctrl-C ends this.')
