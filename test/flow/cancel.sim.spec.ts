/** What cancelling a flow promises: it can undo what it did, in its parts too, and it comes to its end in time. */
import { expect } from 'chai'
import {
  CarillonError,
  defineFlow,
  NoInputC,
  type FlowBody,
  type FlowDefinition,
  type FlowId,
  type FlowIo,
} from '../../src/index.js'
import { replay, type VirtualNode } from '../../src/testing/index.js'
import { dyingStore } from './dyingStore.js'
import { appOf, crashAndRestart, eventsOf, flowOf, refusal, startVirtual, statusOf } from './ledgerOfNotes.js'

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const startFlow = async (
  run: (io: FlowIo) => FlowBody<unknown>,
  options: Parameters<typeof startVirtual>[1] = {},
): Promise<{ readonly virtual: VirtualNode; readonly id: FlowId }> => {
  const virtual = await startVirtual(appOf([flowOf(run)]), options)
  const { id } = await virtual.node.startByName('notes/Tested', {})
  await settle()
  return { virtual, id }
}

const nap = (io: FlowIo): FlowBody<void> => io.sleep({ days: 1 })

describe('A flow that is cancelled', () => {
  it('gets flow-cancelled where it waits, and ends as killed, with who did it', async () => {
    const seen: unknown[] = []
    const { virtual, id } = await startFlow(
      function* (io): FlowBody<void> {
        try {
          yield* nap(io)
        } catch (error) {
          seen.push(error)
          throw error
        } finally {
          yield* io.step('undo', () => 'undone')
        }
      },
      { development: false },
    )
    await virtual.node.cancelFlow(id, { by: 'carol' })
    const error = await refusal(virtual.node.resultOf(id), 'flow-cancelled')
    expect(error.message).to.equal('Cancelled by carol.')
    expect(seen).to.have.length(1)
    expect(seen[0]).to.be.instanceOf(CarillonError).and.to.include({ code: 'flow-cancelled' })
    const flow = await virtual.node.flow(id)
    expect(flow?.status).to.equal('killed')
    expect(flow?.record.map(({ kind }) => kind)).to.deep.equal(['cancelled', 'step'])
    expect(flow?.troubles.map(({ what, by }) => `${what} by ${by ?? ''}`)).to.deep.equal(['cancelled by carol'])
    await virtual.stop()
  })

  it('may complete all the same, and a step it waited for is aborted', async () => {
    let signal: AbortSignal | undefined
    const { virtual, id } = await startFlow(function* (io): FlowBody<string> {
      try {
        yield* io.step('long', (context) => {
          ;({ signal } = context)
          return new Promise<string>(() => undefined)
        })
        return 'done'
      } catch {
        return 'undone'
      }
    })
    await virtual.node.cancelFlow(id)
    expect(await virtual.node.resultOf(id)).to.equal('undone')
    expect(signal?.aborted).to.equal(true)
    await virtual.stop()
  })

  it('is cancelled in all its parts, the flow itself last, and the record is the same when it is run again', async () => {
    const keys: string[] = []
    const part = function* (io: FlowIo, name: string): FlowBody<void> {
      try {
        yield* io.step(`do ${name}`, ({ idempotencyKey }) => void keys.push(idempotencyKey))
        yield* nap(io)
      } catch (error) {
        yield* io.step(`undo ${name}`, ({ idempotencyKey }) => void keys.push(idempotencyKey))
        throw error
      }
    }
    const run = function* (io: FlowIo): FlowBody<void> {
      try {
        yield* io.all({ a: part(io, 'a'), b: part(io, 'b') })
      } finally {
        yield* io.step('undo all', ({ idempotencyKey }) => void keys.push(idempotencyKey))
      }
    }
    const app = appOf([flowOf(run)])
    const { virtual, id } = await startFlow(run)
    await virtual.node.cancelFlow(id)
    await refusal(virtual.node.resultOf(id), 'flow-cancelled')
    const labels = (await virtual.node.flow(id))?.record.map(
      ({ kind, label = kind, part: path = '-' }) => `${path} ${label}`,
    )
    expect(labels).to.deep.equal([
      '- all of 2: a, b',
      '1 step "do a"',
      '2 step "do b"',
      '- cancelled by api',
      '1 step "undo a"',
      '2 step "undo b"',
      '- step "undo all"',
    ])
    expect(new Set(keys).size, 'every step has a key of its own').to.equal(5)
    expect((await replay(virtual.node, { app })).problems).to.deep.equal([])
    await virtual.stop()
  })

  it('is killed by a second cancel, or at the deadline, also after a crash', async () => {
    const stubborn = function* (io: FlowIo): FlowBody<void> {
      for (;;) {
        try {
          yield* nap(io)
        } catch {
          yield* io.now()
        }
      }
    }
    const first = await startFlow(stubborn)
    await first.virtual.node.cancelFlow(first.id)
    await first.virtual.runUntilQuiet()
    expect(await statusOf(first.virtual.node, first.id)).to.equal('running')
    await first.virtual.node.cancelFlow(first.id)
    expect(await statusOf(first.virtual.node, first.id)).to.equal('killed: flow-killed')
    await first.virtual.stop()

    const second = await startFlow(stubborn)
    await second.virtual.node.cancelFlow(second.id, { withinMs: 60_000 })
    await crashAndRestart(second.virtual)
    await second.virtual.advanceBy({ seconds: 59 })
    expect(await statusOf(second.virtual.node, second.id)).to.equal('running')
    await second.virtual.advanceBy({ seconds: 1 })
    expect(await statusOf(second.virtual.node, second.id)).to.equal('killed: flow-killed')
    await second.virtual.stop()
  })

  it('goes on to clean up although it was paused or parked', async () => {
    for (const how of ['paused', 'parked'] as const) {
      const { virtual, id } = await startFlow(function* (io): FlowBody<string> {
        try {
          if (how === 'parked')
            yield* io.step('down', () => Promise.reject(new Error('down')), {
              retry: { attempts: 1 },
              whenExhausted: 'park',
            })
          yield* nap(io)
          return 'done'
        } catch {
          return 'undone'
        }
      })
      if (how === 'paused') await virtual.node.pauseFlow(id)
      expect((await virtual.node.flow(id))?.status).to.equal(how)
      await virtual.node.cancelFlow(id)
      expect(await virtual.node.resultOf(id)).to.equal('undone')
      await virtual.stop()
    }
  })

  it('gets the same error when it is run again, in its parts too', async () => {
    const by = 'ann'.repeat(1_000)
    const undo = function* (io: FlowIo, error: unknown): FlowBody<void> {
      const told = error instanceof CarillonError ? JSON.stringify(error.details) : ''
      yield* io.sleep({ seconds: 10 })
      yield* io.step(`undo ${told}`, () => undefined)
      yield* io.sleep({ seconds: 10 })
      yield* io.step(`undo more ${told}`, () => undefined)
    }
    const whole = function* (io: FlowIo): FlowBody<string> {
      try {
        yield* nap(io)
      } catch (error) {
        yield* undo(io, error)
      }
      return 'undone'
    }
    const parted = function* (io: FlowIo): FlowBody<string> {
      try {
        yield* io.all({ a: whole(io), b: nap(io) })
      } catch (error) {
        yield* undo(io, error)
      }
      return 'undone'
    }
    for (const run of [whole, parted])
      for (const development of [true, false]) {
        const { virtual, id } = await startFlow(run, { development })
        await virtual.node.cancelFlow(id, { by })
        await virtual.advanceBy({ seconds: 15 })
        if (!development) await crashAndRestart(virtual)
        await virtual.advanceBy({ minutes: 1 })
        expect(await statusOf(virtual.node, id)).to.equal('completed')
        await virtual.stop()
      }
  })

  it('is killed at the deadline although it is held, and says so', async () => {
    const undoing = function* (io: FlowIo): FlowBody<void> {
      try {
        yield* nap(io)
      } finally {
        yield* io.sleep({ days: 300 })
      }
    }
    const late = /^Cancelled by ann\. It had not ended by .*, so it was killed\.$/u
    const paused = await startFlow(undoing)
    await paused.virtual.node.cancelFlow(paused.id, { by: 'ann' })
    await paused.virtual.runUntilQuiet()
    await paused.virtual.node.pauseFlow(paused.id, { by: 'bob' })
    await paused.virtual.advanceBy({ minutes: 59 })
    expect(await statusOf(paused.virtual.node, paused.id)).to.equal('paused')
    await paused.virtual.advanceBy({ minutes: 1 })
    expect(await statusOf(paused.virtual.node, paused.id)).to.equal('killed: flow-killed')
    expect((await paused.virtual.node.flow(paused.id))?.error?.message).to.match(late)
    await paused.virtual.stop()

    const parked = await startFlow(undoing)
    await crashAndRestart(parked.virtual, appOf([]))
    await parked.virtual.node.cancelFlow(parked.id, { by: 'ann' })
    await parked.virtual.runUntilQuiet()
    expect(await statusOf(parked.virtual.node, parked.id)).to.equal('parked: flow-code-missing')
    await crashAndRestart(parked.virtual)
    await parked.virtual.advanceBy({ hours: 1 })
    expect(await statusOf(parked.virtual.node, parked.id)).to.equal('killed: flow-killed')
    await parked.virtual.stop()
  })

  it('keeps the deadline when a step of it comes back while it is paused', async () => {
    let finish = (): void => undefined
    const { virtual, id } = await startFlow(function* (io): FlowBody<void> {
      try {
        yield* nap(io)
      } finally {
        yield* io.step('undo', () => new Promise<void>((resolve) => (finish = resolve)))
      }
    })
    await virtual.node.cancelFlow(id)
    await settle()
    await virtual.node.pauseFlow(id)
    finish()
    await settle()
    await virtual.runUntilQuiet()
    expect((await virtual.node.flow(id))?.record.map(({ kind }) => kind)).to.deep.equal(['cancelled', 'step'])
    await virtual.advanceBy({ hours: 1 })
    expect(await statusOf(virtual.node, id)).to.equal('killed: flow-killed')
    await virtual.stop()
  })

  it('stays held when its parent ends, if it was held after it was cancelled', async () => {
    const child = flowOf(function* (io): FlowBody<void> {
      try {
        yield* nap(io)
      } finally {
        yield* nap(io)
      }
    }, 'notes/Child')
    const parent = flowOf(function* (io): FlowBody<FlowId> {
      const { id } = yield* io.start(child, {}, { whenParentEnds: 'cancel' })
      yield* io.sleep({ minutes: 1 })
      return id
    })
    const virtual = await startVirtual(appOf([child, parent]))
    const { id } = await virtual.node.start(parent, {})
    await virtual.runUntilQuiet()
    const held = (await virtual.node.flow(id))?.children[0]?.id ?? ('' as FlowId)
    await virtual.node.cancelFlow(held)
    await virtual.runUntilQuiet()
    await virtual.node.pauseFlow(held)
    await virtual.advanceBy({ minutes: 2 })
    expect(await statusOf(virtual.node, id)).to.equal('completed')
    expect(await statusOf(virtual.node, held)).to.equal('paused')
    await virtual.advanceBy({ hours: 1 })
    expect(await statusOf(virtual.node, held)).to.equal('killed: flow-killed')
    await virtual.stop()
  })

  it('cannot continue as another', async () => {
    const again: FlowDefinition<Record<string, never>, unknown> = flowOf(function* (io): FlowBody<unknown> {
      try {
        yield* nap(io)
      } catch {
        yield* io.now()
      }
      return yield* io.continueAs(again, {})
    })
    const virtual = await startVirtual(appOf([again]))
    const { id } = await virtual.node.start(again, {})
    await virtual.node.cancelFlow(id)
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id)).to.equal('failed: flow-not-continuable')
    await virtual.stop()
  })

  it('ends at once when its code is at its end, and only waits to be tried again, or is parked with its error', async () => {
    for (const whenFailing of ['fail', 'park'] as const) {
      let runs = 0
      const failing = defineFlow({
        name: 'notes/Failing',
        input: NoInputC,
        whenFailing,
        transient: whenFailing === 'fail' ? ['state-unknown'] : [],
        retry: { attempts: 200, firstWaitMs: 3_600_000, longestWaitMs: 3_600_000 },
        *run(io): FlowBody<void> {
          yield* io.step('a', () => undefined)
          runs += 1
          throw new CarillonError('state-unknown', 'not yet')
        },
      })
      const virtual = await startVirtual(appOf([failing]), { development: false })
      const { id } = await virtual.node.start(failing, {})
      await virtual.runUntilQuiet()
      const before = runs
      await virtual.node.cancelFlow(id, { by: 'ann' })
      await virtual.runUntilQuiet()
      expect(await statusOf(virtual.node, id)).to.equal('killed: flow-cancelled')
      expect(runs - before).to.be.at.most(1)
      expect((await virtual.node.flow(id))?.error?.causes?.[0]?.message).to.equal('not yet')
      await virtual.stop()
    }
  })

  it('is not kept for another try, or to be looked at, when it fails to clean up', async () => {
    for (const whenFailing of ['fail', 'park'] as const) {
      const failing = defineFlow({
        name: 'notes/Failing',
        input: NoInputC,
        whenFailing,
        transient: ['state-unknown'],
        *run(io): FlowBody<void> {
          try {
            yield* nap(io)
          } catch {
            yield* io.step('undo', () => undefined)
            throw new CarillonError(whenFailing === 'fail' ? 'state-unknown' : 'notes/broken', 'cannot undo')
          }
        },
      })
      const virtual = await startVirtual(appOf([failing]))
      const { id } = await virtual.node.start(failing, {})
      await virtual.node.cancelFlow(id)
      await virtual.runUntilQuiet()
      expect(await statusOf(virtual.node, id)).to.match(/^failed: /u)
      await virtual.stop()
    }
  })

  it('has a whole number of milliseconds for it, or the request is refused', async () => {
    const { virtual, id } = await startFlow(nap)
    for (const withinMs of [-1, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      await refusal(virtual.node.cancelFlow(id, { withinMs }), 'request-invalid')
    expect(await statusOf(virtual.node, id)).to.equal('running')
    await virtual.stop()
  })

  it('fails when it cannot clean up', async () => {
    const { virtual, id } = await startFlow(function* (io): FlowBody<void> {
      try {
        yield* nap(io)
      } finally {
        yield* io.step('undo', () => Promise.reject(new Error('no')), { retry: { attempts: 1 } })
      }
    })
    await virtual.node.cancelFlow(id)
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id)).to.equal('failed: step-failed')
    await virtual.stop()
  })

  it('cannot be one that has ended, or is not there, and nothing is recorded then', async () => {
    const { virtual, id } = await startFlow(function* (io): FlowBody<string> {
      yield* io.now()
      return 'done'
    })
    const before = (await eventsOf(virtual.node)).length
    await refusal(virtual.node.cancelFlow(id), 'flow-ended')
    await refusal(virtual.node.cancelFlow('0'.repeat(32) as FlowId), 'flow-not-found')
    await refusal(
      virtual.node.operate({ on: 'flow', action: 'cancel', flow: id, withinMs: -1 } as never, 'cli:me' as never),
    )
    expect((await eventsOf(virtual.node)).length).to.equal(before)
    await virtual.stop()
  })
})

