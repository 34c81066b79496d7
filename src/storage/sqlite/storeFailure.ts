/**
 * What went wrong with a store, in Carillon's words: SQLite and file system errors become typed ones.
 */
import { CarillonError, messageOf, NodeFault } from '../../errors/CarillonError.js'

/** SQLite's own result codes, which node:sqlite gives as numbers and better-sqlite3 as names. */
const codeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return ''
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown }
  const primary = typeof errcode === 'number' ? errcode & 0xff : undefined
  const named =
    primary === undefined
      ? undefined
      : {
          5: 'SQLITE_BUSY',
          8: 'SQLITE_READONLY',
          10: 'SQLITE_IOERR',
          11: 'SQLITE_CORRUPT',
          13: 'SQLITE_FULL',
          14: 'SQLITE_CANTOPEN',
          26: 'SQLITE_NOTADB',
        }[primary]
  return named ?? (typeof code === 'string' ? code : '')
}

export const storeFailure = (error: unknown, file = 'the store'): CarillonError => {
  if (error instanceof CarillonError) return error
  const code = codeOf(error)
  const because = messageOf(error)
  if (code.startsWith('SQLITE_FULL') || ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) {
    return new NodeFault(
      'disk-full',
      `There is no space left to write ${file}. Nothing was recorded. Make room: a node that still runs then goes on by itself, another one can be started. (${because})`,
      { file },
      error,
    )
  }
  if (
    code.startsWith('SQLITE_CORRUPT') ||
    code.startsWith('SQLITE_NOTADB') ||
    /^no such (table|column)|^table \S+ has no column named /.test(because)
  ) {
    return new NodeFault(
      'store-corrupt',
      `${file} is damaged or is not a Carillon store. Run "carillon log rebuild"; if it refuses, restore the store from a backup, or import an export made with "carillon log export". (${because})`,
      { file },
      error,
    )
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new NodeFault(
      'store-locked',
      `${file} is held by another process. Stop that process, or choose another store. (${because})`,
      { file },
      error,
    )
  }
  if (
    code.startsWith('SQLITE_READONLY') ||
    code.startsWith('SQLITE_CANTOPEN') ||
    ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(code)
  ) {
    return new NodeFault(
      'store-not-writable',
      `${file} cannot be written. Check that the folder exists and that this user may write to it. (${because})`,
      { file },
      error,
    )
  }
  if (code.includes('READ')) {
    return new NodeFault(
      'store-corrupt',
      `Reading ${file} failed: ${because}. The disk may be damaged; restore the store from a backup, or import an export made with "carillon log export".`,
      { file },
      error,
    )
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return new NodeFault(
      'disk-full',
      `Writing ${file} failed: ${because}. Nothing was recorded. Check the disk: a node that still runs then goes on by itself, another one can be started.`,
      { file },
      error,
    )
  }
  return new NodeFault('invariant-broken', `${file}: ${because}`, { file }, error)
}
