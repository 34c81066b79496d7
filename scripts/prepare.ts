/**
 * What npm runs after an install. `npx carillon` in a clone is an install too, of the clone as a package of its own, and
 * must answer at once: it takes the build that is there. Otherwise what can be run is built, if it is older than its sources.
 */
import { execSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const isThere = existsSync(join(root, 'dist/cli/main.js'))
if (process.env['npm_command'] !== 'exec' || !isThere)
  execSync('npm run --silent build:runnable', { cwd: root, stdio: 'inherit' })
