/**
 * What other users of the machine have laid into a store folder, where they could write into it. Files that every start makes
 * anew are removed: nobody else's lock keeps a node from starting, and nobody else's token lets its maker in. Files that
 * hold the store are never removed, and never used either.
 */
import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

/** What SQLite lays beside a database. */
const withSides = (database: string): readonly string[] =>
  ['', '-wal', '-shm', '-journal'].map((ending) => `${database}${ending}`)

/** Made by every start, or again when they are not there. */
export const foreignRemoved: readonly string[] = [
  ...withSides('lock.db'),
  'holder.json',
  'control.sock',
  'control.path',
  'http.token',
  'http.ended',
  'virtual-time',
  'not-returned.json',
  'not-returned.json.noted',
  'carillon-pages.sum',
  'carillon-position.json',
  ...withSides('projections.db'),
  ...withSides('carillon.db.rebuilding'),
  ...withSides('carillon.db.importing'),
]
/** The store, the key, and whom the node trusts. */
export const foreignRefused: readonly string[] = [
  ...withSides('carillon.db'),
  'node.key',
  'node-next.key',
  'node-retired.key',
  'node.secret',
  'key-change.json',
  'log.json',
  'network.json',
  'root.pem',
  'certificate.pem',
]

const refuse = (file: string, uid: number, why: string): CarillonError =>
  new CarillonError(
    'store-not-writable',
    `${file} belongs to another user of this machine (number ${uid}) and is not used. ${why} Keep the store in a folder that no other user can write to.`,
    { file, uid },
  )

export const removeForeign = (folder: string): void => {
  const me = process.getuid?.()
  // Where files have no such owners.
  if (me === undefined) return
  const { uid: owner, mode } = statSync(folder)
  // Only what is ours to change; others may have been let in by the group on purpose.
  if (owner === me && (mode & 0o002) !== 0) chmodSync(folder, mode & 0o7775)
  // An administrator may act on anyone's store, and leave files there.
  const trusted = new Set([me, owner, 0])
  for (const name of [...foreignRemoved, ...foreignRefused]) {
    const file = join(folder, name)
    const uid = lstatSync(file, { throwIfNoEntry: false })?.uid
    if (uid === undefined || trusted.has(uid)) continue
    if (foreignRefused.includes(name))
      throw refuse(file, uid, 'Make it yours if you know where it comes from, or delete it.')
    try {
      rmSync(file, { recursive: true, force: true })
    } catch (error) {
      throw refuse(file, uid, `It cannot be removed: ${messageOf(error)}.`)
    }
  }
}
