/**
 * The specs in batches of about equal size, so that two of them can run side by side. A folder's specs stay together:
 * those that start a server share it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export type SpecBatch = { readonly name: string; readonly files: readonly string[] }

/** Enough that starting mocha does not count, few enough that no batch is left over alone at the end. */
const filesPerBatch = 16

const roots = ['samples', 'test', 'src'] as const

/** The part of a path that decides which specs stay together. */
const roomOf = (file: string): string => {
  const [root = '', room = ''] = file.split('/')
  return root === 'src' ? root : `${root}/${room}`
}

const specsUnder = (root: string): readonly string[] =>
  existsSync(root)
    ? readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.spec.ts'))
        .map((file) => join(root, file))
        .sort()
    : []

export const specBatches = (): readonly SpecBatch[] => {
  const rooms = new Map<string, string[]>()
  for (const file of roots.flatMap(specsUnder)) {
    const room = roomOf(file)
    rooms.set(room, [...(rooms.get(room) ?? []), file])
  }
  const batches: { readonly rooms: string[]; readonly files: string[] }[] = []
  for (const [room, files] of rooms) {
    const last = batches.at(-1)
    if (last === undefined || last.files.length >= filesPerBatch) batches.push({ rooms: [room], files: [...files] })
    else {
      last.rooms.push(room)
      last.files.push(...files)
    }
  }
  return batches.map(({ rooms: [first = '', ...others], files }) => {
    const last = others.at(-1)
    return { name: last === undefined ? first : `${first} … ${last}`, files }
  })
}
