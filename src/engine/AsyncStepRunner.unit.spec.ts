import { expect } from 'chai'
import type { FlowId } from '../log/FlowId.js'
import type { StepReport, StepRequest } from '../flow/StepRunner.js'
import { VirtualClock } from '../testing/index.js'
import { instant } from '../time/Instant.js'
import { AsyncStepRunner } from './AsyncStepRunner.js'
import { silentLogger } from './Logger.js'
import type { StepEnd, StepWatch, WatchedStep } from './StepWatch.js'

const fails = (): never => {
  throw new Error('the tracer is broken')
}

const failsLater = (): unknown => Promise.reject(new Error('the tracer is broken'))

const plain: WatchedStep = { within: (run) => run(), ended: () => undefined }

/** Runs steps with a watch until all have been reported, and gives what was reported and what was said. */
const runWatched = async (
  watch: Partial<StepWatch>,
  runs: readonly (() => unknown)[],
): Promise<{ readonly reports: readonly StepReport[]; readonly warnings: readonly string[] }> => {
  const warnings: string[] = []
  const reports: StepReport[] = []
  const runner = new AsyncStepRunner(new VirtualClock(instant('2026-01-01T00:00:00Z')), {
    ...silentLogger,
    warn: (message) => void warnings.push(message),
  })
  runner.reportTo((report) => void reports.push(report))
  runner.watch({ begin: () => plain, stopped: () => undefined, ...watch })
  runs.forEach((run, position) => {
    const request: StepRequest = {
      flow: 'f' as FlowId,
      flowName: 'test/Flow',
      flowStartedMs: 0,
      position,
      name: 'outside',
      run,
      context: { attempt: 1, term: 1, idempotencyKey: `f.${position}` },
    }
    runner.start(request)
  })
  await runner.idle()
  runner.stop()
  // Whatever is rejected without anyone to hear it would end the process by now.
  await new Promise((resolve) => setImmediate(resolve))
  return { reports, warnings }
}

const refused = new Error('the outside said no')
const runs = [
  () => 'at once',
  () => Promise.resolve('later'),
  () => {
    throw refused
  },
  () => Promise.reject(refused),
]
const outcomes = [
  { kind: 'value', value: 'at once' },
  { kind: 'value', value: 'later' },
  { kind: 'error', error: refused },
  { kind: 'error', error: refused },
]

describe('What looks on at steps', () => {
  const watches: Readonly<Record<string, { readonly watch: Partial<StepWatch>; readonly warning: RegExp }>> = {
    'as they begin': { watch: { begin: fails }, warning: /failed to begin with a step.*the tracer is broken/ },
    'before they run': {
      watch: { begin: () => ({ ...plain, within: fails }) },
      warning: /failed to run a step.*the tracer is broken/,
    },
    'after they have run': {
      watch: {
        begin: () => ({
          ...plain,
          within: (run) => {
            try {
              return run()
            } finally {
              fails()
            }
          },
        }),
      },
      warning: /failed to run a step.*the tracer is broken/,
    },
    'while it awaits them': {
      watch: {
        begin: () => ({ ...plain, within: (async (run: () => unknown) => [await run(), fails()]) as never }),
      },
      warning: /failed to run a step/,
    },
    'as they end': {
      watch: { begin: () => ({ ...plain, ended: fails }) },
      warning: /failed to take note of the end of a step.*the tracer is broken/,
    },
    'some time after they have ended': {
      watch: { begin: () => ({ ...plain, ended: failsLater }) },
      warning: /failed to take note of the end of a step.*the tracer is broken/,
    },
    'as the node stops': {
      watch: { stopped: fails },
      warning: /failed to take note that the node has stopped.*the tracer is broken/,
    },
  }
  for (const [when, { watch, warning }] of Object.entries(watches))
    it(`has no say in what comes of them when it throws ${when}, and is told of once`, async () => {
      const { reports, warnings } = await runWatched(watch, runs)
      const inOrder = [...reports].sort((a, b) => a.position - b.position).map(({ result }) => result)
      expect(inOrder).to.deep.equal(outcomes)
      expect(warnings).to.have.length(1)
      expect(warnings[0]).to.match(warning)
    })

  it('cannot let a step run more than once, nor not at all, nor say that it gave something else', async () => {
    for (const within of [
      (run: () => unknown) => [run(), run()],
      () => 'something else',
      (run: () => unknown) => {
        run()
        return 'something else'
      },
    ]) {
      let calls = 0
      const { reports } = await runWatched({ begin: () => ({ ...plain, within: within as never }) }, [() => ++calls])
      expect(reports.map(({ result }) => result)).to.deep.equal([{ kind: 'value', value: 1 }])
      expect(calls).to.equal(1)
    }
  })

  it('sees the error of a step, and is not blamed for it', async () => {
    const seen: unknown[] = []
    const ends: StepEnd[] = []
    const { warnings } = await runWatched(
      {
        begin: () => ({
          within: (run) => {
            try {
              return run()
            } catch (error) {
              seen.push(error)
              throw error
            }
          },
          ended: (end) => void ends.push(end),
        }),
      },
      runs,
    )
    expect(seen).to.deep.equal([refused])
    expect(ends).to.have.deep.members(outcomes)
    expect(warnings).to.deep.equal([])
  })
})
