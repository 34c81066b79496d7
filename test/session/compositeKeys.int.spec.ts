/** What finality promises for keys that several parties hold together: enough of them sign, and all take part. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { left, right } from 'fp-ts/lib/Either.js'
import {
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineState,
  IntegerC,
  allOf,
  PartyC,
  rule,
  StateRefC,
  type CarillonError,
  type FlowBody,
  type PublicKey,
  type StateRef,
} from 'carillon'
import { allKeys, KeyC, thresholdOf, weighted, type Key } from 'carillon/keys'
import { decodeEvent } from 'carillon/logs'
import { VirtualNetwork } from 'carillon/testing'
import { agreeTo } from './agreement.js'

const Decide = defineCommand({ type: 'board/Decide' })
const Minutes = defineState({
  type: 'board/Minutes',
  data: t.strict({ board: t.readonlyArray(PartyC), number: IntegerC }),
  contract: defineContract({
    name: 'board/Minutes',
    verify: (transaction) => allOf([rule('someone decides', transaction.commands.length > 0)]),
  }),
  participants: ({ board }) => board,
})

/** Writes the next minutes; whoever is asked signs for the keys they have a part in. */
const Write = defineFlow({
  name: 'board/Write',
  input: t.strict({
    last: t.union([StateRefC, t.null]),
    board: t.readonlyArray(PartyC),
    asked: t.readonlyArray(PartyC),
    keys: t.readonlyArray(KeyC),
  }),
  *run(io, { last, board, asked, keys }): FlowBody<StateRef> {
    const before = last === null ? undefined : yield* io.load(Minutes, last)
    const sessions = []
    for (const party of asked) sessions.push(yield* io.initiate(party))
    const done = yield* io.finalise(
      (draft) => {
        if (before !== undefined) draft.consume(before)
        draft.produce(Minutes, { board, number: (before?.data.number ?? 0) + 1 })
        for (const key of keys) draft.command(Decide, [key])
        return draft
      },
      { sessions },
    )
    return done.output()
  },
})

const appWith = (...check: readonly Parameters<typeof agreeTo>[1][]) =>
  defineApp({
    name: 'board',
    states: [Minutes],
    flows: [Write, agreeTo('board/Write', ...check)],
    // Who need not sign is told all the same.
    agreesTo: { observe: () => right(undefined) },
  })
const app = appWith()
const nay = appWith(() => left('I am against it'))

describe('A transaction under a key of several parties', () => {
  let network: VirtualNetwork
  const keyOf = (name: string): PublicKey => network.party(name).key
  const partiesOf = (...names: readonly string[]) => names.map((name) => network.party(name))

  const start = async (kind: 'validating' | 'nonValidating'): Promise<void> => {
    network = await VirtualNetwork.start({
      parties: { Alice: { app }, Bob: { app }, Carol: { app }, Dora: { app: nay }, Notary: { app, notary: kind } },
      seed: `board ${kind}`,
    })
  }
  const write = async (keys: readonly Key[], asked: readonly string[], last: StateRef | null = null) => {
    const board = partiesOf('Alice', 'Bob', 'Carol')
    const handle = await network.node('Alice').start(Write, { last, board, asked: partiesOf(...asked), keys })
    await network.advanceBy({ minutes: 5 })
    return handle.result().then(
      (ref) => ({ ref, code: 'final', keys: [] as readonly unknown[] }),
      (error: unknown) => {
        const { code, details } = error as CarillonError
        return { ref: null, code, keys: (details['keys'] ?? []) as readonly unknown[] }
      },
    )
  }
  /** Who has signed a transaction, as a party has recorded it. */
  const signersOf = async (name: string, ref: StateRef | null): Promise<readonly string[]> => {
    const names = new Map(network.map.members.map(({ party }) => [party.key, party.name]))
    for await (const { events, firstRevision } of network.node(name).readLog())
      for (const [index, line] of events.entries()) {
        const event = decodeEvent(line, firstRevision + index)
        if (event.type === 'TransactionRecorded' && event.id === ref?.transaction)
          return (event.signatures ?? []).map(({ by }) => names.get(by) ?? by)
      }
    return []
  }

  for (const kind of ['validating', 'nonValidating'] as const)
    it(`is final with two of three, and the third records it all the same, under a ${kind} notary`, async () => {
      await start(kind)
      const key = thresholdOf(2, [keyOf('Alice'), keyOf('Bob'), keyOf('Carol')])
      const first = await write([key], ['Bob'])
      expect(first.code).to.equal('final')
      const second = await write([key], ['Carol'], first.ref)
      expect(second.code).to.equal('final')
      for (const name of ['Alice', 'Bob', 'Carol']) {
        expect(await signersOf(name, first.ref), name).to.deep.equal(['Alice', 'Bob'])
        expect(await signersOf(name, second.ref), name).to.deep.equal(['Alice', 'Carol', 'Notary'])
      }
    })

  it('is not begun with too few, and says which key lacks signatures; nothing is consumed', async () => {
    await start('validating')
    const key = thresholdOf(2, [keyOf('Alice'), keyOf('Bob'), keyOf('Carol')])
    const { ref } = await write([key], ['Bob'])
    const alone = await write([key], [], ref)
    expect(alone.code).to.equal('signature-missing')
    expect(alone.keys).to.have.length(1)
    expect((await write([key], ['Carol'], ref)).code).to.equal('final')
  })

  it('counts weights and branches as the key says', async () => {
    await start('validating')
    const council = weighted(3, [
      { key: keyOf('Alice'), weight: 1 },
      { key: allKeys([keyOf('Bob'), keyOf('Carol')]), weight: 2 },
    ])
    expect((await write([council], ['Bob'])).code).to.equal('signature-missing')
    const { ref, code } = await write([council], ['Bob', 'Carol'])
    expect(code).to.equal('final')
    expect(await signersOf('Carol', ref)).to.deep.equal(['Alice', 'Bob', 'Carol'])
  })

  it('asks a party once, however many of its keys that party has a part in', async () => {
    await start('validating')
    const keys = [allKeys([keyOf('Alice'), keyOf('Bob')]), thresholdOf(1, [keyOf('Bob'), keyOf('Carol')]), keyOf('Bob')]
    const { ref, code } = await write(keys, ['Bob'])
    expect(code).to.equal('final')
    expect(await signersOf('Bob', ref)).to.deep.equal(['Alice', 'Bob'])
  })

  it('ends with the refusal of one that was asked, also where the others would have been enough', async () => {
    await start('validating')
    const key = thresholdOf(2, [keyOf('Alice'), keyOf('Bob'), keyOf('Dora')])
    const refused = await write([key], ['Bob', 'Dora'])
    expect(refused.code).to.equal('signature-refused')
    expect((await network.node('Bob').queryVault({ status: 'all' })).items).to.deep.equal([])
    expect((await write([key], ['Bob'])).code).to.equal('final')
  })
})
