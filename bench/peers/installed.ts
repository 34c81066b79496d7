/**
 * Sees to it that the packages of the other systems are there, exactly as the lock file has them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname

/** Why they are not, if they cannot be. */
export const missingPackages = (): string | undefined => {
  // npm writes this one last, so a half-done installation does not count.
  const done = join(here, 'node_modules', '.package-lock.json')
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(join(here, 'package-lock.json')).mtimeMs) return undefined
  console.log('Installing the other systems (npm ci in bench/peers) …')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' })
  return status === 0 ? undefined : 'its packages could not be installed: see what npm ci in bench/peers said'
}
