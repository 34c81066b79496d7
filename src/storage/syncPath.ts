/**
 * Waits until what was written to a file, or what a folder lists, is on the disk.
 */
import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'

export const syncPath = (path: string): void => {
  const isFolder = statSync(path).isDirectory()
  // Windows keeps what a folder lists by itself, and refuses to be asked.
  if (isFolder && process.platform === 'win32') return
  const descriptor = openSync(path, isFolder ? 'r' : 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
