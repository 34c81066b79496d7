/**
 * A file to write lines to, which appears whole or not at all, and never over another one.
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'

export type OutputFile = {
  readonly write: (line: string) => Promise<void> | void
  readonly close: () => Promise<void>
  /** Leaves nothing behind. */
  readonly discard: () => Promise<void>
}

/** Lines gathered before they are written, so that a short line does not cost a system call. */
const chunkLength = 64 * 1024

const toStdout = (): OutputFile => ({
  write: async (line) => {
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
  },
  close: () => Promise.resolve(),
  discard: () => Promise.resolve(),
})

const exists = (file: string): CarillonError =>
  new CarillonError('usage', `${file} exists already. Name a file that does not.`, { file })

export const openOutput = async (file: string): Promise<OutputFile> => {
  if (file === '-') return toStdout()
  if (existsSync(file)) throw exists(file)
  const unfinished = `${file}.partial`
  try {
    // What an interrupted export left behind is of no use to anyone.
    await rm(unfinished, { force: true })
    const handle = await open(unfinished, 'wx', 0o600)
    let gathered = ''
    const flush = async (): Promise<void> => {
      const text = gathered
      gathered = ''
      await handle.writeFile(text)
    }
    return {
      write: (line) => {
        gathered += `${line}\n`
        return gathered.length < chunkLength ? undefined : flush()
      },
      close: async () => {
        await flush()
        await handle.sync()
        await handle.close()
        // A link, unlike a rename, fails when someone has made the file meanwhile.
        await link(unfinished, file)
        await rm(unfinished)
      },
      discard: async () => {
        await handle.close()
        await rm(unfinished, { force: true })
      },
    }
  } catch (error) {
    const failure = storeFailure(error, file)
    throw failure.code === 'invariant-broken'
      ? new CarillonError('store-not-writable', `${file} cannot be written: ${messageOf(error)}.`, { file }, error)
      : failure
  }
}
