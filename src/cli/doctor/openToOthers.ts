/**
 * Whether other users of this machine may open a file or enter a folder, as its mode says; on Windows it says nothing.
 */
import { existsSync, statSync } from 'node:fs'

const anyoneElse = 0o077

export const openToOthers = (path: string): boolean =>
  process.platform !== 'win32' && existsSync(path) && (statSync(path).mode & anyoneElse) !== 0
