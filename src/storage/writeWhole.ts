/**
 * Writes a file whole or not at all, whenever the power goes: a reader sees what was there before or what is there now.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'

export const writeWhole = (file: string, text: string, mode: number): void => {
  const draft = `${file}.draft`
  // Whatever lies there is no file of ours that is open: it may be a link of somebody who wants to read along.
  rmSync(draft, { force: true })
  const handle = openSync(draft, 'wx', mode)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
}
