/**
 * Following the log: how late a subscriber hears of an event, and what subscribers cost those who are not waiting for them.
 */
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { instant, startNode, type Node } from 'carillon'
import { HeldClock } from '../HeldClock.js'
import { farMs, Produce, pulseApp } from '../pulseApp.js'
import { median, quantile } from '../statistics.js'
import {
  context,
  fullDurability,
  less,
  noSeed,
  type Bench,
  type Figure,
  type Figures,
  type Workload,
} from '../Workload.js'

const dueAt = instant('2999-01-01T00:00:00.000Z')

/** What one round has found with so many subscribers, or several rounds together. */
type Measured = {
  readonly flowMs: readonly number[]
  readonly tickMs: readonly number[]
  readonly lagMs: readonly number[]
  readonly flows: number
  /** All flows at the steady pace. */
  readonly pacedMs: number
  /** As many without a pause, until every subscriber has been told. */
  readonly busyMs: number
  readonly cpuMs: number
}

const together = (rounds: readonly Measured[]): Measured => {
  const sum = (of: (round: Measured) => number): number => rounds.reduce((total, round) => total + of(round), 0)
  return {
    flowMs: rounds.flatMap(({ flowMs }) => flowMs),
    tickMs: rounds.flatMap(({ tickMs }) => tickMs),
    lagMs: rounds.flatMap(({ lagMs }) => lagMs),
    flows: sum(({ flows }) => flows),
    pacedMs: sum(({ pacedMs }) => pacedMs),
    busyMs: sum(({ busyMs }) => busyMs),
    cpuMs: sum(({ cpuMs }) => cpuMs),
  }
}

const numbers = [0, 1, 100] as const
/** Its start, its transaction and its end. */
const eventsPerFlow = 3
/** Events a second: about 1,000. */
const everyMs = eventsPerFlow

/** A node asks its clock for steady time when a tick begins, and nowhere else. */
class TickClock extends HeldClock {
  tickBeganMs = 0
  readonly steadyMs = (): number => (this.tickBeganMs = performance.now())
}

type Followed = {
  readonly node: Node
  readonly tickBeganMs: () => number
}

const produceOne = async (node: Node, first: number): Promise<void> => {
  await node.run(Produce, { first, count: 1, statesPerTransaction: 1, dueAt, apartMs: 0, everyMs: farMs })
}

const restUntil = async (ms: number): Promise<void> => {
  const restMs = ms - performance.now()
  if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
}

/** Some flows at a steady pace, then as many as fast as they go, while so many subscribers follow. */
const round = async ({ node, tickBeganMs }: Followed, subscribers: number, flows: number): Promise<Measured> => {
  const committedMs = new Map<number, number>()
  const flowMs: number[] = []
  const tickMs: number[] = []
  const lagMs: number[] = []
  let isPaced = true
  let delivered = 0
  const subscriptions = Array.from({ length: subscribers }, () =>
    node.subscribe({
      from: 'present',
      types: ['FlowEnded'],
      on: ({ revision }) => {
        delivered += 1
        const at = committedMs.get(revision)
        if (at !== undefined && isPaced) lagMs.push(performance.now() - at)
      },
    }),
  )
  const allAreTold = async (count: number): Promise<void> => {
    while (delivered < subscribers * count) await turn()
  }
  // Told last of all, after whatever subscriptions do inside the tick.
  const unfollow = node.follow(({ lastRevision }) => {
    const now = performance.now()
    committedMs.set(lastRevision, now)
    if (isPaced) tickMs.push(now - tickBeganMs())
  })
  const pacedFromMs = performance.now()
  for (let flow = 0; flow < flows; flow++) {
    const startedMs = performance.now()
    await produceOne(node, flow)
    flowMs.push(performance.now() - startedMs)
    await restUntil(startedMs + everyMs)
  }
  const pacedMs = performance.now() - pacedFromMs
  await allAreTold(flows)
  isPaced = false
  const busyFromMs = performance.now()
  const cpu = process.cpuUsage()
  for (let flow = 0; flow < flows; flow++) await produceOne(node, flow)
  await allAreTold(2 * flows)
  const { user, system } = process.cpuUsage(cpu)
  const busyMs = performance.now() - busyFromMs
  unfollow()
  for (const subscription of subscriptions) subscription.close()
  return { flowMs, tickMs, lagMs, flows, pacedMs, busyMs, cpuMs: (user + system) / 1_000 }
}

