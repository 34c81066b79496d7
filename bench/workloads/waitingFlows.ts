/**
 * A hundred thousand flows that wait: what they cost while nothing comes, and when something does.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { startNode } from 'carillon'
import { startProgram } from '../ownProcess.js'
import { Await, waitingApp } from '../waitingApp.js'
import { WaitingReportC, type WaitingReport } from '../waitingReport.js'
import { context, fullDurability, less, noSeed, type Workload } from '../Workload.js'

const batch = 1_000

const makeStore = async (store: string, flows: number): Promise<string> => {
  const node = await startNode({ app: waitingApp, store })
  for (let first = 0; first < flows; first += batch)
    await Promise.all(
      Array.from({ length: Math.min(batch, flows - first) }, (_, index) =>
        node.start(Await, { number: first + index }),
      ),
    )
  await node.stop()
  return store
}

const inProcess = async (store: string, states: number, idleMs: number): Promise<WaitingReport> => {
  const child = startProgram('waitingProcess', store, String(states), String(idleMs))
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`The process ended with ${String(child.exitCode)}.`)
  const report = WaitingReportC.decode(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  if (isLeft(report)) throw new Error('The process gave no report.')
  return report.right
}

export const waitingFlows: Workload = {
  name: 'waiting-flows',
  measures:
    'A store with 100,000 flows that wait for a state each, and one with none: time until a new process is ready, its memory after 5 seconds, and the time to record a state that wakes no flow, or one of them.',
  doesNotMeasure: 'Flows that are all woken at once.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: async ({ quick, folder }) => {
    const flows = quick ? 500 : 100_000
    const states = quick ? 5 : 300
    const idleMs = quick ? 10 : 5_000
    const none = await inProcess(await makeStore(join(folder, 'none'), 0), states, idleMs)
    const all = await inProcess(await makeStore(join(folder, 'waiting'), flows), states, idleMs)
    if (all.woken !== states) throw new Error(`${all.woken} of ${states} flows were woken`)
    return {
      'flows that wait': context(flows, ''),
      'startNode until ready': less(all.startMs, 'ms'),
      'startNode until ready, without them': context(none.startMs, 'ms'),
      memory: less(all.rssMB, 'MB RSS'),
      'memory without them': context(none.rssMB, 'MB RSS'),
      'a state that wakes none': less(all.wakesNoneMs, 'ms'),
      'a state that wakes one': less(all.wakesOneMs, 'ms'),
      'a state, without them': context(none.wakesOneMs, 'ms'),
      'waking one over none waiting': less(all.wakesOneMs / none.wakesOneMs, '×'),
    }
  },
}
