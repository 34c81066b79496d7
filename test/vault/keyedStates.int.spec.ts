import { expect } from 'chai'
import * as t from 'io-ts'
import { CarillonError, defineApp, defineCommand, defineFlow, defineState, IntegerC, PartyC } from '../../src/index.js'
import type { FlowBody } from '../../src/index.js'
import { VirtualNode } from '../../src/testing/index.js'

const Account = defineState({
  type: 'bank/Account',
  data: t.strict({ owner: PartyC, number: t.string, balance: IntegerC }),
  participants: ({ owner }) => [owner],
  key: ({ number }) => number,
})
const Unnamed = defineState({
  type: 'bank/Unnamed',
  data: t.strict({ owner: PartyC }),
  participants: ({ owner }) => [owner],
})
const Move = defineCommand({ type: 'bank/Move' })
const text = t.strict({ number: t.string })

const Open = defineFlow({
  name: 'bank/Open',
  input: text,
  *run(io, { number }): FlowBody<void> {
    yield* io.finalise((tx) => tx.produce(Account, { owner: io.me, number, balance: 0 }).command(Move, [io.me]))
  },
})
const OpenTwice = defineFlow({
  name: 'bank/OpenTwice',
  input: text,
  *run(io, { number }): FlowBody<void> {
    const account = { owner: io.me, number, balance: 0 }
    yield* io.finalise((tx) => tx.produce(Account, account).produce(Account, account).command(Move, [io.me]))
  },
})
const Deposit = defineFlow({
  name: 'bank/Deposit',
  input: text,
  *run(io, { number }): FlowBody<number> {
    const account = yield* io.find(Account, number)
    if (account === undefined) return -1
    const balance = account.data.balance + 1
    yield* io.finalise((tx) =>
      tx
        .consume(account)
        .produce(Account, { ...account.data, balance })
        .command(Move, [io.me]),
    )
    const again = yield* io.find(Account, number)
    yield* io.sleep({ seconds: 1 })
    return again?.data.balance ?? -2
  },
})
const Close = defineFlow({
  name: 'bank/Close',
  input: text,
  *run(io, { number }): FlowBody<boolean> {
    const account = yield* io.find(Account, number)
    if (account !== undefined) yield* io.finalise((tx) => tx.consume(account).command(Move, [io.me]))
    return (yield* io.find(Account, number)) === undefined
  },
})
const FindUnnamed = defineFlow({
  name: 'bank/FindUnnamed',
  input: text,
  *run(io, { number }): FlowBody<void> {
    yield* io.find(Unnamed, number)
  },
})

const app = defineApp({
  name: 'bank',
  states: [Account, Unnamed],
  flows: [Open, OpenTwice, Deposit, Close, FindUnnamed],
})

const codeOf = async (run: Promise<unknown>): Promise<string> => {
  try {
    await run
  } catch (error) {
    if (error instanceof CarillonError) return error.code
    throw error
  }
  return 'nothing was thrown'
}

describe('states with a key', () => {
  it('are found by it, as the flow itself has left them', async () => {
    const { node, ...virtual } = await start()
    await node.run(Open, { number: 'a' })
    await node.run(Open, { number: 'b' })
    const deposit = await node.start(Deposit, { number: 'a' })
    await virtual.later()
    expect(await deposit.result()).to.equal(1)
    expect((await node.find(Account, 'a'))?.data.balance).to.equal(1)
    expect((await node.find(Account, 'b'))?.data.balance).to.equal(0)
    expect(await node.find(Account, 'c')).to.equal(undefined)
  })

  it('are found again, as they were, when a flow is run over its record', async () => {
    const virtual = await VirtualNode.start({ app })
    await virtual.node.run(Open, { number: 'a' })
    const first = await virtual.node.start(Deposit, { number: 'a' })
    await virtual.runUntilQuiet()
    const second = await virtual.node.start(Deposit, { number: 'a' })
    await virtual.runUntilQuiet()
    await virtual.crash()
    await virtual.restart()
    await virtual.advanceBy({ seconds: 2 })
    expect(await virtual.node.resultOf(first.id)).to.equal(1)
    expect(await virtual.node.resultOf(second.id)).to.equal(2)
  })

  it('refuse a second unconsumed state with the same key, in another transaction or in the same one', async () => {
    const { node } = await start()
    await node.run(Open, { number: 'a' })
    expect(await codeOf(node.run(Open, { number: 'a' }))).to.equal('state-key-taken')
    expect(await codeOf(node.run(OpenTwice, { number: 'b' }))).to.equal('state-key-taken')
    expect(await node.find(Account, 'b')).to.equal(undefined)
  })

  it('give their key back when they are consumed', async () => {
    const { node } = await start()
    await node.run(Open, { number: 'a' })
    expect(await node.run(Close, { number: 'a' })).to.equal(true)
    expect(await node.find(Account, 'a')).to.equal(undefined)
    await node.run(Open, { number: 'a' })
    expect(await node.find(Account, 'a')).to.not.equal(undefined)
  })

  it('tell whoever looks for a key where there is none', async () => {
    const { node } = await start()
    expect(await codeOf(node.run(FindUnnamed, { number: 'a' }))).to.equal('definition-invalid')
  })
})

const start = async () => {
  const virtual = await VirtualNode.start({ app })
  return { node: virtual.node, later: () => virtual.advanceBy({ seconds: 2 }) }
}
