import { expect } from 'chai'
import * as t from 'io-ts'
import { left, right } from 'fp-ts/lib/Either.js'
import {
  allOf,
  defineCommand,
  defineContract,
  defineState,
  instant,
  IntegerC,
  PartyC,
  rule,
  type FlowBody,
  type FlowIo,
  type Instant,
  type Party,
  type PublicKey,
  type StateRef,
} from '../../src/index.js'
import { generateKeyPair } from '../../src/entries/keys.js'
import type { ErrorCode, Finalised, Verify } from '../../src/entries/types.js'
import {
  appOf,
  eventTypes,
  expectAlive,
  flowOf,
  Note,
  refusal,
  startVirtual,
  Write,
  writeNote,
} from '../flow/ledgerOfNotes.js'

const stateUnder = (name: string, verify: Verify) =>
  defineState({
    type: `notes/${name}`,
    data: t.strict({ owner: PartyC, n: IntegerC }),
    participants: ({ owner }) => [owner],
    contract: defineContract({ name: `notes/${name}`, verify }),
  })

const Strict = stateUnder('Strict', ({ outputs }) =>
  allOf([
    rule('there is exactly one output', outputs.length === 1),
    rule('the sky is green', false),
    rule('water flows uphill', false),
  ]),
)
const Thrower = stateUnder('Thrower', () => {
  throw new TypeError('contract code broke')
})
const Silent = stateUnder('Silent', (() => undefined) as unknown as Verify)
const Chatty = stateUnder('Chatty', (() => left('not a list')) as unknown as Verify)
const Loose = stateUnder('Loose', () => right(undefined))
const AskingNobody = defineState({
  type: 'notes/AskingNobody',
  data: t.strict({ n: IntegerC }),
  contract: Loose.contract,
  participants: ({ n }) => {
    if (n > 0) throw new Error('participants code broke')
    return n < 0 ? ([{ name: 'Nobody', key: 'no key' }] as unknown as readonly Party[]) : []
  },
})
const Unsure = defineState({
  type: 'notes/Unsure',
  data: t.strict({ n: IntegerC }),
  contract: Loose.contract,
  participants: () => [],
  isRelevant: ({ n }) => {
    if (n > 0) throw new Error('relevance code broke')
    return 'yes' as unknown as boolean
  },
})
const Unregistered = defineState({ type: 'notes/Notee', data: t.strict({}), participants: () => [] })
const Impostor = defineState({ type: 'notes/Strict', data: t.strict({ n: IntegerC }), participants: () => [] })
const Sized = defineCommand({ type: 'notes/Sized', data: t.strict({ size: IntegerC }) })
const other: Party = { name: 'Bob', key: generateKeyPair().publicKey }

type Attempt = {
  readonly code: ErrorCode
  /** What the message must say. */
  readonly says: readonly string[]
  readonly build: (io: FlowIo, note: StateRef) => FlowBody<Finalised>
}

