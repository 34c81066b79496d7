/** A crash between two ticks changes nothing about how a flow with parts ends. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { FlowBody, FlowIo } from '../../src/index.js'
import { replay } from '../../src/testing/index.js'
import { dyingStore } from './dyingStore.js'
import { appOf, eventTypes, flowOf, startVirtual, textsOf, writeNote } from './ledgerOfNotes.js'

type Program =
  | { readonly do: 'write' | 'progress' | 'fail' }
  | { readonly do: 'sleep'; readonly seconds: number }
  | { readonly do: 'step'; readonly failures: number }
  | { readonly do: 'all' | 'race'; readonly parts: readonly (readonly Program[])[] }

const leaf: fc.Arbitrary<Program> = fc.oneof(
  fc.constantFrom<Program>({ do: 'write' }, { do: 'write' }, { do: 'progress' }, { do: 'fail' }),
  fc.integer({ min: 1, max: 90 }).map((seconds): Program => ({ do: 'sleep', seconds })),
  fc.nat({ max: 1 }).map((failures): Program => ({ do: 'step', failures })),
)
const groupOf = (inner: fc.Arbitrary<Program>): fc.Arbitrary<Program> =>
  fc
    .record({
      do: fc.constantFrom('all' as const, 'race' as const),
      parts: fc.array(fc.array(inner, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    })
    .map((group): Program => group)
const program = fc.oneof(leaf, groupOf(leaf), groupOf(fc.oneof(leaf, groupOf(leaf))))
const programs = fc.array(program, { minLength: 1, maxLength: 4 })

/** A part of a race that surely ends at another instant than the others: which step is faster a crash may change. */
const raced = (part: readonly Program[], index: number): readonly Program[] => [
  { do: 'sleep', seconds: 100 * (index + 1) },
  ...part.filter((what) => what.do === 'write' || what.do === 'progress'),
]

/** What a program returns names no instant and nothing that chance has drawn. */
const perform = function* (io: FlowIo, body: readonly Program[], path: string): FlowBody<unknown> {
  const trace: unknown[] = []
  try {
    for (const [place, what] of body.entries()) {
      const here = `${path}/${place}`
      switch (what.do) {
        case 'write':
          yield* writeNote(io, here, place)
          break
        case 'progress':
          yield* io.progress(here)
          break
        case 'fail':
          trace.push(isLeft(yield* io.attempt(io.step(here, fails, { retry: { attempts: 1 } }))))
          break
        case 'sleep':
          yield* io.sleep({ seconds: what.seconds })
          break
        case 'step': {
          const run = ({ attempt, idempotencyKey }: { attempt: number; idempotencyKey: string }): string => {
            if (attempt <= what.failures) throw new Error('not yet')
            return idempotencyKey.replace(io.flowId, '')
          }
          trace.push(yield* io.step(here, run, { retry: { attempts: 3, firstWaitMs: 1_000, jitter: 0 } }))
          break
        }
        case 'all':
        case 'race': {
          const parts = what.parts.map((part, index) => {
            const body = what.do === 'all' ? part : raced(part, index)
            return [`${index}`, perform(io, body, `${here}.${index}`)] as const
          })
          trace.push(what.do === 'all' ? yield* io.all(parts) : yield* io.race(parts))
          break
        }
      }
    }
    return trace
  } finally {
    yield* io.progress(`over ${path}`)
  }
}

const fails = (): never => {
  throw new Error('no')
}

const outcomeOf = async (body: readonly Program[], crashes: (tick: number) => boolean, development: boolean) => {
  const flow = flowOf((io) => perform(io, body, ''))
  const { store, died } = dyingStore(crashes)
  const app = appOf([flow])
  const virtual = await startVirtual(app, { development, store })
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
  for (let turn = 0; turn < 400 && (await virtual.node.flow(id))?.endedAt === undefined; turn++) {
    const next = virtual.clock.nextWakeMs()
    if (next !== undefined) virtual.clock.setTo(Math.max(next, virtual.clock.now()))
    await new Promise((resolve) => setImmediate(resolve))
    await goOn()
  }
  const details = await virtual.node.flow(id)
  const outcome = { status: details?.status, result: details?.result, notes: [...(await textsOf(virtual.node))].sort() }
  const restarts = (await eventTypes(virtual.node)).filter((type) => type === 'NodeStarted').length - 1
  await virtual.crash()
  const replayed = await replay(store, { app })
  return { outcome, error: details?.error, restarts, problems: replayed.problems }
}

describe('A crash between two ticks of a flow with parts', () => {
  it('changes nothing about how the flow ends, wherever and however often it happens', async function () {
    this.timeout(120_000)
    await fc.assert(
      fc.asyncProperty(programs, fc.array(fc.boolean(), { maxLength: 12 }), async (body, pattern) => {
        const calm = await outcomeOf(body, () => false, true)
        expect(calm.error).to.equal(undefined)
        expect(calm.outcome.status).to.equal('completed')
        expect(calm.problems).to.deep.equal([])
        const everywhere = await outcomeOf(body, () => true, false)
        expect(everywhere.outcome).to.deep.equal(calm.outcome)
        const somewhere = await outcomeOf(body, (tick) => pattern[tick - 1] ?? false, true)
        expect(somewhere.outcome).to.deep.equal(calm.outcome)
        expect(somewhere.problems).to.deep.equal([])
      }),
      { numRuns: 30 },
    )
  })
})
