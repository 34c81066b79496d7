/**
 * The node that `flood` floods. It tells twice a second how much memory it uses, how large its store is, and how many
 * sessions are open.
 *
 * Arguments: its folder in the network.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { argv, memoryUsage, stdout } from 'node:process'
import { startNode } from 'carillon'
import { dealApp } from './dealApp.js'

export type Told = { readonly rssMiB: number; readonly storeMiB: number; readonly openSessions: number }

const MiB = 1_048_576
const [, , folder = ''] = argv
const node = await startNode({ app: dealApp, networkFolder: folder })

const storeBytes = (): number =>
  readdirSync(folder)
    .filter((name) => name.startsWith('carillon.db'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

const tell = async (): Promise<void> => {
  const openSessions = await node.readViews((db) =>
    Number(db.prepare('SELECT count(*) AS n FROM sessions WHERE closed = 0').get()?.['n']),
  )
  const told: Told = { rssMiB: memoryUsage().rss / MiB, storeMiB: storeBytes() / MiB, openSessions }
  stdout.write(`${JSON.stringify(told)}\n`)
}
await tell()
setInterval(() => void tell(), 500)