const attempts: Readonly<Record<string, Attempt>> = {
  'state data that does not fit the codec': {
    code: 'state-data-invalid',
    says: ['notes/Note', 'n is "many", expected Integer'],
    build: (io) =>
      io.finalise((tx) =>
        tx.produce(Note, { owner: io.me, text: 'x', n: 'many' as unknown as number }).command(Write, [io.me]),
      ),
  },
  'state data without a canonical form': {
    code: 'state-data-invalid',
    says: ['notes/Note', 'text', 'surrogate'],
    build: (io) =>
      io.finalise((tx) => tx.produce(Note, { owner: io.me, text: '\udc00', n: 1 }).command(Write, [io.me])),
  },
  'a state type the app does not define': {
    code: 'state-type-unknown',
    says: ['notes/Notee', "Add it to the app's states"],
    build: (io) => io.finalise((tx) => tx.produce(Unregistered, {}).command(Write, [io.me])),
  },
  'a second definition of a state type, under weaker rules': {
    code: 'definition-invalid',
    says: ['notes/Strict', 'another definition'],
    build: (io) => io.finalise((tx) => tx.produce(Impostor, { n: 1 }).command(Write, [io.me])),
  },
  'broken rules, all of them named': {
    code: 'contract-violated',
    says: ['2 rules', 'the sky is green; water flows uphill'],
    build: (io) => io.finalise((tx) => tx.produce(Strict, { owner: io.me, n: 1 }).command(Write, [io.me])),
  },
  'a contract that throws': {
    code: 'contract-threw',
    says: ['notes/Thrower version 1', 'contract code broke'],
    build: (io) => io.finalise((tx) => tx.produce(Thrower, { owner: io.me, n: 1 }).command(Write, [io.me])),
  },
  'a contract that returns nothing': {
    code: 'contract-threw',
    says: ['notes/Silent version 1', 'Either'],
    build: (io) => io.finalise((tx) => tx.produce(Silent, { owner: io.me, n: 1 }).command(Write, [io.me])),
  },
  'a contract whose violations are no list': {
    code: 'contract-threw',
    says: ['notes/Chatty version 1', 'Either'],
    build: (io) => io.finalise((tx) => tx.produce(Chatty, { owner: io.me, n: 1 }).command(Write, [io.me])),
  },
  'participants() that throws': {
    code: 'state-definition-faulty',
    says: ['participants of notes/AskingNobody', 'participants code broke'],
    build: (io) => io.finalise((tx) => tx.produce(AskingNobody, { n: 1 }).command(Write, [io.me])),
  },
  'participants() that gives no parties': {
    code: 'state-definition-faulty',
    says: ['participants of notes/AskingNobody', 'parties'],
    build: (io) => io.finalise((tx) => tx.produce(AskingNobody, { n: -1 }).command(Write, [io.me])),
  },
  'isRelevant() that throws': {
    code: 'state-definition-faulty',
    says: ['isRelevant of notes/Unsure', 'relevance code broke'],
    build: (io) => io.finalise((tx) => tx.produce(Unsure, { n: 1 }).command(Write, [io.me])),
  },
  'isRelevant() that gives no boolean': {
    code: 'state-definition-faulty',
    says: ['isRelevant of notes/Unsure', 'true or false'],
    build: (io) => io.finalise((tx) => tx.produce(Unsure, { n: 0 }).command(Write, [io.me])),
  },
  'a participant that is no signer': {
    code: 'contract-violated',
    says: ['Bob takes part in the transaction and must be a signer'],
    build: (io) =>
      io.finalise((tx) => tx.produce(Note, { owner: other, text: 'for Bob', n: 0 }).command(Write, [io.me])),
  },
  'the signature of a party that is not here': {
    code: 'signature-missing',
    says: [other.key, 'Open a session with that party'],
    build: (io) =>
      io.finalise((tx) => tx.produce(Note, { owner: other, text: 'for Bob', n: 0 }).command(Write, [other])),
  },
  'a signer that is no key': {
    code: 'transaction-malformed',
    says: ['notes/Write', 'signer', 'Bob'],
    build: (io) =>
      io.finalise((tx) =>
        tx.produce(Note, { owner: io.me, text: 'x', n: 0 }).command(Write, ['Bob' as unknown as PublicKey]),
      ),
  },
  'neither a command, nor anything consumed or produced': {
    code: 'transaction-malformed',
    says: ['neither consumes nor produces'],
    build: (io) => io.finalise((tx) => tx),
  },
  'something replaced that was not read': {
    code: 'state-unknown',
    says: ['io.load', 'not a copy'],
    build: function* (io, note) {
      const read = yield* io.load(Note, note)
      return yield* io.finalise((tx) => tx.replace({ ...read }, { text: 'y' }))
    },
  },
  'a replaced state with data that does not fit': {
    code: 'state-data-invalid',
    says: ['notes/Note', 'n is "many"'],
    build: function* (io, note) {
      const read = yield* io.load(Note, note)
      return yield* io.finalise((tx) => tx.replace(read, { n: 'many' as unknown as number }))
    },
  },
  'a command without a signer': {
    code: 'transaction-malformed',
    says: ['command notes/Write has no signer'],
    build: (io) => io.finalise((tx) => tx.produce(Note, { owner: io.me, text: 'x', n: 0 }).command(Write, [])),
  },
  'command data that does not fit': {
    code: 'command-data-invalid',
    says: ['notes/Sized', 'size is "big", expected Integer'],
    build: (io, note) =>
      io.finalise((tx) => tx.consume(note).command(Sized, [io.me], { size: 'big' as unknown as number })),
  },
  'command data where there should be none': {
    code: 'command-data-invalid',
    says: ['notes/Write', 'no data'],
    build: (io, note) =>
      io.finalise((tx) => tx.consume(note).command(Write as unknown as typeof Sized, [io.me], { size: 1 })),
  },
  'nothing consumed and nothing produced': {
    code: 'transaction-malformed',
    says: ['neither consumes nor produces'],
    build: (io) => io.finalise((tx) => tx.command(Write, [io.me])),
  },
  'the same state consumed twice': {
    code: 'transaction-malformed',
    says: ['twice'],
    build: (io, note) => io.finalise((tx) => tx.consume(note, note).command(Write, [io.me])),
  },
  'a state both consumed and referenced': {
    code: 'transaction-malformed',
    says: ['both consumes and references'],
    build: (io, note) => io.finalise((tx) => tx.consume(note).reference(note).command(Write, [io.me])),
  },
  'a ref to a transaction nobody knows': {
    code: 'state-unknown',
    says: ['This node holds no state', '0000:0'],
    build: (io) =>
      io.finalise((tx) =>
        tx.consume({ transaction: '0'.repeat(64) as StateRef['transaction'], index: 0 }).command(Write, [io.me]),
      ),
  },
  'a ref beyond the outputs': {
    code: 'state-unknown',
    says: ['This node holds no state', ':7'],
    build: (io, note) => io.finalise((tx) => tx.consume({ ...note, index: 7 }).command(Write, [io.me])),
  },
  'a ref between two outputs': {
    code: 'state-unknown',
    says: ['not a state ref'],
    build: (io, note) => io.finalise((tx) => tx.consume({ ...note, index: 0.5 }).command(Write, [io.me])),
  },
  'a ref that is none': {
    code: 'state-unknown',
    says: ['not a state ref'],
    build: (io) => io.finalise((tx) => tx.reference(undefined as unknown as StateRef).command(Write, [io.me])),
  },
  'a time window that has closed': {
    code: 'time-window-closed',
    says: ['until before 2026-01-01T00:00:00.000Z', 'it is 2026-01-01T00:00:00.000Z'],
    build: (io, note) =>
      io.finalise((tx) =>
        tx
          .consume(note)
          .command(Write, [io.me])
          .timeWindow({ until: instant('2026-01-01T00:00:00.000Z') }),
      ),
  },
  'a time window that has not opened': {
    code: 'time-window-closed',
    says: ['from 2026-01-01T00:00:00.001Z'],
    build: (io, note) =>
      io.finalise((tx) =>
        tx
          .consume(note)
          .command(Write, [io.me])
          .timeWindow({ from: instant('2026-01-01T00:00:00.001Z') }),
      ),
  },
  'a time window that ends before it begins': {
    code: 'transaction-malformed',
    says: ['ends before it begins'],
    build: (io, note) =>
      io.finalise((tx) =>
        tx
          .consume(note)
          .command(Write, [io.me])
          .timeWindow({ from: instant('2027-01-01T00:00Z'), until: instant('2025-01-01T00:00Z') }),
      ),
  },
  'a time window of something that is no instant': {
    code: 'instant-invalid',
    says: ['time window', '2026-01-31T09:00:00.000Z'],
    build: (io, note) =>
      io.finalise((tx) =>
        tx
          .consume(note)
          .command(Write, [io.me])
          .timeWindow({ until: '31.12.2027' as Instant }),
      ),
  },
  'a notary that is someone else': {
    code: 'transaction-malformed',
    says: ['Bob as its notary'],
    build: (io, note) => io.finalise((tx) => tx.consume(note).command(Write, [io.me]).notary(other)),
  },
  'more components than a transaction may have': {
    code: 'transaction-malformed',
    says: ['1001 outputs; at most 1000 are allowed'],
    build: (io) =>
      io.finalise((tx) => {
        for (let n = 0; n <= 1_000; n++) tx.produce(Note, { owner: io.me, text: 'x', n })
        return tx.command(Write, [io.me])
      }),
  },
  'a transaction larger than a fact': {
    code: 'fact-too-large',
    says: ['TransactionRecorded', '262144 bytes', 'record its hash'],
    build: (io) =>
      io.finalise((tx) => tx.produce(Note, { owner: io.me, text: 'x'.repeat(400_000), n: 0 }).command(Write, [io.me])),
  },
}

