/** What sessions promise: messages arrive once and in order, whatever the network and the processes do. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, defineResponder, IntegerC, PartyC, type App, type FlowBody } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'

const Ping = defineFlow({
  name: 'ping/Ping',
  input: t.strict({ to: PartyC, rounds: IntegerC }),
  *run(io, { to, rounds }): FlowBody<number[]> {
    const session = yield* io.initiate(to)
    const answers: number[] = []
    for (let round = 0; round < rounds; round++) answers.push(yield* session.sendAndReceive({ round }, IntegerC))
    yield* session.send('done')
    return answers
  },
})

const Pong = defineResponder({
  name: 'ping/Pong',
  respondsTo: Ping,
  *run(_io, session): FlowBody<number> {
    let count = 0
    for (;;) {
      const received = yield* session.receive(t.union([t.strict({ round: IntegerC }), t.literal('done')]))
      if (received === 'done') return count
      count += 1
      yield* session.send(received.round * 10)
    }
  },
})

const app: App = defineApp({ name: 'ping', states: [], flows: [Ping, Pong] })

describe('Sessions between two parties', () => {
  it('carry messages both ways and end with both flows', async () => {
    const network = await VirtualNetwork.start({ parties: { Alice: { app }, Bob: { app } } })
    const handle = await network.node('Alice').start(Ping, { to: network.party('Bob'), rounds: 3 })
    await network.advanceBy({ seconds: 1 })
    expect(await handle.result()).to.deep.equal([0, 10, 20])
    const [pong] = (await network.node('Bob').flows()).items
    expect(pong).to.include({ name: 'ping/Pong', status: 'completed', result: 3 })
  })

  it('survive loss, duplication, reordering, delay and crashes of both sides', async () => {
    for (let seed = 0; seed < 10; seed++) {
      const network = await VirtualNetwork.start({
        parties: { Alice: { app }, Bob: { app } },
        seed: `storm ${seed}`,
        weather: { minLatencyMs: 0, maxLatencyMs: 1_500, loss: 0.3, duplication: 0.3 },
      })
      const { id } = await network.node('Alice').start(Ping, { to: network.party('Bob'), rounds: 5 })
      for (let crash = 0; crash < 6; crash++) {
        await network.advanceBy({ milliseconds: 700 * (seed + 1) })
        const victim = crash % 2 === 0 ? 'Alice' : 'Bob'
        await network.crash(victim)
        await network.restart(victim)
      }
      await network.advanceBy({ minutes: 30 })
      expect(await network.node('Alice').resultOf(id), `seed ${seed}`).to.deep.equal([0, 10, 20, 30, 40])
      const flows = (await network.node('Bob').flows()).items
      expect(flows.map(({ status, result }) => ({ status, result }))).to.deep.equal([
        { status: 'completed', result: 5 },
      ])
    }
  })
})
