/**
 * Waits until what was written to a file, or what a folder lists, is on the disk.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'

export const syncPath = (path: string): void => {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
