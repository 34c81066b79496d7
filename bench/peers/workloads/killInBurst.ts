/**
 * A worker killed in the middle of a burst.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { layOut } from '../layOut.js'
import { nowMs } from '../Orders.js'
import type { Workload } from '../Workload.js'

const patienceMs = 45_000

const idsOf = (file: string): readonly string[] => readFileSync(file, 'utf8').trim().split('\n')

export const killInBurst: Workload = {
  name: 'kill-in-burst',
  measures:
    'The process ends itself with SIGKILL in the midst of a batch, inside its 3,217th handler of 10,000, and is started again at once: handlers run twice, jobs that have not run 45 s later, and jobs of those which the system no longer knows.',
  figures: { twice: '', unrun: '', lost: '' },
  run: async ({ quick, folder, server, hire, leadMs }) => {
    const count = quick ? 200 : 10_000
    // No multiple of any batch, or the kill would fall between two of them.
    const killAfter = quick ? 61 : 3_217
    const notesFile = join(folder, 'runs.txt')
    const killed = await hire()
    await killed.order('open', { address: server.address, work: true, notesFile, killAfter })
    const dueMs = await layOut(killed, { first: 0, count }, leadMs)
    const patience = setTimeout(() => void killed.kill(), dueMs - nowMs() + patienceMs)
    await killed.ended()
    clearTimeout(patience)
    const hired = await hire()
    await hired.order('open', { address: server.address, work: true, notesFile })
    const untilMs = nowMs() + (quick ? 5_000 : patienceMs)
    const ran = (): number => new Set(idsOf(notesFile)).size
    while (ran() < count && nowMs() < untilMs) await new Promise((resolve) => setTimeout(resolve, 250))
    // What runs a second time may still be under way.
    await hired.order('awaitFinished', { limitMs: Math.max(0, Math.min(5_000, untilMs - nowMs())) })
    const ids = idsOf(notesFile)
    const unrun = count - new Set(ids).size
    const known = await hired.order('unfinished', {})
    return { twice: ids.length - new Set(ids).size, unrun, lost: Math.max(0, unrun - known) }
  },
  ours: {
    workload: 'kill-in-burst',
    figures: (of) => ({ twice: of('run twice'), unrun: of('stuck'), lost: of('lost') }),
  },
}
