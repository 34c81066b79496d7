/**
 * The dashboard as its sources are: built, unless what was built last is newer than all of them.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { repository } from '../docs/pages.js'

const changedMs = (file: string): number => (existsSync(file) ? statSync(file).mtimeMs : 0)

/** The page shares words and codecs with the rooms, so all sources count. */
const newestSource = (): number =>
  readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|css|html|svg)$/.test(file) && !file.endsWith('.spec.ts'))
    .reduce(
      (newest, file) => Math.max(newest, changedMs(join(repository, 'src', file))),
      changedMs(join(repository, 'package-lock.json')),
    )

/** Everything of it is there before a spec asks for it; after a build of the whole it is there already. */
export const builtDashboard = async (): Promise<void> => {
  if (changedMs(join(repository, 'dist/dashboard/index.html')) > newestSource()) return
  await build({ configFile: join(repository, 'src/dashboard/vite.config.ts'), logLevel: 'silent' })
}
