import { expect } from 'chai'
import * as t from 'io-ts'
import { left, right } from 'fp-ts/lib/Either.js'
import {
  CarillonError,
  defineContract,
  defineFlow,
  defineState,
  IntegerC,
  PartyC,
  type FlowBody,
  type FlowIo,
  type StateRef,
} from '../../src/index.js'
import type { FlowOperation } from '../../src/entries/types.js'
import {
  appOf,
  eventTypes,
  expectAlive,
  flowOf,
  Note,
  startVirtual,
  statusOf,
  Write,
  writeNote,
} from '../flow/ledgerOfNotes.js'

const Picky = defineState({
  type: 'notes/Picky',
  data: t.strict({ owner: PartyC }),
  participants: ({ owner }) => [owner],
  contract: defineContract({
    name: 'notes/Picky',
    verify: () =>
      left(Array.from({ length: 50 }, (_, index) => `rule ${index} ${'is broken and says so at length '.repeat(20)}`)),
  }),
})
const breakRules = (io: FlowIo) => io.finalise((tx) => tx.produce(Picky, { owner: io.me }).command(Write, [io.me]))

/** Whatever a flow does after it has been suspended must never reach beyond the flow. */
const afterSleep = (what: (io: FlowIo) => FlowBody<unknown>) =>
  flowOf(function* (io) {
    yield* io.sleep({ seconds: 1 })
    return yield* what(io)
  })

const misbehaviours: Readonly<Record<string, readonly [status: string, body: (io: FlowIo) => FlowBody<unknown>]>> = {
  'hundreds of long errors in one turn': [
    'completed',
    function* (io) {
      for (let n = 0; n < 60; n++) yield* io.attempt(breakRules(io))
      yield* io.sleep({ seconds: 1 })
    },
  ],
  'an error whose details are larger than a fact': ['failed: contract-violated', (io) => breakRulesAtLength(io)],
  'an endless progress label': [
    'completed',
    function* (io) {
      yield* io.progress('x'.repeat(1_000_000))
      yield* io.sleep({ seconds: 1 })
    },
  ],
  'half a surrogate pair as a progress label': [
    'completed',
    function* (io) {
      yield* io.progress('\ud800')
      yield* io.sleep({ seconds: 1 })
    },
  ],
  'half a surrogate pair as the name of a failing step': [
    'failed: step-failed',
    function* (io) {
      yield* io.step('\ud800', () => Promise.reject(new Error('no')), { retry: { attempts: 1 } })
    },
  ],
  'a sleep of NaN': ['failed: flow-threw', (io) => io.sleep({ seconds: Number.NaN })],
  'a sleep of infinity': ['failed: flow-threw', (io) => io.sleep({ seconds: Infinity })],
  'a retry policy that is no number': [
    'failed: definition-invalid',
    (io) =>
      io.step('fails', () => Promise.reject(new Error('no')), { retry: { firstWaitMs: Number.NaN, attempts: 2 } }),
  ],
  'a retry policy in fractions of milliseconds': [
    'failed: step-failed',
    (io) => io.step('fails', () => Promise.reject(new Error('no')), { retry: { firstWaitMs: 0.5, attempts: 2 } }),
  ],
  'a retry after the end of time': [
    'running',
    (io) =>
      io.step('fails', () => Promise.reject(new Error('no')), {
        retry: { firstWaitMs: Number.MAX_SAFE_INTEGER, longestWaitMs: Number.MAX_SAFE_INTEGER, attempts: 2 },
      }),
  ],
  'a ref between two outputs': [
    'completed',
    function* (io) {
      const ref = yield* writeNote(io, 'whole')
      yield* io.attempt(io.load(Note, { ...ref, index: 0.5 }))
      yield* io.sleep({ seconds: 1 })
    },
  ],
  'a ref that is none': [
    'completed',
    function* (io) {
      try {
        yield* io.load(Note, undefined as unknown as StateRef)
      } catch {
        // The flow goes on, and what it asked for is recorded.
      }
      yield* io.sleep({ seconds: 1 })
    },
  ],
  'a definition that an import cycle left undefined': [
    'failed: flow-threw',
    function* (io) {
      yield* io.query(undefined as unknown as typeof Note)
    },
  ],
  'yield where yield* was meant': [
    'failed: operation-not-yielded',
    function* (io) {
      yield io.now() as unknown as FlowOperation
    },
  ],
  'a sub-flow with input that has no canonical form': [
    'completed',
    function* (io) {
      const Odd = defineFlow({ name: 'notes/Odd', input: t.unknown, *run(): FlowBody<void> {} })
      try {
        yield* io.subFlow(Odd, { when: new Date(0) })
      } catch {
        // As above.
      }
      yield* io.sleep({ seconds: 1 })
    },
  ],
  'an error whose message is no text': [
    'failed: flow-threw',
    function* () {
      const error = new Error('x')
      Object.defineProperty(error, 'message', { value: { not: 'text' } })
      throw error
    },
  ],
  'an error with a code that is not in the catalogue': [
    'failed: made-up',
    function* () {
      throw new CarillonError('made-up' as 'usage', 'made up')
    },
  ],
  'an error with details that have no canonical form': [
    'failed: usage',
    function* () {
      throw new CarillonError('usage', 'odd', { n: Number.NaN, text: '\ud800' })
    },
  ],
}

const breakRulesAtLength = (io: FlowIo) =>
  io.finalise((tx) => tx.produce(Endless, { owner: io.me, n: 1 }).command(Write, [io.me]))
const Endless = defineState({
  type: 'notes/Endless',
  data: t.strict({ owner: PartyC, n: IntegerC }),
  participants: ({ owner }) => [owner],
  contract: defineContract({
    name: 'notes/Endless',
    verify: ({ outputs }) => (outputs.length === 0 ? right(undefined) : left(['x'.repeat(1_000_000)])),
  }),
})

describe('A flow that misbehaves after it was suspended', () => {
  for (const [what, [status, body]] of Object.entries(misbehaviours)) {
    it(`harms only itself: ${what}`, async () => {
      const flow = afterSleep(body)
      const virtual = await startVirtual(appOf([flow], [Picky, Endless]))
      const { id } = await virtual.node.start(flow, {})
      await virtual.advanceBy({ seconds: 1 })
      await expectAlive(virtual)
      await virtual.advanceBy({ hours: 1 })
      await expectAlive(virtual)
      await virtual.crash()
      await virtual.restart()
      await expectAlive(virtual)
      expect(await statusOf(virtual.node, id)).to.equal(status)
      // Whatever was recorded can be read back.
      expect(await eventTypes(virtual.node)).to.include('FlowAdvanced')
      await virtual.stop()
    })
  }
})
