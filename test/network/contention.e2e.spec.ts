/** Two parties in processes of their own that spend states by hand while their schedules trigger: each ends one way. */
import { expect } from 'chai'
import type { StateRef } from '../../src/ledger/StateRef.js'
import { showRef } from '../../src/ledger/StateRef.js'
import { instantFromMillis } from '../../src/time/Instant.js'
import { eventually } from './LoopbackNetwork.js'
import { NetworkOfProcesses, raceApp } from './NetworkOfProcesses.js'

const perSide = 4
const patienceMs = 60_000

describe('States spent by hand while their schedules trigger, between processes', function () {
  let network: NetworkOfProcesses

  before(async () => {
    const members = [{ name: 'Alice' }, { name: 'Bob' }, { name: 'Notary', notary: 'validating' }] as const
    network = await NetworkOfProcesses.make(members, raceApp)
    await Promise.all(members.map(({ name }) => network.start(name)))
  })
  after(() => network.remove())

  const fates = (name: string): readonly string[] =>
    network
      .states(name)
      .map(({ ref, data }) => `${showRef(ref)} ${(data as { readonly fate: string }).fate}`)
      .sort()

  it('end processed or spent, each one way, and both parties agree which', async () => {
    const dueAt = instantFromMillis(Date.now() + 6_000)
    const insert = async (from: string, to: string, number: number): Promise<StateRef> => {
      const input = { to: network.party(to), number, dueAt, contested: true }
      const flow = await network.startFlow(from, 'race/Insert', input)
      return (await network.client(from).resultOf(flow)) as StateRef
    }
    const numbers = Array.from({ length: perSide }, (_, index) => index)
    const refs = await Promise.all([
      ...numbers.map((number) => insert('Alice', 'Bob', number)),
      ...numbers.map((number) => insert('Bob', 'Alice', number + perSide)),
    ])
    await eventually(() => Date.now() >= Date.parse(dueAt) - 50, 'they are almost due', patienceMs)
    await Promise.all(
      refs.flatMap((item) => ['Alice', 'Bob'].map((name) => network.startFlow(name, 'race/Spend', { item }))),
    )
    const settled = (name: string): boolean =>
      fates(name).length === refs.length && fates(name).every((fate) => !fate.endsWith(' open'))
    await eventually(() => settled('Alice') && settled('Bob'), 'every state has ended one way', patienceMs)
    expect(fates('Alice')).to.have.lengthOf(2 * perSide)
    expect(fates('Bob')).to.deep.equal(fates('Alice'))
  })
})
