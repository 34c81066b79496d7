/**
 * The figures of one system for one workload: another one's by its own process, ours by our own benchmark of the same
 * work. Either way in a process group of its own.
 */
import { join } from 'node:path'
import type { PeerResult } from './PeerResult.js'
import { resultOf } from './ProcessGroup.js'
import type { SystemName } from './systems.js'
import type { Figures, Workload } from './Workload.js'

export type Terms = {
  readonly quick: boolean
  /** Where stores and servers lie: on the disk that is measured. */
  readonly folder: string
}

/** Far above what the slowest takes: it is there for what would never end. */
const limitMs = ({ quick }: Terms): number => (quick ? 180_000 : 1_800_000)

export const measurePeerAlone = async ({ name }: Workload, system: SystemName, terms: Terms): Promise<PeerResult> => {
  const text = await resultOf({
    file: join(import.meta.dirname, 'peerProcess.ts'),
    args: (folder, resultFile) => [system, name, terms.quick ? 'quick' : 'whole', folder, resultFile],
    within: terms.folder,
    limitMs: limitMs(terms),
  })
  // Written by that program.
  return JSON.parse(text) as PeerResult
}

type OurReport = { readonly results: Record<string, Record<string, { readonly median: number }>> }

export const measureOurs = async ({ ours }: Workload, terms: Terms): Promise<Figures> => {
  const text = await resultOf({
    file: join(import.meta.dirname, '..', 'run.ts'),
    args: (folder, resultFile) => [
      ...[ours.workload, '--folder', folder, '--out', resultFile],
      ...(terms.quick ? ['--quick'] : []),
    ],
    within: terms.folder,
    limitMs: limitMs(terms),
  })
  // Written by that program.
  const { results } = JSON.parse(text) as OurReport
  return ours.figures((figure) => {
    const found = results[ours.workload]?.[figure]?.median
    if (found === undefined) throw new Error(`The benchmark ${ours.workload} gives no figure "${figure}".`)
    return found
  })
}
