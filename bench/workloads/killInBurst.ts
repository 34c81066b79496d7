/**
 * A process killed in the middle of a burst, again and again: what the ledger then holds.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { startNode, type Node } from 'carillon'
import { HeldClock } from '../HeldClock.js'
import { startProgram } from '../ownProcess.js'
import { layOut, Pulse, pulseApp } from '../pulseApp.js'
import { context, fullDurability, less, noSeed, type Bench, type Figures, type Workload } from '../Workload.js'

/** When it is killed: so much of the burst after its start. */
const killedAfter = [0.2, 0.3, 0.2]
const patienceMs = 45_000

/** Runs the burst in a process of its own, which is killed once so many have ended; without a number, to its end. */
const runBurst = async (store: string, killAt: number): Promise<void> => {
  const child = startProgram('burstProcess', store)
  let stuck: NodeJS.Timeout | undefined
  const expectMore = (): void => {
    clearTimeout(stuck)
    stuck = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  }
  expectMore()
  createInterface(child.stdout).on('line', (line) => {
    expectMore()
    // The next tick is under way by now, so the kill falls anywhere in it.
    if (Number(line) >= killAt) child.kill('SIGKILL')
  })
  await once(child, 'close')
  clearTimeout(stuck)
  if (child.signalCode === null && child.exitCode !== 0)
    throw new Error(`The process ended with ${String(child.exitCode)}.`)
}

/** Looks every pulse up in the vault, and every start of an activity in the log. */
const lookAround = async (node: Node, count: number): Promise<Figures> => {
  const found = new Uint8Array(count)
  let unrun = 0
  let again = 0
  let after: string | undefined
  do {
    const page = await node.query(Pulse, { limit: 1_000, ...(after === undefined ? {} : { after }) })
    for (const { data } of page.items) {
      if (found[data.number] === 1 || data.beat > 1) again++
      found[data.number] = 1
      if (data.beat === 0) unrun++
    }
    after = page.next
  } while (after !== undefined)
  let starts = 0
  for await (const { events } of node.readLog())
    for (const line of events) if (line.includes('"FlowStarted"') && line.includes('"activity"')) starts++
  const kept = found.reduce((sum, each) => sum + each, 0)
  return {
    'run twice': less(Math.max(again, starts - (kept - unrun)), 'activities'),
    stuck: less(unrun, 'activities'),
    lost: less(count - kept, 'activities'),
  }
}

const killInBurstOf = async ({ quick, folder }: Bench, count: number): Promise<Figures> => {
  const clock = new HeldClock()
  const before = await startNode({ app: pulseApp, store: folder, clock })
  await layOut(before, { count, dueAt: clock.after(1) })
  await before.stop()
  const startedMs = performance.now()
  const kills = quick ? killedAfter.slice(0, 1) : killedAfter
  for (const share of kills) await runBurst(folder, share * count)
  await runBurst(folder, Infinity)
  const tookMs = performance.now() - startedMs
  const node = await startNode({ app: pulseApp, store: folder, clock })
  const figures = await lookAround(node, count)
  await node.stop()
  return { ...figures, kills: context(kills.length, 'kills'), 'with all restarts': context(tookMs, 'ms') }
}

const whatIsNot =
  'A machine that loses power: a killed process leaves the page cache behind. The code of a flow in a tick that was never committed runs again, unseen; what leaves the node belongs into a step, which runs at least once.'
const whatIs = (count: string): string =>
  `${count} activities due at one instant in a process that is killed with SIGKILL ${killedAfter.length} times on the way and started again at once: pulses that were turned twice, that were not turned ${patienceMs / 1_000} s after the last thing happened, and that are gone.`

export const killInBurst: Workload = {
  name: 'kill-in-burst',
  measures: whatIs('10,000'),
  doesNotMeasure: whatIsNot,
  durability: fullDurability,
  seed: noSeed,
  repetitions: 3,
  run: (bench) => killInBurstOf(bench, bench.quick ? 200 : 10_000),
}

export const killInLargeBurst: Workload = {
  name: 'kill-in-large-burst',
  measures: whatIs('1,000,000'),
  doesNotMeasure: whatIsNot,
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: (bench) => killInBurstOf(bench, bench.quick ? 300 : 1_000_000),
}
