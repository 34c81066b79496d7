/** What the simulator promises about orders: it tries those of a seed, or all of them, and shows the one that fails. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, defineSignal, type FlowBody, type FlowDefinition } from 'carillon'
import { describeFailure, describeReport, simulate, type SimulationOptions } from 'carillon/testing'

const Go = defineSignal({ name: 'orders/Go', data: t.string })

/** What the flow has seen, one text for each history. */
const seen: string[] = []

const partNames = ['a', 'b', 'c', 'd', 'e']

const flowOf = (run: FlowDefinition<object, string>['run']): FlowDefinition<object, string> =>
  defineFlow({ name: 'orders/Flow', input: t.strict({}), run })

/** Tries all orders of one flow; `isWrong` says which of its results are a failure. */
const allOrdersOf = (
  flow: FlowDefinition<object, string>,
  options: Partial<SimulationOptions> = {},
  isWrong: (result: string) => boolean = () => false,
) =>
  simulate({
    app: defineApp({ name: 'orders', states: [], flows: [flow], signals: [Go] }),
    exhaustive: true,
    workload: ({ start }) => start(flow, {}),
    invariants: [
      {
        name: 'the flow is right',
        violations: ({ parties }) =>
          parties.flatMap(({ log }) =>
            log.flatMap(({ event }) => {
              if (event.type !== 'FlowEnded') return []
              const result = String(event.result)
              seen.push(result)
              return isWrong(result) ? [`it returned ${result}`] : []
            }),
          ),
      },
    ],
    ...options,
  })

/** Parts with a step each, side by side; the result is the order in which they went on. */
const sideBySide = (names: readonly string[]) =>
  flowOf(function* (io): FlowBody<string> {
    const order: string[] = []
    const part = function* (name: string): FlowBody<void> {
      yield* io.step(name, () => undefined)
      order.push(name)
    }
    yield* io.all(names.map((name) => [name, part(name)] as const))
    return order.join('')
  })

describe('Orders in a simulation', () => {
  beforeEach(() => {
    seen.length = 0
  })

  it('are all tried, each once: 120 of five parallel steps, in about a second', async () => {
    const began = process.cpuUsage()
    const report = await allOrdersOf(sideBySide(partNames))
    const { user, system } = process.cpuUsage(began)
    expect(report).to.include({ orders: 120, allOrders: true })
    expect(new Set(seen).size).to.equal(120)
    expect(describeReport(report)).to.match(/^120 histories, which are all orders, in /)
    // A second on an idle machine. Processor time, and several times as much, because others may work on this one.
    expect((user + system) / 1_000).to.be.lessThan(5_000)
  })

  it('are tried up to a bound, and the report says that there are more', async () => {
    const report = await allOrdersOf(sideBySide(partNames), { exhaustive: 7 })
    expect(report).to.include({ orders: 7, allOrders: false })
    expect(describeReport(report)).to.match(/^7 histories, of more orders, in /)
  })

  it('differ by the seed where one is tried for each', async () => {
    const options = { exhaustive: false, seeds: 12, actions: 1, faults: { crashes: false, powerCuts: false } }
    await allOrdersOf(sideBySide(partNames), options)
    const first = [...seen]
    expect(new Set(first).size).to.be.greaterThan(4)
    seen.length = 0
    await allOrdersOf(sideBySide(partNames), options)
    expect(seen).to.deep.equal(first)
  })

  it('are of steps, deadlines and what the parties do', async () => {
    const flow = flowOf(function* (io): FlowBody<string> {
      const { winner } = yield* io.race({
        step: io.step('work', () => undefined, { timeout: { hours: 1 } }),
        signal: io.signal(Go),
        time: io.sleep({ minutes: 1 }),
      })
      return winner
    })
    const ids: string[] = []
    const report = await allOrdersOf(flow, {
      actions: 2,
      workload: async ({ start, ask, node }) => {
        const [running] = (await node.flows({ status: 'open' })).items
        if (running === undefined) ids.push(String(await start(flow, {})))
        else await ask('says go', () => node.signal(running.id, Go, 'now'))
      },
    })
    expect(report.failures).to.deep.equal([])
    expect(report.allOrders).to.equal(true)
    expect(new Set(seen)).to.deep.equal(new Set(['step', 'signal', 'time']))
  })

  it('that fail are cut down to what the failure needs, and told as a story', async () => {
    const flow = sideBySide(['a', 'b', 'c', 'd'])
    const isWrong = (order: string): boolean => order.indexOf('d') < order.indexOf('c')
    const orders = { crashes: false, powerCuts: false, steps: false, disks: false, logs: false, operators: false }
    for (const options of [{}, { exhaustive: false, seeds: 20, actions: 3, faults: orders, stopAtFirst: true }]) {
      const report = await allOrdersOf(flow, options, isWrong)
      expect(report.allOrders).not.to.equal(true)
      const [failure] = report.failures
      const text = describeFailure(failure!, 'again').join('\n')
      const ends = [...text.matchAll(/step "(.)" of flow \w+ of Ann ends/g)].map(([, name]) => name)
      expect(ends.join('')).to.match(/^a(bdc|dbc)$/)
      expect(text)
        .to.include(`the flow is right: it returned ${ends.join('')}`)
        .and.not.to.include('more time')
    }
  })
})