describe('A transaction that must not be', () => {
  for (const [what, { code, says, build }] of Object.entries(attempts)) {
    it(`is refused and leaves no trace: ${what}`, async () => {
      const flow = flowOf(function* (io) {
        const note = yield* writeNote(io, 'before')
        yield* build(io, note)
      })
      const virtual = await startVirtual(appOf([flow], [Strict, Thrower, Silent, Chatty, Loose, AskingNobody, Unsure]))
      const before = virtual.node.head.revision
      const error = await refusal(virtual.node.run(flow, {}), code)
      for (const words of says) expect(error.message).to.include(words)
      expect(await eventTypes(virtual.node, before + 1)).to.deep.equal([
        'FlowStarted',
        'TransactionRecorded',
        'FlowEnded',
      ])
      await expectAlive(virtual)
      await virtual.stop()
    })

    it(`is met by the flow as an error it can go on from, also after a crash: ${what}`, async () => {
      const flow = flowOf(function* (io) {
        const note = yield* writeNote(io, 'before')
        const first = yield* io.attempt(build(io, note))
        yield* io.sleep({ seconds: 1 })
        return first._tag === 'Left' ? { code: first.left.code, message: first.left.message } : 'recorded'
      })
      const virtual = await startVirtual(appOf([flow], [Strict, Thrower, Silent, Chatty, Loose, AskingNobody, Unsure]))
      const { id } = await virtual.node.start(flow, {})
      await virtual.crash()
      await virtual.restart()
      await virtual.advanceBy({ seconds: 1 })
      expect(await virtual.node.resultOf(id)).to.have.property('code', code)
      await virtual.stop()
    })
  }

  it('is refused when it would consume a state that another flow consumed in the same tick', async () => {
    const Make = flowOf((io) => writeNote(io, 'one'), 'notes/Make')
    const Use = flowOf(function* (io): FlowBody<string> {
      const [note] = yield* io.query(Note)
      const spent = yield* io.finalise((tx) => tx.consume(note!).command(Write, [io.me]))
      return spent.id
    }, 'notes/Use')
    const UseBlindly = (ref: StateRef) =>
      flowOf(function* (io): FlowBody<void> {
        yield* io.finalise((tx) => tx.consume(ref).command(Write, [io.me]))
      }, 'notes/UseBlindly')
    const virtual = await startVirtual(appOf([Make, Use]))
    const ref = await virtual.node.run(Make, {})
    const Second = UseBlindly(ref)
    await virtual.stop()
    const node = await virtual.restart({ app: appOf([Make, Use, Second]) })
    const tick = node.head.tick
    const [first, second] = await Promise.all([node.start(Use, {}), node.start(Second, {})])
    expect(node.head.tick).to.equal(tick + 1)
    const consumer = await first.result()
    const error = await refusal(second.result(), 'state-consumed')
    expect(error.message).to.include(consumer).and.to.include('Load the current state')
    const later = await refusal(node.run(Second, {}), 'state-consumed')
    expect(later.details['consumedBy']).to.equal(consumer)
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('is not let through by changing data after it was produced or loaded', async () => {
    const Growing = stateUnder('Growing', (tx) => {
      const before = tx.inputsOf(Growing).map(({ data }) => data.n)
      const after = tx.outputsOf(Growing).map(({ data }) => data.n)
      return allOf([
        rule(
          `n grows by one, not from ${before.join()} to ${after.join()}`,
          before.every((n, at) => after[at] === n + 1),
        ),
      ])
    })
    const Make = flowOf(function* (io): FlowBody<StateRef> {
      const made = yield* io.finalise((tx) => tx.produce(Growing, { owner: io.me, n: 1 }).command(Write, [io.me]))
      return made.output()
    }, 'notes/Make')
    const changingLoaded = flowOf(function* (io): FlowBody<void> {
      const [held] = yield* io.query(Growing)
      held!.data.n = 99
      yield* io.finalise((tx) =>
        tx
          .consume(held!)
          .produce(Growing, { ...held!.data, n: 100 })
          .command(Write, [io.me]),
      )
    }, 'notes/ChangingLoaded')
    const changingProduced = flowOf(function* (io): FlowBody<void> {
      const [held] = yield* io.query(Growing)
      yield* io.finalise((tx) => {
        const next = { ...held!.data, n: 100 }
        tx.consume(held!).produce(Growing, next).command(Write, [io.me])
        next.n = 2
        return tx
      })
    }, 'notes/ChangingProduced')
    const virtual = await startVirtual(appOf([Make, changingLoaded, changingProduced], [Growing]))
    await virtual.node.run(Make, {})
    for (const flow of [changingLoaded, changingProduced]) {
      const error = await refusal(virtual.node.run(flow, {}), 'flow-threw')
      expect(error.message).to.match(/read only|read-only/)
    }
    expect((await virtual.node.states(Growing)).map(({ data }) => data.n)).to.deep.equal([1])
    await expectAlive(virtual)
    await virtual.stop()
  })
})
