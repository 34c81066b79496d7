/** Copies the sources as they are, so that a run of hours is about one state of them, whatever is edited meanwhile. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder with the copy; one that is there already is kept. */
export const copySources = (repository: string, to: string): string => {
  if (existsSync(to)) return to
  const unfinished = `${to}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: repository })
  for (const file of files.toString().split('\0')) {
    if (file === '' || !existsSync(join(repository, file))) continue
    mkdirSync(dirname(join(unfinished, file)), { recursive: true })
    cpSync(join(repository, file), join(unfinished, file))
  }
  symlinkSync(join(repository, 'node_modules'), join(unfinished, 'node_modules'))
  renameSync(unfinished, to)
  return to
}
