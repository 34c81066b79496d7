import { expect } from 'chai'
import * as fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { defineFlow, type FlowBody, type FlowIo } from '../../src/index.js'
import * as t from 'io-ts'
import { dyingStore } from './dyingStore.js'
import { appOf, eventTypes, flowOf, Note, startVirtual, textsOf, Write, writeNote } from './ledgerOfNotes.js'

/** A small flow program: what it does, in order. Its trace is what the flow returns. */
type Instruction =
  | { readonly do: 'now' | 'newId' | 'write' | 'consume' | 'query' | 'load' | 'progress' | 'fail' | 'consumeTwice' }
  | { readonly do: 'sleep'; readonly seconds: number }
  | { readonly do: 'step'; readonly failures: number }
  | { readonly do: 'sub' | 'child'; readonly body: readonly Instruction[] }
  | { readonly do: 'await'; readonly seconds: number }

const simple = fc.constantFrom(
  ...(['now', 'newId', 'write', 'consume', 'query', 'load', 'progress', 'fail', 'consumeTwice'] as const),
)
const basic: fc.Arbitrary<Instruction> = fc.oneof(
  { weight: 5, arbitrary: simple.map((name): Instruction => ({ do: name })) },
  { weight: 2, arbitrary: fc.nat({ max: 90 }).map((seconds): Instruction => ({ do: 'sleep', seconds })) },
  { weight: 2, arbitrary: fc.nat({ max: 3 }).map((failures): Instruction => ({ do: 'step', failures })) },
)
const instruction: fc.Arbitrary<Instruction> = fc.oneof(
  { weight: 6, arbitrary: basic },
  { weight: 1, arbitrary: fc.array(basic, { maxLength: 4 }).map((body): Instruction => ({ do: 'sub', body })) },
  { weight: 1, arbitrary: fc.array(basic, { maxLength: 3 }).map((body): Instruction => ({ do: 'child', body })) },
  { weight: 1, arbitrary: fc.nat({ max: 90 }).map((seconds): Instruction => ({ do: 'await', seconds })) },
)
const programs = fc.array(instruction, { minLength: 1, maxLength: 9 })

const perform = function* (io: FlowIo, { body }: { readonly body: readonly Instruction[] }): FlowBody<unknown[]> {
  const trace: unknown[] = []
  for (const [place, what] of body.entries()) {
    switch (what.do) {
      case 'now':
        trace.push(yield* io.now())
        break
      case 'newId':
        trace.push(yield* io.newId())
        break
      case 'write':
        trace.push(yield* writeNote(io, `note ${place}`, place))
        break
      case 'query':
        trace.push((yield* io.query(Note)).map(({ data }) => data.text))
        break
      case 'load': {
        const [note] = yield* io.query(Note, { limit: 1 })
        trace.push(note === undefined ? 'none' : (yield* io.load(Note, note.ref)).data.n)
        break
      }
      case 'consume':
      case 'consumeTwice': {
        const [note] = yield* io.query(Note, { limit: 1 })
        if (note === undefined) break
        for (let time = 0; time < (what.do === 'consume' ? 1 : 2); time++) {
          const outcome = yield* io.attempt(io.finalise((tx) => tx.consume(note).command(Write, [io.me])))
          trace.push(isLeft(outcome) ? outcome.left.code : outcome.right.id)
        }
        break
      }
      case 'progress':
        yield* io.progress(`at ${place}`)
        break
      case 'fail':
        try {
          yield* io.finalise((tx) => tx.command(Write, [io.me]))
        } catch (error) {
          trace.push(String(error))
        }
        break
      case 'sleep':
        yield* io.sleep({ seconds: what.seconds })
        break
      case 'step': {
        const run = ({ attempt, idempotencyKey }: { attempt: number; idempotencyKey: string }) => {
          if (attempt <= what.failures) throw new Error(`failure ${attempt}`)
          return { attempt, idempotencyKey }
        }
        const outcome = yield* io.attempt(io.step(`step ${place}`, run, { retry: { attempts: 3 } }))
        trace.push(isLeft(outcome) ? outcome.left.message : outcome.right)
        break
      }
      case 'child':
        trace.push(yield* io.join(yield* io.start(Sub, { body: what.body })))
        break
      case 'await': {
        const [note] = yield* io.query(Note, { limit: 1 })
        if (note === undefined) break
        trace.push(isSome(yield* io.waitForConsumption(note, { within: { seconds: what.seconds } })))
        break
      }
      case 'sub':
        trace.push(yield* io.subFlow(Sub, { body: what.body }))
        break
    }
  }
  return trace
}

const Sub = defineFlow({
  name: 'notes/Sub',
  input: t.type({ body: t.unknown }) as unknown as t.Type<{ readonly body: readonly Instruction[] }, unknown>,
  run: perform,
})

const flowFor = (program: readonly Instruction[]) => flowOf((io) => perform(io, { body: program }))

/** Runs a program to its end on a fresh node that dies after the ticks that `crashes` says, and is restarted. */
const outcomeOf = async (program: readonly Instruction[], crashes: (tick: number) => boolean, development: boolean) => {
  const flow = flowFor(program)
  const { store, died } = dyingStore(crashes)
  const virtual = await startVirtual(appOf([flow, Sub]), { development, store })
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
  for (let turn = 0; turn < 200 && (await virtual.node.flow(id))?.endedAt === undefined; turn++) {
    const next = virtual.clock.nextWakeMs()
    if (next !== undefined) virtual.clock.setTo(Math.max(next, virtual.clock.now()))
    await new Promise((resolve) => setImmediate(resolve))
    await goOn()
  }
  const types = await eventTypes(virtual.node)
  const details = await virtual.node.flow(id)
  const outcome = {
    status: details?.status,
    result: details?.result,
    progress: details?.progress,
    endedAt: details?.endedAt,
    notes: await textsOf(virtual.node),
    transactions: types.filter((type) => type === 'TransactionRecorded').length,
  }
  const restarts = types.filter((type) => type === 'NodeStarted').length - 1
  await virtual.crash()
  return { outcome, restarts, ticks: died.ticks }
}

describe('A crash between two ticks of a flow', () => {
  it('changes nothing about how the flow ends, wherever and however often it happens', async function () {
    await fc.assert(
      fc.asyncProperty(programs, fc.array(fc.boolean(), { maxLength: 12 }), async (program, pattern) => {
        const calm = await outcomeOf(program, () => false, true)
        expect(calm.outcome.status).to.equal('completed')
        const everywhere = await outcomeOf(program, () => true, false)
        expect(everywhere.outcome).to.deep.equal(calm.outcome)
        expect(everywhere.restarts).to.equal(everywhere.ticks)
        const somewhere = await outcomeOf(program, (tick) => pattern[tick - 1] ?? false, true)
        expect(somewhere.outcome).to.deep.equal(calm.outcome)
      }),
      { numRuns: 30 },
    )
  })
})
