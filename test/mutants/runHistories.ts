/** Simulates histories with one change of the sources, in a process of its own, until one of them finds it. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { spanOf, type Mutant } from './Mutant.js'

/** A change that makes one history go on without end has been found by that. An ordinary one takes about a second. */
const longestMs = 60_000

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

const errorIn = (text: string): string => text.split('\n').find((line) => line.includes('Error')) ?? lastLine(text)

/** What a history found; null when none of so many did. */
export const runHistories = (repository: string, mutant: Mutant, histories: number): Promise<string | null> => {
  const { from, to } = spanOf(readFileSync(join(repository, mutant.file), 'utf8'), mutant)
  const defects = join(repository, 'test/defects')
  const child = spawn(
    process.execPath,
    [
      ...['--import', pathToFileURL(join(defects, 'patchSource.mjs')).href],
      ...['--conditions=carillon-source', '--import', import.meta.resolve('tsx')],
      // Each seed is a history of the workshop and one of the market.
      ...[join(defects, 'hunt.ts'), String(Math.ceil(histories / 2))],
    ],
    {
      cwd: repository,
      env: {
        ...process.env,
        CARILLON_DEFECT: JSON.stringify({ file: mutant.file, from, to, replace: mutant.replacement }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  return new Promise((resolve) => {
    let out = ''
    let errors = ''
    child.stdout.on('data', (data: Buffer) => (out += data.toString()))
    let isLate = false
    const giveUp = (): void => {
      isLate = true
      child.kill('SIGKILL')
    }
    let timer = setTimeout(giveUp, longestMs)
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString()
      clearTimeout(timer)
      timer = setTimeout(giveUp, longestMs)
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      if (isLate) resolve(`a history did not end in ${longestMs / 1_000} s`)
      else if (code !== 0 || !out.includes('"histories"'))
        resolve(`the process ended: ${errorIn(errors).slice(0, 200)}`)
      else {
        const { found } = JSON.parse(lastLine(out)) as { readonly found?: { readonly invariant: string } }
        resolve(found?.invariant ?? null)
      }
    })
  })
}
