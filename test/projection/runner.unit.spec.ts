/** What keeps a projection up with its log, whatever the log and its readers do. */
import { expect } from 'chai'
import { CarillonError } from '../../src/index.js'
import type { ProjectionCheckpoint, ProjectionTarget, TargetProjection } from '../../src/entries/projections.js'
import { silentLogger } from '../../src/engine/Logger.js'
import { projectionLimits } from '../../src/projection/limits.js'
import { ProjectionRunner } from '../../src/projection/ProjectionRunner.js'
import { eventsPerTick, GrowingLog } from '../subscription/GrowingLog.js'

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    if (error instanceof CarillonError) return error.code
    throw error
  }
  return 'none'
}

/** A place that takes everything, and tells where it was moved to. */
const taking = (): ProjectionTarget & { readonly moves: ProjectionCheckpoint[] } => {
  const moves: ProjectionCheckpoint[] = []
  return {
    moves,
    open: () => Promise.resolve(undefined),
    apply: (_events, to) => {
      moves.push(to)
      return Promise.resolve(true)
    },
    caughtUp: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

describe('The runner of a projection', () => {
  const running = (log: GrowingLog, target: ProjectionTarget, types: TargetProjection['types']): ProjectionRunner => {
    const definition = { name: 'shop/Totals', version: 1, types }
    const runner = new ProjectionRunner(definition, target, {
      ...{ feed: log.feed, logger: silentLogger, limits: projectionLimits },
    })
    runner.start()
    return runner
  }

  it('gets as far as the log was, although the log grows whenever it is looked at, and little of it is wanted', async () => {
    const log = new GrowingLog()
    for (let ticks = 0; ticks < 10; ticks++) log.tick()
    const most = 5_000
    log.onLook = () => {
      if (log.ticks.length < most) log.tick()
    }
    const runner = running(log, taking(), ['FlowEnded'])
    await runner.reached(9 * eventsPerTick)
    expect(log.ticks.length).to.be.lessThan(1_000)
    expect(runner.status.state).to.equal('live')
    await runner.stop()
  })

  it('moves its checkpoint now and then while it catches up, also when no event is for it', async () => {
    const log = new GrowingLog()
    while (log.ticks.length * eventsPerTick < 2.5 * projectionLimits.revisionsPerCheckpoint) log.tick()
    const target = taking()
    const runner = running(log, target, ['FlowEnded'])
    await runner.reached(log.head.revision)
    expect(target.moves.length).to.equal(2)
    await runner.stop()
  })

  it('whose node has failed says so to whoever waits for it', async () => {
    const log = new GrowingLog()
    log.tick()
    const runner = running(log, taking(), undefined)
    await runner.reached(0)
    const waiting = codeOf(runner.reached(1_000))
    log.stop(new CarillonError('log-diverged', 'The log has another history.'))
    expect(await waiting).to.equal('log-diverged')
    expect(runner.status.state).to.equal('stopped')
    await runner.stop()
  })

  it('gives up a wait when its caller does, with a typed error', async () => {
    const log = new GrowingLog()
    const runner = running(log, taking(), undefined)
    const over = new AbortController()
    const waiting = codeOf(runner.reached(1_000, over.signal))
    over.abort()
    expect(await waiting).to.equal('wait-aborted')
    expect(await codeOf(runner.reached(1_000, over.signal))).to.equal('wait-aborted')
    await runner.stop()
  })
})
