/**
 * How specs start processes: on the package as it was built, where that is what the sources say, because it loads in a third
 * of the time; "npm test" has always built it before. Otherwise on the sources. A process never has both: its program imports
 * Carillon by name.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

export const builtCommand = join(root, 'dist/cli/main.js')

const newestSource = (): number =>
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.endsWith('.spec.ts'))
    .reduce((newest, file) => Math.max(newest, statSync(join(root, 'src', file)).mtimeMs), 0)

/** Whether what is built is what the sources say. */
export const isBuilt = (): boolean => existsSync(builtCommand) && statSync(builtCommand).mtimeMs >= newestSource()

const tsx = ['--import', import.meta.resolve('tsx')]
const fromSources = ['--conditions=carillon-source', ...tsx]
const built = isBuilt()

/** What Node.js is given before a program in TypeScript that imports Carillon by name. */
export const programStart: readonly string[] = built ? tsx : fromSources

/** What Node.js is given to be the command. */
export const commandStart: readonly string[] = built ? [builtCommand] : [...fromSources, join(root, 'src/cli/main.ts')]
