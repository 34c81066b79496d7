/**
 * Builds the package: beside the one that is there, which is replaced only by one that is whole. So an interrupted build
 * breaks nothing, and the command goes on answering while there is one.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const [next, built, old] = ['dist-next', 'dist', 'dist-old'].map((name) => join(root, name)) as [string, string, string]

const run = (tool: string, ...args: readonly string[]): void => {
  execFileSync(process.execPath, [join(root, 'node_modules', tool), ...args], { cwd: root, stdio: 'inherit' })
}

rmSync(next, { recursive: true, force: true })
run('typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', next)
run('vite/bin/vite.js', 'build', '--config', 'src/dashboard/vite.config.ts', '--outDir', join(next, 'dashboard'))
cpSync(join(root, 'src/cli/template'), join(next, 'cli/template'), { recursive: true })
chmodSync(join(next, 'cli/main.js'), 0o755)

rmSync(old, { recursive: true, force: true })
if (existsSync(built)) renameSync(built, old)
renameSync(next, built)
rmSync(old, { recursive: true, force: true })
