/**
 * Gives a clone an SQLite where Node has none of its own: better-sqlite3 is fetched, or compiled, when it is first needed and
 * not by `npm ci`, because that can take longer than everything else.
 */
import { execFileSync } from 'node:child_process'
import { createRequire, isBuiltin } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)

const isBuilt = (): boolean => {
  try {
    const Database = require('better-sqlite3') as new (file: string) => { close(): void }
    new Database(':memory:').close()
    return true
  } catch {
    return false
  }
}

export const provideSqliteDriver = (): void => {
  if (isBuiltin('node:sqlite') || isBuilt()) return
  console.log('Node.js has no SQLite before 22.13: getting better-sqlite3 ready, once. It may take a minute.')
  execFileSync('npm', ['run', '--silent', 'install'], {
    cwd: join(import.meta.dirname, '../node_modules/better-sqlite3'),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) provideSqliteDriver()
