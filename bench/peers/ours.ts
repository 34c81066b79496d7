/**
 * Our own figures for a workload: our own benchmark of it, in a process of its own, on the Node of whoever measures.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import type { Figures, Workload } from './Workload.js'

const repository = join(import.meta.dirname, '..', '..')

type Report = { readonly results: Record<string, Record<string, { readonly median: number }>> }

export const measureOurs = ({ ours }: Workload, folder: string, quick: boolean): Figures => {
  const out = join(folder, 'ours.json')
  const args = ['--import', 'tsx', 'bench/run.ts', ours.workload, '--out', out, ...(quick ? ['--quick'] : [])]
  const { status, stderr } = spawnSync(execPath, args, { cwd: repository, encoding: 'utf8' })
  if (status !== 0) throw new Error(`bench/run.ts ${ours.workload} ended with ${String(status)}: ${stderr}`)
  // Written by the program just run.
  const { results } = JSON.parse(readFileSync(out, 'utf8')) as Report
  return ours.figures((figure) => {
    const found = results[ours.workload]?.[figure]?.median
    if (found === undefined) throw new Error(`The benchmark ${ours.workload} gives no figure "${figure}".`)
    return found
  })
}
