/** Reading, deciding and recording in one: what happens when another writer is faster, and what is asked of whom. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  allOf,
  DefaultCommand,
  defineApp,
  defineContract,
  defineFlow,
  defineResponder,
  defineState,
  IntegerC,
  PartyC,
  rule,
  transactRetry,
  type AnyFlowDefinition,
  type App,
  type FlowBody,
  type FlowIo,
} from '../../src/index.js'
import { replay, VirtualNetwork, type VirtualNode } from '../../src/testing/index.js'
import { crashAndRestart, eventsOf, flowOf, refusal, startVirtual } from './ledgerOfNotes.js'

const Counter = defineState({
  type: 'counts/Counter',
  data: t.strict({ owner: PartyC, name: t.string, count: IntegerC }),
  participants: ({ owner }) => [owner],
  key: ({ name }) => name,
})

const Begin = defineFlow({
  name: 'counts/Begin',
  input: t.strict({ name: t.string }),
  *run(io, { name }): FlowBody<void> {
    yield* io.finalise((tx) => tx.produce(Counter, { owner: io.me, name, count: 0 }))
  },
})

/** Adds one to a counter, after a wait between reading and recording. */
const Add = defineFlow({
  name: 'counts/Add',
  input: t.strict({ name: t.string, waits: t.readonlyArray(t.number) }),
  *run(io, { name, waits }): FlowBody<number> {
    let tries = 0
    yield* io.transact(function* (tx) {
      const counter = yield* io.find(Counter, name)
      const wait = waits[tries] ?? 0
      tries += 1
      if (wait > 0) yield* io.sleep({ milliseconds: wait })
      return counter === undefined
        ? tx.produce(Counter, { owner: io.me, name, count: 1 })
        : tx.replace(counter, { count: counter.data.count + 1 })
    })
    return tries
  },
})

const app = (flows: readonly AnyFlowDefinition[] = []): App =>
  defineApp({ name: 'counts', states: [Counter], flows: [Begin, Add, ...flows] })

const countOf = async (virtual: VirtualNode, name: string): Promise<number | undefined> =>
  (await virtual.node.find(Counter, name))?.data.count

