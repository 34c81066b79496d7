/**
 * What other users of the machine have laid into a store folder, where they could write into it. Files that every start makes
 * anew are removed: nobody else's lock keeps a node from starting, and nobody else's token lets its maker in. Files that
 * hold the store are never removed, and never used either.
 */
import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

const madeAnew = [
  'lock.db',
  'lock.db-journal',
  'holder.json',
  'control.sock',
  'control.path',
  'http.token',
  'http.ended',
]
const kept = ['carillon.db', 'carillon.db-wal', 'carillon.db-shm', 'carillon.db-journal', 'node.key', 'log.json']

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
  for (const name of [...madeAnew, ...kept]) {
    const file = join(folder, name)
    const uid = lstatSync(file, { throwIfNoEntry: false })?.uid
    if (uid === undefined || trusted.has(uid)) continue
    if (kept.includes(name)) throw refuse(file, uid, 'Make it yours if you know where it comes from, or delete it.')
    try {
      rmSync(file, { recursive: true, force: true })
    } catch (error) {
      throw refuse(file, uid, `It cannot be removed: ${messageOf(error)}.`)
    }
  }
}
