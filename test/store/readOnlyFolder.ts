/**
 * Ways to make a folder and all in it read-only, as far as this machine and this user can. Permissions do not bind
 * root, but a read-only mount does.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes the folder read-only and gives back how to undo it. */
type Lock = (folder: string) => () => void

const mount = (...args: readonly string[]): void => {
  execFileSync('mount', args, { stdio: 'ignore' })
}

const byMount: Lock = (folder) => {
  mount('--bind', folder, folder)
  mount('-o', 'remount,bind,ro', folder)
  return () => {
    execFileSync('umount', [folder], { stdio: 'ignore' })
  }
}

const byPermission: Lock = (folder) => {
  const files = readdirSync(folder).map((name) => join(folder, name))
  for (const file of files) chmodSync(file, 0o400)
  chmodSync(folder, 0o500)
  return () => {
    chmodSync(folder, 0o700)
    for (const file of files) chmodSync(file, 0o600)
  }
}

const works = (lock: Lock): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-read-only-'))
  let unlock: () => void = () => undefined
  try {
    unlock = lock(folder)
    writeFileSync(join(folder, 'file'), 'still writable')
    return false
  } catch (error) {
    return ['EROFS', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code))
  } finally {
    unlock()
    rmSync(folder, { recursive: true })
  }
}

export const waysToLock: readonly { readonly name: string; readonly lock: Lock }[] = [
  { name: 'its mount', lock: byMount },
  { name: 'its permissions', lock: byPermission },
].filter(({ lock }) => works(lock))
