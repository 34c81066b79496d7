/**
 * Flows of several steps, each durable before the next begins: how long one takes alone, and how many end a second.
 */
import { quantile } from '../../statistics.js'
import type { Workload } from '../Workload.js'

/** How many steps the flows have whose pace is measured. */
export const stepCounts: readonly number[] = [1, 3, 9]
export const stepsAtLowLoad = 3
export const flowsInFlight = 100

const paceFigure = (steps: number): string => `of ${steps}`

export const stepLatency: Workload = {
  name: 'step-latency',
  measures: `Flows of ${stepsAtLowLoad} steps, one after the other with 10 ms between them: from the call until its result is known, p50 and p99.`,
  figures: { p50: 'ms', p99: 'ms' },
  run: async ({ quick, server, hire }) => {
    const hired = await hire()
    await hired.order('open', { address: server.address, work: true })
    const flows = { steps: stepsAtLowLoad, inFlight: 1, pauseMs: 10, limitMs: 60_000 }
    // A client that serves has long been compiled, and its connections are open.
    await hired.order('flows', { ...flows, count: quick ? 2 : 100 })
    const { tookMs } = await hired.order('flows', { ...flows, count: quick ? 10 : 1_000 })
    return { p50: quantile(tookMs, 0.5), p99: quantile(tookMs, 0.99) }
  },
  ours: {
    workload: 'step-flows',
    figures: (of) => ({ p50: of('3 steps at low load, p50'), p99: of('3 steps at low load, p99') }),
  },
}

export const stepPace: Workload = {
  name: 'step-pace',
  measures: `Flows of ${stepCounts.join(', ')} steps that end a second, ${flowsInFlight} of them under way all the time.`,
  figures: Object.fromEntries(stepCounts.map((steps) => [paceFigure(steps), '/s'])),
  run: async ({ quick, server, hire }) => {
    const hired = await hire()
    await hired.order('open', { address: server.address, work: true })
    const figures: Record<string, number> = {}
    for (const steps of stepCounts) {
      const flows = { steps, inFlight: flowsInFlight, pauseMs: 0, limitMs: 60_000 }
      await hired.order('flows', { ...flows, count: quick ? 10 : 300 })
      const { tookMs, allMs } = await hired.order('flows', { ...flows, count: quick ? 50 : 5_000 })
      figures[paceFigure(steps)] = (tookMs.length / allMs) * 1_000
    }
    return figures
  },
  ours: {
    workload: 'step-flows',
    figures: (of) =>
      Object.fromEntries(
        stepCounts.map((steps) => [paceFigure(steps), of(`${steps} ${steps === 1 ? 'step' : 'steps'} at high load`)]),
      ),
  },
}
