/**
 * A node on a store with flows that wait, in a process of its own: how long it took to come back, what it has in memory, and
 * what it costs to record states, some of which wake a flow.
 *
 * Arguments: the store folder; how many of the states are to wake a flow, of those with the numbers from 0 on, and how many
 * milliseconds the process is to be idle before.
 */
import { argv, exit, memoryUsage, stdout } from 'node:process'
import { startNode } from 'carillon'
import { quantile } from './statistics.js'
import { Deliver, waitingApp } from './waitingApp.js'
import type { WaitingReport } from './waitingReport.js'

const [, , store = '', count = '0', idleMs = '0'] = argv
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const startedMs = performance.now()
const node = await startNode({ app: waitingApp, store })
const startMs = performance.now() - startedMs
await pause(Number(idleMs))
const rssMB = memoryUsage.rss() / 1_048_576

const endedAtMs = new Map<string, number>()
node.follow(({ events }) => {
  for (const event of events) if (event.type === 'FlowEnded') endedAtMs.set(event.flow, performance.now())
})

/** One delivery after the other, and how long each took until it was durable. */
const deliver = async (numbers: readonly number[]): Promise<readonly number[]> => {
  const times: number[] = []
  for (const number of numbers) {
    const beganMs = performance.now()
    await node.run(Deliver, { number })
    times.push(performance.now() - beganMs)
    await pause(2)
  }
  return times
}

const numbers = Array.from({ length: Number(count) }, (_, index) => index)
// Compiled first, on states that wake nobody.
await deliver(numbers.map((number) => -1 - number))
const wakesNone = await deliver(numbers.map((number) => -1_000_000 - number))
const before = endedAtMs.size
const wakesOne = await deliver(numbers)
await pause(500)
const report: WaitingReport = {
  ...{ startMs, rssMB },
  wakesNoneMs: quantile(wakesNone, 0.5),
  wakesOneMs: quantile(wakesOne, 0.5),
  woken: endedAtMs.size - before - numbers.length,
}
await node.stop()
stdout.write(JSON.stringify(report), () => exit(0))
