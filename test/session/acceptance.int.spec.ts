/** The network lines of the acceptance list: whole batches from both sides, and schedules that meet manual spending. */
import { expect } from 'chai'
import { plus, showRef, type FlowId } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { app, Insert, Item, Spend } from './race.js'

const sides = ['Alice', 'Bob'] as const
const other = { Alice: 'Bob', Bob: 'Alice' } as const

const start = (seed: string) =>
  VirtualNetwork.start({
    parties: { Alice: { app }, Bob: { app }, Notary: { app, notary: 'nonValidating' } },
    seed,
    weather: { minLatencyMs: 1, maxLatencyMs: 20, loss: 0, duplication: 0 },
    development: false,
  })

const insert = async (network: VirtualNetwork, count: number, contested: boolean) => {
  const dueAt = plus(network.now, { minutes: 1 })
  for (const side of sides) {
    for (let number = 0; number < count; number++)
      await network.node(side).start(Insert, { to: network.party(other[side]), number, dueAt, contested })
  }
  return dueAt
}

/** Every flow of a node that has ended otherwise than well. */
const unhappy = async (network: VirtualNetwork, name: string, flow: string) =>
  (await network.node(name).flows({ name: flow, limit: 1_000 })).items.filter(({ status }) => status !== 'completed')

describe('Two parties with scheduled states', () => {
  it('[SCH-16] process all of 99 states from each side: 198 in each vault, identical and processed', async () => {
    const network = await start('SCH-16')
    await insert(network, 99, false)
    await network.advanceBy({ minutes: 30 })
    const [alices, bobs] = await Promise.all(sides.map((side) => network.node(side).states(Item, { limit: 1_000 })))
    for (const side of sides)
      for (const flow of ['race/Insert', 'race/Process'])
        expect(await unhappy(network, side, flow), `${side} ${flow}`).to.deep.equal([])
    expect(alices).to.have.lengthOf(198)
    const sorted = (states: typeof alices) =>
      [...(states ?? [])].sort((a, b) => (showRef(a.ref) < showRef(b.ref) ? -1 : 1))
    expect(sorted(alices)).to.deep.equal(sorted(bobs))
    expect(new Set(alices?.map(({ data }) => data.fate))).to.deep.equal(new Set(['processed']))
  })

  it('[SCH-17] end each of 23 states a side exactly one way, spent by hand or processed, and agree which', async () => {
    const network = await start('SCH-17')
    const dueAt = await insert(network, 23, true)
    await network.advanceBy({ seconds: 50 })
    const items = await network.node('Alice').states(Item, { limit: 1_000 })
    expect(items).to.have.lengthOf(46)
    // By hand on both sides, a few milliseconds before, at, and after the instant at which both schedules trigger.
    await network.advanceTo(plus(dueAt, { milliseconds: -25 }))
    const spends: { readonly side: (typeof sides)[number]; readonly id: FlowId }[] = []
    for (const [place, { ref }] of items.entries()) {
      const side = sides[place % 2] ?? 'Alice'
      spends.push({ side, id: (await network.node(side).start(Spend, { item: ref })).id })
      await network.advanceBy({ milliseconds: 1 })
    }
    await network.advanceBy({ minutes: 30 })
    const fates = await Promise.all(
      sides.map(async (side) =>
        (await network.node(side).states(Item, { limit: 1_000 }))
          .map(({ ref, data }) => `${showRef(ref)} ${data.source.name} ${data.number} ${data.fate}`)
          .sort(),
      ),
    )
    expect(fates[0]).to.have.lengthOf(46)
    expect(fates[1]).to.deep.equal(fates[0])
    const count = (fate: string) => fates[0]?.filter((line) => line.endsWith(fate)).length ?? 0
    expect(count('open')).to.equal(0)
    expect(count('processed') + count('spent')).to.equal(46)
    expect(count('processed'), 'some schedules win').to.be.greaterThan(0)
    expect(count('spent'), 'some hands win').to.be.greaterThan(0)

    const results = await Promise.all(spends.map(({ side, id }) => network.node(side).resultOf(id)))
    expect(results.filter((result) => result === 'spent')).to.have.lengthOf(count('spent'))
    expect(new Set(results)).to.deep.equal(new Set(['spent', 'state-consumed']))

    // Whoever lost a race ended quietly, and `why` says so.
    let superseded = 0
    for (const side of sides) {
      for (const { ref } of items) {
        const why = await network.node(side).why(ref)
        for (const { outcome } of why.attempts) expect(outcome).to.be.oneOf(['completed', 'superseded'])
        if (!why.attempts.some(({ outcome }) => outcome === 'superseded')) continue
        superseded += 1
        expect(why.story.join(' ')).to.contain('ended as superseded')
        expect(why.now).to.contain('It is consumed')
      }
    }
    expect(superseded, 'some lost the race').to.be.greaterThan(0)
  })
})