const figuresOf = (number: number, { flowMs, tickMs, lagMs, pacedMs, cpuMs, busyMs, flows }: Measured): Figures => {
  const label = `with ${number} subscribers`
  return {
    [`a tick, median, ${label}`]: less(quantile(tickMs, 0.5), 'ms'),
    [`a tick, p99, ${label}`]: less(quantile(tickMs, 0.99), 'ms'),
    [`a flow, median, ${label}`]: less(quantile(flowMs, 0.5), 'ms'),
    [`a flow, p99, ${label}`]: less(quantile(flowMs, 0.99), 'ms'),
    [`a flow without a pause, ${label}`]: less(busyMs / flows, 'ms'),
    [`processor time of such a flow, ${label}`]: context(cpuMs / flows, 'ms'),
    ...(lagMs.length === 0
      ? {}
      : {
          [`lag, p99, ${label}`]: less(quantile(lagMs, 0.99), 'ms'),
          [`pace, ${label}`]: context((flows * eventsPerFlow * 1_000) / pacedMs, 'events/s'),
        }),
  }
}

/** The rounds take turns, and each is short, so that what the machine does meanwhile happens to both sides. */
const ratioOf = (
  withAll: readonly Measured[],
  without: readonly Measured[],
  of: (round: Measured) => readonly number[],
): Figure => less(median(withAll.flatMap(of)) / median(without.flatMap(of)), 'times')

export const subscribers: Workload = {
  name: 'subscribers',
  measures:
    'Flows of one transaction one after the other, without subscribers, with one and with a hundred, in turn on one node. A tick: from its begin until it is released and its followers are told. A flow: for its caller, at about 1,000 events a second, and without a pause between one and the next until every subscriber has been told. Lag: from the commit until a subscriber is called. With 100, against none: the ratio of the medians.',
  doesNotMeasure: 'What subscribers do with an event; streams over HTTP.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: async (bench: Bench) => {
    const clock = new TickClock()
    clock.letGo()
    const node = await startNode({ app: pulseApp, store: join(bench.folder, 'followed'), clock })
    const followed: Followed = { node, tickBeganMs: () => clock.tickBeganMs }
    const [rounds, flows] = bench.quick ? [1, 10] : [100, 20]
    const measured = new Map(numbers.map((number) => [number, [] as Measured[]]))
    // The first round is not counted: by then all is compiled. Then each number is the first as often as it is the last.
    for (let count = 0; count <= rounds; count++)
      for (const number of count % 2 === 0 ? numbers : numbers.toReversed()) {
        const found = await round(followed, number, flows)
        if (count > 0) measured.get(number)?.push(found)
      }
    await node.stop()
    const [without = [], withAll = []] = [measured.get(0), measured.get(100)]
    return {
      ...(Object.assign({}, ...Array.from(measured, ([number, all]) => figuresOf(number, together(all)))) as Figures),
      'a tick, with 100 against none': ratioOf(withAll, without, ({ tickMs }) => tickMs),
      'a flow, with 100 against none': ratioOf(withAll, without, ({ flowMs }) => flowMs),
      'a flow without a pause, with 100 against none': ratioOf(withAll, without, ({ busyMs }) => [busyMs]),
      'processor time of such a flow, with 100 against none': ratioOf(withAll, without, ({ cpuMs }) => [cpuMs]),
    }
  },
}
