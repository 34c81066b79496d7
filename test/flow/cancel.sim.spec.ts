/** What cancelling a flow promises: it can undo what it did, in its parts too, and it comes to its end in time. */
import { expect } from 'chai'
import { CarillonError, type FlowBody, type FlowId, type FlowIo } from '../../src/index.js'
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