describe('io.transact', () => {
  it('records what was decided, without a command of its own, and gives the recorded transaction', async () => {
    const flow = flowOf((io) =>
      io.transact(function* (tx) {
        yield* io.now()
        return tx.produce(Counter, { owner: io.me, name: 'new', count: 7 })
      }),
    )
    const take = flowOf(function* (io) {
      const { id, outputs } = yield* io.subFlow(flow, {})
      const counter = yield* io.load(Counter, outputs[0]!)
      return [id === counter.ref.transaction, counter.data.count]
    }, 'counts/Take')
    const virtual = await startVirtual(app([flow, take]))
    expect(await virtual.node.run(take, {})).to.deep.equal([true, 7])
    await virtual.stop()
  })

  it('begins anew with fresh states when another was faster, and loses no change', async () => {
    const virtual = await startVirtual(app())
    await virtual.node.run(Begin, { name: 'busy' })
    const ids = []
    for (let number = 1; number <= 5; number++)
      ids.push((await virtual.node.start(Add, { name: 'busy', waits: [1_000] })).id)
    await virtual.advanceBy({ minutes: 5 })
    const tries = await Promise.all(ids.map((id) => virtual.node.resultOf(id)))
    expect(tries).to.deep.equal([1, 2, 2, 2, 2])
    expect(await countOf(virtual, 'busy')).to.equal(5)
    expect((await replay(virtual.node, { app: app() })).problems).to.deep.equal([])
    await virtual.stop()
  })

  it('finds the state that another has made meanwhile under the same key', async () => {
    const virtual = await startVirtual(app())
    const first = await virtual.node.start(Add, { name: 'late', waits: [1_000] })
    const second = await virtual.node.start(Add, { name: 'late', waits: [2_000] })
    await virtual.advanceBy({ minutes: 1 })
    expect([await first.result(), await second.result()]).to.deep.equal([1, 2])
    expect(await countOf(virtual, 'late')).to.equal(2)
    await virtual.stop()
  })

  it('waits longer from try to try, and goes on after a crash in between', async () => {
    const flow = defineFlow({
      name: 'counts/Unlucky',
      input: t.strict({ retry: t.partial({ attempts: t.number }) }),
      *run(io, { retry }): FlowBody<number> {
        let tries = 0
        yield* io.transact(
          function* (tx) {
            const counter = (yield* io.find(Counter, 'busy'))!
            tries += 1
            // Another flow is faster each time this one waits.
            yield* io.sleep({ seconds: 1 })
            return tx.replace(counter, { count: -1 })
          },
          { retry: { ...(retry as Partial<typeof transactRetry>), jitter: 0 } },
        )
        return tries
      },
    })
    const virtual = await startVirtual(app([flow]))
    await virtual.node.run(Begin, { name: 'busy' })
    const { id } = await virtual.node.start(flow, { retry: { attempts: 4 } })
    const begun = virtual.clock.now()
    const sleeps = async (): Promise<readonly string[]> =>
      (await virtual.node.flow(id))!.record.flatMap(({ kind, label }) => (kind === 'sleep' ? [label!] : []))
    for (let turn = 0; turn < 10; turn++) {
      await virtual.node.run(Add, { name: 'busy', waits: [] })
      if (turn === 3) await crashAndRestart(virtual)
      await virtual.advanceBy({ milliseconds: 500 })
    }
    const error = await refusal(virtual.node.resultOf(id), 'state-consumed')
    expect(error.message).to.contain('tried 4 times').and.to.contain('another was faster')
    expect(error.details['attempts']).to.equal(4)
    expect(error.stack).to.match(/transact\.int\.spec\.ts:\d+:\d+/)
    expect(await sleeps()).to.deep.equal(['1000', '1000', '100', '1000', '200', '1000'].map((ms) => `sleep ${ms} ms`))
    expect(virtual.clock.now() - begun).to.equal(5_000)
    expect(await countOf(virtual, 'busy')).to.equal(10)
    await virtual.stop()
  })

  it('gives what the work returns, and finalises nothing where nothing was put into its transaction', async () => {
    const flow = flowOf(function* (io) {
      const nothing = yield* io.transact(function* () {
        return (yield* io.find(Counter, 'none')) === undefined ? 'nothing to do' : 'found'
      })
      const something = yield* io.transact(function* (tx) {
        yield* io.now()
        tx.produce(Counter, { owner: io.me, name: 'x', count: 1 })
        return 'done'
      })
      return [nothing, something]
    })
    const virtual = await startVirtual(app([flow]))
    expect(await virtual.node.run(flow, {})).to.deep.equal(['nothing to do', 'done'])
    expect((await eventsOf(virtual.node)).filter(({ type }) => type === 'TransactionRecorded')).to.have.lengthOf(1)
    await virtual.stop()
  })

  it('throws at once what the work throws, and what no other writer has caused', async () => {
    let runs = 0
    const oddities: Readonly<Record<string, [(io: FlowIo) => FlowBody<unknown>, string]>> = {
      'an error of the work': [
        (io) =>
          io.transact(function* (): FlowBody<void> {
            runs += 1
            yield* io.now()
            throw new Error('no')
          }),
        'flow-threw',
      ],
      'a state that the work loads and is consumed': [
        function* (io) {
          const { outputs } = yield* io.finalise((tx) => tx.produce(Counter, { owner: io.me, name: 'a', count: 1 }))
          yield* io.finalise((tx) => tx.consume(outputs[0]!))
          yield* io.transact(function* (tx) {
            runs += 1
            return tx.replace(yield* io.load(Counter, outputs[0]!), { count: 2 })
          })
        },
        'state-consumed',
      ],
      'an empty transaction': [
        (io) =>
          io.transact(function* (tx) {
            runs += 1
            yield* io.now()
            return tx
          }),
        'transaction-malformed',
      ],
      'work that is no generator': [
        (io) => {
          runs += 1
          return io.transact((() => 'done') as never)
        },
        'definition-invalid',
      ],
      'a policy that no clock can follow': [
        (io) => {
          runs += 1
          return io.transact(() => io.now(), { retry: { attempts: 0 } })
        },
        'definition-invalid',
      ],
    }
    for (const [what, [code, expected]] of Object.entries(oddities)) {
      runs = 0
      const flow = flowOf(code)
      const virtual = await startVirtual(app([flow]))
      expect((await refusal(virtual.node.run(flow, {}))).code, what).to.equal(expected)
      expect(runs, what).to.equal(1)
      await virtual.stop()
    }
  })

  it('has one policy', () => {
    expect(transactRetry).to.deep.equal({ attempts: 10, firstWaitMs: 100, longestWaitMs: 10_000, jitter: 1 })
  })
})

