/** `log verify` asks for the signature of the notary where one is due, also of whoever holds the key of the log. */
import { expect } from 'chai'
import type { Json } from 'carillon'
import { decodeEvent, verifyLog, type EncodedTick } from 'carillon/logs'
import { keyPairFromSeed, VirtualNetwork } from 'carillon/testing'
import { sha256 } from '../../src/encoding/hash.js'
import { encodeEvent } from '../../src/log/encodeEvent.js'
import { emptyHead, headAfter, tickAfter } from '../../src/log/Tick.js'
import { coveredTransactions, signTick } from '../../src/log/TickSigner.js'
import { app, Grow, Link } from '../session/chain.js'

async function* each<A>(items: readonly A[]): AsyncGenerator<A> {
  for (const item of items) yield await Promise.resolve(item)
}

const seed = 'verified'

/** The log once more, signed by its own key, with what its transactions bring of signatures changed. */
const rewritten = (
  network: VirtualNetwork,
  ticks: readonly EncodedTick[],
  change: (signatures: readonly { readonly by: string }[]) => readonly { readonly by: string }[] | undefined,
): readonly EncodedTick[] => {
  const key = keyPairFromSeed(sha256(`key of Alice ${seed}`))
  let head = emptyHead
  return ticks.map((tick) => {
    const lines = tick.events.map((line, index) => {
      const event = decodeEvent(line, tick.firstRevision + index)
      if (event.type !== 'TransactionRecorded' || event.signatures === undefined) return line
      const { signatures, ...unsigned } = event
      const changed = change(signatures)
      return encodeEvent(changed === undefined ? unsigned : { ...event, signatures: changed as typeof signatures })
    })
    const made = tickAfter(head, tick.at, lines, (hash) =>
      signTick(key, network.map.id, hash, coveredTransactions({ ...tick, events: lines })),
    )
    head = headAfter(made)
    return made
  })
}

describe('The check of a log', () => {
  it('asks for the signature of the notary where one is due, and for no other', async () => {
    const network = await VirtualNetwork.start({
      parties: { Alice: { app }, Notary: { app, notary: 'validating' } },
      seed,
    })
    await network.node('Alice').start(Grow, { from: null, steps: 3, notary: network.party('Notary') })
    await network.advanceBy({ minutes: 1 })
    expect(await network.node('Alice').states(Link)).to.have.lengthOf(1)
    const ticks: EncodedTick[] = []
    for await (const tick of network.node('Alice').readLog()) ticks.push(tick)
    const problems = async (log: readonly EncodedTick[]): Promise<readonly Json[]> =>
      (await verifyLog(each(log))).problems.map(({ kind }) => kind)
    const notary = network.party('Notary').key
    expect(await problems(ticks)).to.deep.equal([])
    expect(await problems(rewritten(network, ticks, (signatures) => signatures))).to.deep.equal([])
    const without = rewritten(network, ticks, (signatures) => signatures.filter(({ by }) => by !== notary))
    expect(await problems(without)).to.deep.equal(['forged', 'forged'])
    // Covered by the signature of its tick, which is Alice's and nobody else's.
    expect(await problems(rewritten(network, ticks, () => undefined))).to.deep.equal(['forged', 'forged'])
    const alone = rewritten(network, ticks, (signatures) => signatures.filter(({ by }) => by === notary))
    expect((await problems(alone)).length).to.equal(3)
  })
})
