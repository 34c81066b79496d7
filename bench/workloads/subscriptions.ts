/**
 * Following the log: how late a subscriber hears of an event, and what subscribers cost those who are not waiting for them.
 */
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { instant, startNode, type Node } from 'carillon'
import { HeldClock } from '../HeldClock.js'
import { farMs, Produce, pulseApp } from '../pulseApp.js'
import { quantile } from '../statistics.js'
import { context, fullDurability, less, noSeed, type Bench, type Figures, type Workload } from '../Workload.js'

const dueAt = instant('2999-01-01T00:00:00.000Z')

/** What was measured with so many subscribers. */
type Measured = {
  readonly flowMs: number[]
  readonly tickMs: number[]
  readonly lagMs: number[]
  cpuMs: number
  busyMs: number
  delivered: number
  busyFlows: number
}

const nothingYet = (): Measured => ({
  ...{ flowMs: [], tickMs: [], lagMs: [] },
  ...{ cpuMs: 0, busyMs: 0, delivered: 0, busyFlows: 0 },
})

const numbers = [0, 1, 100] as const
/** About 1,000 events a second. */
const everyMs = 3

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

/** Some flows at a steady pace, then some as fast as they go, while so many subscribers follow. */
const round = async (
  { node, tickBeganMs }: Followed,
  subscribers: number,
  flows: number,
  into: Measured,
): Promise<void> => {
  const committedMs = new Map<number, number>()
  let isPaced = true
  let due = into.delivered + subscribers * flows
  const subscriptions = Array.from({ length: subscribers }, () =>
    node.subscribe({
      from: 'present',
      types: ['FlowEnded'],
      on: ({ revision }) => {
        into.delivered += 1
        const at = committedMs.get(revision)
        if (at !== undefined && isPaced) into.lagMs.push(performance.now() - at)
      },
    }),
  )
  // Told last of all, after whatever subscriptions do inside the tick.
  const unfollow = node.follow(({ lastRevision }) => {
    const now = performance.now()
    committedMs.set(lastRevision, now)
    if (isPaced) into.tickMs.push(now - tickBeganMs())
  })
  for (let flow = 0; flow < flows; flow++) {
    const startedMs = performance.now()
    await produceOne(node, flow)
    into.flowMs.push(performance.now() - startedMs)
    await restUntil(startedMs + everyMs)
  }
  while (into.delivered < due) await turn()
  isPaced = false
  due += subscribers * flows
  const startedMs = performance.now()
  const cpu = process.cpuUsage()
  for (let flow = 0; flow < flows; flow++) await produceOne(node, flow)
  into.busyFlows += flows
  while (into.delivered < due) await turn()
  const { user, system } = process.cpuUsage(cpu)
  into.cpuMs += (user + system) / 1_000
  into.busyMs += performance.now() - startedMs
  unfollow()
  for (const subscription of subscriptions) subscription.close()
}

const figuresOf = (number: number, { flowMs, tickMs, lagMs, busyMs, cpuMs, busyFlows }: Measured): Figures => {
  const label = `with ${number} subscribers`
  return {
    [`a tick, median, ${label}`]: less(quantile(tickMs, 0.5), 'ms'),
    [`a tick, p99, ${label}`]: less(quantile(tickMs, 0.99), 'ms'),
    [`a flow, median, ${label}`]: less(quantile(flowMs, 0.5), 'ms'),
    [`a flow, p99, ${label}`]: less(quantile(flowMs, 0.99), 'ms'),
    [`a flow without a pause, ${label}`]: less(busyMs / busyFlows, 'ms'),
    [`processor time of such a flow, ${label}`]: context(cpuMs / busyFlows, 'ms'),
    ...(lagMs.length === 0 ? {} : { [`lag, p99, ${label}`]: less(quantile(lagMs, 0.99), 'ms') }),
  }
}

export const subscribers: Workload = {
  name: 'subscribers',
  measures:
    'Flows of one transaction one after the other, without subscribers, with one and with a hundred, in turn on one node. A tick: from its begin until it is released and its followers are told. A flow: for its caller, at about 1,000 events a second, and without a pause between one and the next. Lag: from the commit until a subscriber is called.',
  doesNotMeasure: 'What subscribers do with an event; streams over HTTP.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: async (bench: Bench) => {
    const clock = new TickClock()
    clock.letGo()
    const node = await startNode({ app: pulseApp, store: join(bench.folder, 'followed'), clock })
    const followed: Followed = { node, tickBeganMs: () => clock.tickBeganMs }
    const [rounds, flows] = bench.quick ? [1, 10] : [20, 100]
    // Compiled first: the order of the rounds must not count.
    for (const number of numbers) await round(followed, number, flows, nothingYet())
    const measured = new Map(numbers.map((number) => [number, nothingYet()]))
    for (let count = 0; count < rounds; count++)
      for (const [number, into] of measured) await round(followed, number, flows, into)
    await node.stop()
    const [without, withAll] = [measured.get(0) ?? nothingYet(), measured.get(100) ?? nothingYet()]
    const costOf = (median: (measured: Measured) => number): number => (median(withAll) / median(without) - 1) * 100
    const perEventUs =
      ((withAll.cpuMs / withAll.busyFlows - without.cpuMs / without.busyFlows) * 1_000 * withAll.busyFlows) /
      (withAll.delivered / 2)
    return {
      ...(Object.assign({}, ...Array.from(measured, ([number, into]) => figuresOf(number, into))) as Figures),
      'cost of 100 subscribers to a tick': less(
        costOf(({ tickMs }) => quantile(tickMs, 0.5)),
        '%',
      ),
      'cost of 100 subscribers to a flow': less(
        costOf(({ flowMs }) => quantile(flowMs, 0.5)),
        '%',
      ),
      'cost of 100 subscribers without a pause': less(
        costOf(({ busyMs }) => busyMs),
        '%',
      ),
      'processor time of an event for one subscriber': context(perEventUs, 'µs'),
    }
  },
}
