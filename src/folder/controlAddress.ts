/**
 * Where a node's control socket lies: in its store folder, or, when that path is too long for a socket, in a
 * private folder under the system's temporary one whose name is written in the store folder. On Windows, where a socket is no
 * file, it is a named pipe whose name follows from the folder.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { storeFiles } from './StoreFolder.js'

/** The shortest limit among the systems we know: macOS holds 104 bytes, the last of them a zero. */
const longestSocketPath = 103

/** Undefined where sockets are files. */
export const pipeOf = (folder: string, platform: NodeJS.Platform = process.platform): string | undefined =>
  platform === 'win32'
    ? `\\\\.\\pipe\\carillon-${createHash('sha256').update(resolve(folder).toLowerCase()).digest('hex').slice(0, 32)}`
    : undefined

const addressFile = (folder: string): string => join(folder, 'control.path')

const directPath = (folder: string): string | undefined => {
  const path = storeFiles(resolve(folder)).socket
  return Buffer.byteLength(path) <= longestSocketPath ? path : undefined
}

const writtenPath = (folder: string): string | undefined => {
  try {
    return readFileSync(addressFile(folder), 'utf8').trim()
  } catch {
    return undefined
  }
}

const withoutFailing = (remove: () => void): void => {
  try {
    remove()
  } catch {
    // It was not there, or is not ours to remove; listening will tell if it is in the way.
  }
}

/** The path to connect to; undefined when no node has left one. */
export const controlPath = (folder: string): string | undefined =>
  pipeOf(folder) ?? directPath(folder) ?? writtenPath(folder)

/**
 * Frees the address of what an earlier process left behind and gives the path to listen on. Only for the
 * process that holds the store's lock: whatever socket it finds there is nobody's.
 */
export const claimControlPath = (folder: string): string => {
  releaseControlPath(folder)
  const direct = pipeOf(folder) ?? directPath(folder)
  if (direct !== undefined) return direct
  const path = join(mkdtempSync(join(tmpdir(), 'carillon-')), 'control.sock')
  writeFileSync(addressFile(folder), `${path}\n`, { mode: 0o600 })
  return path
}

/** Removes the socket, and the private folder if it lay in one. */
export const releaseControlPath = (folder: string): void => {
  withoutFailing(() => {
    unlinkSync(storeFiles(folder).socket)
  })
  const written = writtenPath(folder)
  if (written === undefined) return
  withoutFailing(() => {
    unlinkSync(written)
  })
  // Only if it is empty: the file could have been edited, and then its folder may be anyone's.
  withoutFailing(() => {
    rmdirSync(dirname(written))
  })
  rmSync(addressFile(folder), { force: true })
}
