/** Sessions of the parts of a flow: each part has its own, and whoever talks with one that was cancelled is told. */
import { expect } from 'chai'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineFlow,
  defineResponder,
  PartyC,
  type FlowBody,
  type FlowIo,
  type Party,
} from 'carillon'
import { VirtualNetwork } from 'carillon/testing'

const ask = function* (io: FlowIo, party: Party): FlowBody<string> {
  const session = yield* io.initiate(party)
  return yield* session.receive(t.string)
}

const Ask = defineFlow({
  name: 'parts/Ask',
  input: t.strict({ first: PartyC, second: PartyC }),
  *run(io, { first, second }): FlowBody<unknown> {
    const won = yield* io.race({ first: ask(io, first), second: ask(io, second) })
    yield* io.sleep({ hours: 1 })
    return won
  },
})

const told: string[] = []

const Tell = defineResponder({
  name: 'parts/Tell',
  respondsTo: Ask,
  *run(io, session): FlowBody<void> {
    if (io.me.name === 'Bob') yield* io.sleep({ minutes: 1 })
    else yield* io.sleep({ days: 1 })
    yield* session.send(`from ${io.me.name}`)
    try {
      yield* session.receive(t.string)
    } catch (error) {
      told.push(
        `${io.me.name}: ${error instanceof CarillonError ? `${error.code} ${String(error.details['code'])}` : 'another'}`,
      )
    }
  },
})

describe('A session of a part that was cancelled', () => {
  it('is closed at once, while that of the part that won stays open until the flow ends', async () => {
    told.length = 0
    const app = defineApp({ name: 'parts', states: [], flows: [Ask, Tell] })
    const network = await VirtualNetwork.start({
      parties: { Alice: { app }, Bob: { app }, Carol: { app } },
      seed: 'parts',
    })
    const { id } = await network
      .node('Alice')
      .start(Ask, { first: network.party('Carol'), second: network.party('Bob') })
    await network.advanceBy({ minutes: 2 })
    const waiting = (await network.node('Alice').flow(id))?.waiting?.map((wait) => wait.for)
    expect(waiting).to.deep.equal(['instant'])
    const lines: string[] = []
    for await (const tick of network.node('Alice').readLog()) lines.push(...tick.events)
    const closed = lines.filter((line) => line.includes('MessageSent') && line.includes('flow-cancelled'))
    expect(closed).to.have.length(1)
    await network.advanceBy({ days: 2 })
    expect(await network.node('Alice').resultOf(id)).to.deep.equal({ winner: 'second', value: 'from Bob' })
    expect([...told].sort()).to.deep.equal([
      'Bob: session-ended undefined',
      'Carol: counterparty-failed flow-cancelled',
    ])
    for (const name of ['Alice', 'Bob', 'Carol']) await network.stop(name)
  })
})
