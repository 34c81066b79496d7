/**
 * Writes a file whole or not at all, whenever the power goes: a reader sees what was there before or what is there now.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'

export const writeWhole = (file: string, text: string, mode: number): void => {
  const draft = `${file}.draft`
  const handle = openSync(draft, 'w', mode)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
}
