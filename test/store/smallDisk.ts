/**
 * Disks that really run full: a small file system of its own where one may be mounted, and a limit on the size of
 * files where the system can set one. The first makes SQLite report FULL, the second IOERR.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type SmallDisk = {
  readonly folder: string
  /** From now on nothing more fits. */
  readonly fill: () => void
  readonly free: () => void
  readonly remove: () => void
}

const quietly = (command: string, args: readonly string[]): void => {
  execFileSync(command, args, { stdio: 'ignore' })
}

const mounted = (): SmallDisk => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-disk-'))
  try {
    quietly('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder])
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'w')
      try {
        for (const size of [65_536, 4_096, 1]) {
          try {
            for (;;) writeSync(file, Buffer.alloc(size))
          } catch {
            // Full for pieces of this size; smaller ones may still fit.
          }
        }
      } finally {
        closeSync(file)
      }
    },
    free: () => {
      rmSync(filler, { force: true })
    },
    remove: () => {
      quietly('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}

const ignoreSignal = (): void => undefined

const limited = (): SmallDisk => {
  const setLimit = (bytes: string): void => {
    quietly('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`])
  }
  setLimit('unlimited')
  const folder = mkdtempSync(join(tmpdir(), 'carillon-disk-'))
  return {
    folder,
    fill: () => {
      // The kernel also sends a signal, which ends a process that does not listen to it.
      process.on('SIGXFSZ', ignoreSignal)
      setLimit('1')
    },
    free: () => {
      setLimit('unlimited')
      process.off('SIGXFSZ', ignoreSignal)
    },
    remove: () => {
      setLimit('unlimited')
      rmSync(folder, { recursive: true })
    },
  }
}

const works = (make: () => SmallDisk): boolean => {
  try {
    make().remove()
    return true
  } catch {
    return false
  }
}

/** The kinds of small disk this machine can make. */
export const smallDisks: readonly { readonly name: string; readonly make: () => SmallDisk }[] = [
  { name: 'a file system without space', make: mounted },
  { name: 'a limit on the size of files', make: limited },
].filter(({ make }) => works(make))
