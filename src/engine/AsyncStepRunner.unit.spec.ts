import { expect } from 'chai'
import type { FlowId } from '../log/FlowId.js'
import type { StepContext } from '../flow/operations/step.js'
import type { StepReport, StepRequest } from '../flow/StepRunner.js'
import { VirtualClock } from '../testing/index.js'
import { instant } from '../time/Instant.js'
import { AsyncStepRunner } from './AsyncStepRunner.js'
import { engineLimits, type EngineLimits } from './limits.js'
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

describe('Steps that hang', () => {
  const second = 1_000
  const never = (): Promise<never> => new Promise(() => undefined)

  /** A runner on a virtual clock, and how to start a step and let seconds pass. */
  const runnerOf = (limits: Partial<EngineLimits> = {}) => {
    const clock = new VirtualClock(instant('2026-01-01T00:00:00Z'))
    const warnings: string[] = []
    const runner = new AsyncStepRunner(
      clock,
      { ...silentLogger, warn: (message) => void warnings.push(message) },
      { ...engineLimits, ...limits },
    )
    const reports: StepReport[] = []
    runner.reportTo((report) => void reports.push(report))
    let position = 0
    const start = (name: string, run: (context: StepContext) => unknown, timeoutMs?: number): void => {
      const flow = name as FlowId
      const context = { attempt: 1, term: 1, idempotencyKey: `${name}.${(position += 1)}` }
      const timed = timeoutMs === undefined ? {} : { timeoutMs }
      runner.start({ flow, flowName: 'test/Flow', flowStartedMs: 0, position, name, run, context, ...timed })
    }
    const pass = async (seconds: number): Promise<void> => {
      for (let passed = 0; passed < seconds; passed++) {
        clock.setTo(clock.now() + second)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return { runner, clock, warnings, reports, start, pass }
  }

  it('let the step of another flow begin within a minute, although ten thousand begin to hang at once', async () => {
    const { runner, start, pass, reports } = runnerOf()
    for (let index = 0; index < 10_000; index++) start(`hangs ${index}`, never)
    start('other', () => 'done')
    let waited = 0
    for (; reports.length === 0 && waited < 120; waited++) await pass(1)
    expect(waited).to.be.at.most(60)
    expect(reports.map(({ result }) => result)).to.deep.equal([{ kind: 'value', value: 'done' }])
    await pass(61)
    expect(runner.hanging).to.have.length(10_000)
    start('later', () => 'at once')
    await new Promise((resolve) => setImmediate(resolve))
    expect(reports, 'once they are listed').to.have.length(2)
    runner.stop()
  })

  it('keep their place for a second when others wait, and for as long as they like when none does', async () => {
    const { runner, start, pass } = runnerOf({ stepsInFlight: 1 })
    const begun: string[] = []
    const hangs = (name: string) => () => {
      begun.push(name)
      return never()
    }
    start('a', hangs('a'))
    await pass(30)
    start('b', hangs('b'))
    expect(begun, 'it had its place for long enough').to.deep.equal(['a', 'b'])
    start('c', hangs('c'))
    expect(begun).to.deep.equal(['a', 'b'])
    await pass(1)
    expect(begun).to.deep.equal(['a', 'b', 'c'])
    runner.stop()
  })

  it('are listed after a minute, told of in the log once, and no longer when they have ended', async () => {
    const { runner, start, pass, warnings, reports } = runnerOf()
    let finish: (value: string) => void = () => undefined
    let signal: AbortSignal | undefined
    start('charge', (context) => {
      ;({ signal } = context)
      return new Promise((resolve) => (finish = resolve))
    })
    start('quick', () => 'quick')
    await pass(59)
    expect(runner.hanging).to.deep.equal([])
    await pass(1)
    expect(runner.hanging.map(({ step, since }) => [step, since])).to.deep.equal([
      ['charge', '2026-01-01T00:00:00.000Z'],
    ])
    await pass(600)
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.contain('Step "charge" of flow test/Flow')
    expect(signal?.aborted, 'it names no timeout').to.equal(false)
    finish('paid')
    await pass(1)
    expect(runner.hanging).to.deep.equal([])
    expect(reports.at(-1)?.result).to.deep.equal({ kind: 'value', value: 'paid' })
    runner.stop()
  })

  it('are ended by the timeout that they name, and by nothing else', async () => {
    const { runner, start, pass, reports } = runnerOf()
    start('timed', never, 90 * second)
    await pass(89)
    expect(runner.hanging).to.have.length(1)
    expect(reports).to.deep.equal([])
    await pass(1)
    expect(reports.map(({ result }) => result.kind)).to.deep.equal(['error'])
    expect(runner.hanging).to.deep.equal([])
    runner.stop()
  })

  it('that wait for a place do not begin when their flow has ended', async () => {
    const { runner, start, pass } = runnerOf({ stepsInFlight: 1 })
    const begun: string[] = []
    start('slow', never)
    start('killed', () => begun.push('killed'))
    runner.forget(['killed' as FlowId])
    runner.forget(['slow' as FlowId])
    await pass(2)
    expect(begun).to.deep.equal([])
    runner.stop()
  })

  it('are told to stop when they are late, and not when they have come to their own end', async () => {
    const { runner, start, pass } = runnerOf()
    const aborted: string[] = []
    const listening =
      (name: string, run: () => unknown) =>
      ({ signal }: StepContext): unknown => {
        signal.addEventListener('abort', () => aborted.push(name))
        return run()
      }
    start(
      'returns',
      listening('returns', () => 'done'),
    )
    start(
      'throws',
      listening('throws', () => Promise.reject(new Error('no'))),
    )
    start('late', listening('late', never), second)
    await pass(2)
    expect(aborted).to.deep.equal(['late'])
    runner.stop()
  })

  it('leave no timer behind when all have ended', async () => {
    const { runner, start, clock } = runnerOf()
    start('quick', () => 'quick')
    await runner.idle()
    expect(clock.nextWakeMs()).to.equal(undefined)
  })
})