describe('tx.replace', () => {
  it('keeps what is not changed, for states that were loaded, found or queried, and after a restart', async () => {
    const flow = flowOf(function* (io) {
      const ref = (yield* io.finalise((tx) => tx.produce(Counter, { owner: io.me, name: 'a', count: 1 }))).output()
      const loaded = yield* io.load(Counter, ref)
      yield* io.sleep({ hours: 1 })
      yield* io.finalise((tx) => tx.replace(loaded, { count: 2 }))
      const found = (yield* io.find(Counter, 'a'))!
      yield* io.finalise((tx) => tx.replace(found, { count: found.data.count + 1 }))
      const [queried] = yield* io.query(Counter)
      yield* io.finalise((tx) => tx.replace(queried!, {}))
      return yield* io.query(Counter)
    })
    const virtual = await startVirtual(app([flow]))
    const { id } = await virtual.node.start(flow, {})
    await crashAndRestart(virtual)
    await virtual.advanceBy({ hours: 1 })
    // What was read is still plain data that a flow can return.
    const [last] = (await virtual.node.resultOf(id)) as { readonly data: unknown }[]
    expect(last!.data).to.deep.equal({ owner: virtual.node.party, name: 'a', count: 3 })
    await virtual.stop()
  })
})

describe('The default command', () => {
  const seen: string[][] = []
  const Shared = defineState({
    type: 'counts/Shared',
    data: t.strict({ parties: t.readonlyArray(PartyC), n: IntegerC }),
    participants: ({ parties }) => parties,
    contract: defineContract({
      name: 'counts/Shared',
      verify: (transaction) => {
        const [command] = transaction.commandsOf(DefaultCommand)
        seen.push([...(command?.signers ?? [])].map(String))
        return allOf([rule('it has the default command', command !== undefined)])
      },
    }),
  })
  const Share = defineFlow({
    name: 'counts/Share',
    input: t.strict({ from: t.readonlyArray(PartyC), to: t.readonlyArray(PartyC), other: PartyC }),
    *run(io, { from, to, other }): FlowBody<void> {
      const session = yield* io.initiate(other)
      const given = yield* io.finalise((tx) => tx.produce(Shared, { parties: from, n: 1 }), { sessions: [session] })
      const state = yield* io.load(Shared, given.output())
      yield* io.transact(
        function* (tx) {
          yield* io.now()
          return tx.replace(state, { parties: to, n: 2 })
        },
        { sessions: [session] },
      )
    },
  })
  const Agree = defineResponder({
    name: 'counts/Agree',
    respondsTo: Share,
    *run(io, session): FlowBody<void> {
      for (let round = 0; round < 2; round++) {
        yield* io.signProposal(session, () => right(undefined))
        yield* io.receiveFinality(session)
      }
    },
  })

  it('is signed by everyone who takes part in what is consumed and produced', async () => {
    const shared = defineApp({ name: 'counts', states: [Shared], flows: [Share, Agree] })
    const net = await VirtualNetwork.start({
      parties: { Ann: { app: shared }, Ben: { app: shared }, Notary: { app: shared, notary: 'nonValidating' } },
    })
    const [ann, ben] = [net.party('Ann'), net.party('Ben')]
    seen.length = 0
    const { id } = await net.node('Ann').start(Share, { from: [ann, ben], to: [ben], other: ben })
    await net.advanceBy({ minutes: 1 })
    expect((await net.node('Ann').flow(id))?.error).to.equal(undefined)
    for (const signers of seen) expect(signers).to.have.members([ann.key, ben.key])
    expect((await net.node('Ben').states(Shared)).map(({ data }) => data.n)).to.deep.equal([2])
  })

  it('is signed by the own party where nobody takes part', async () => {
    const Nobodys = defineState({ type: 'counts/Nobodys', data: t.strict({}), participants: () => [] })
    const flow = flowOf(function* (io) {
      yield* io.finalise((tx) => tx.produce(Nobodys, {}))
    })
    const virtual = await startVirtual(defineApp({ name: 'counts', states: [Nobodys], flows: [flow] }))
    await virtual.node.run(flow, {})
    const [recorded] = (await eventsOf(virtual.node)).flatMap((event) =>
      event.type === 'TransactionRecorded' ? [event.body] : [],
    )
    expect(recorded).to.deep.include({
      commands: [{ type: 'carillon/Default', data: null }],
      signers: [[virtual.node.party.key]],
    })
    await virtual.stop()
  })
})