describe('A saga', () => {
  it('undoes exactly what it did, in the opposite order, wherever the process dies', async () => {
    const book = ['flight', 'hotel', 'car'] as const
    const outcomeOf = async (crashes: (tick: number) => boolean) => {
      /** What the outside holds, by key: doing something twice under one key is doing it once. */
      const booked = new Map<string, string>()
      const undone: string[] = []
      const flow = flowOf(function* (io): FlowBody<string> {
        const done: string[] = []
        try {
          for (const what of book) {
            yield* io.step(`book ${what}`, () => void booked.set(what, 'booked'))
            done.push(what)
          }
          yield* io.sleep({ days: 1 })
          return 'travelled'
        } catch (error) {
          for (const what of done.reverse())
            yield* io.step(`cancel ${what}`, () => {
              if (booked.delete(what)) undone.push(what)
            })
          throw error
        }
      })
      const { store, died } = dyingStore(crashes)
      const virtual = await startVirtual(appOf([flow]), { store, development: false })
      const goOn = async (): Promise<void> => {
        await virtual.runUntilQuiet()
        while (died.now) {
          await virtual.crash()
          died.now = false
          await virtual.restart()
        }
      }
      const { id } = await virtual.node.start(flow, {})
      await goOn()
      await virtual.node.cancelFlow(id)
      await goOn()
      const status = await statusOf(virtual.node, id)
      await virtual.crash()
      return { outcome: { status, booked: [...booked], undone }, ticks: died.ticks }
    }
    const calm = await outcomeOf(() => false)
    expect(calm.outcome).to.deep.equal({
      status: 'killed: flow-cancelled',
      booked: [],
      undone: ['car', 'hotel', 'flight'],
    })
    expect(calm.ticks).to.be.greaterThan(6)
    for (let at = 1; at <= calm.ticks; at++)
      expect((await outcomeOf((tick) => tick === at)).outcome, `dies after tick ${at}`).to.deep.equal(calm.outcome)
    expect((await outcomeOf(() => true)).outcome).to.deep.equal(calm.outcome)
  })
})
