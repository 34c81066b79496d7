/** Two parties and a notary as three processes over TLS: what they agree on, they both hold, whoever is killed. */
import { expect } from 'chai'
import { attemptsOf } from '../../src/storage/queries/readOccurrences.js'
import { showRef, type StateRef } from '../../src/ledger/StateRef.js'
import { findStateRow } from '../../src/storage/queries/readVault.js'
import { instantFromMillis } from '../../src/time/Instant.js'
import { eventually } from './LoopbackNetwork.js'
import { NetworkOfProcesses } from './NetworkOfProcesses.js'

const patienceMs = 30_000
const inMs = (ms: number): string => instantFromMillis(Date.now() + ms)
const farAway = '2099-01-01T00:00:00.000Z'

describe('Two parties and a notary in processes of their own', function () {
  let network: NetworkOfProcesses

  before(async () => {
    network = await NetworkOfProcesses.make([
      { name: 'Alice' },
      { name: 'Bob' },
      { name: 'Notary', notary: 'validating' },
    ])
    await Promise.all(['Alice', 'Bob', 'Notary'].map((name) => network.start(name)))
  })
  after(() => network.remove())

  const lend = (lender: string, borrower: string, amount: number, dueAt: string) =>
    network.startFlow(lender, 'iou/Lend', { borrower: network.party(borrower), amount, dueAt })

  const refs = (name: string): readonly string[] =>
    network
      .states(name)
      .map(({ ref }) => showRef(ref))
      .sort()

  const called = (name: string, amount: number): readonly unknown[] =>
    network
      .states(name)
      .map(({ data }) => data as { readonly amount: number; readonly called: boolean })
      .filter((iou) => iou.amount === amount)
      .map((iou) => iou.called)

  const outcomes = (name: string, ref: StateRef): readonly string[] =>
    network.read(name, (db) => {
      const row = findStateRow(db, ref)
      return row === undefined ? [] : attemptsOf(db, row.seq).map(({ outcome }) => outcome)
    })

  /** The activity of a state has had one attempt, which ended well. */
  const completed = async (name: string, ref: StateRef): Promise<void> => {
    await eventually(() => !outcomes(name, ref).includes('running'), `${name} is done with ${showRef(ref)}`, patienceMs)
    expect(outcomes(name, ref), showRef(ref)).to.deep.equal(['completed'])
  }

  it('agree on a transaction, both record it, and its activity runs on one of them', async () => {
    const flow = await lend('Alice', 'Bob', 10, inMs(1_500))
    const ref = (await network.client('Alice').resultOf(flow)) as StateRef
    await eventually(() => called('Alice', 10).includes(true), 'Alice has called the debt in', patienceMs)
    await eventually(() => called('Bob', 10).includes(true), 'Bob has recorded it', patienceMs)
    expect(refs('Bob')).to.deep.equal(refs('Alice'))
    await completed('Alice', ref)
    expect(outcomes('Bob', ref)).to.deep.equal([])
  })

  it('refuse with the reason of the one who would not sign', async () => {
    const flow = await lend('Alice', 'Bob', 2_000, farAway)
    const error: unknown = await network
      .client('Alice')
      .resultOf(flow)
      .catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', 'signature-refused')
    expect(String(error)).to.contain('more than I want to owe')
  })

  it('go on where they were when one is killed in the middle and started again', async () => {
    const before = refs('Alice').length
    const flows = await Promise.all([20, 21, 22].map((amount) => lend('Alice', 'Bob', amount, farAway)))
    await network.end('Bob', 'SIGKILL')
    const more = await lend('Alice', 'Bob', 23, farAway)
    await network.start('Bob')
    await network.end('Alice', 'SIGKILL')
    await network.start('Alice')
    await Promise.all([...flows, more].map((flow) => network.client('Alice').resultOf(flow)))
    await eventually(() => refs('Bob').length === before + 4, 'Bob holds all four', patienceMs)
    expect(refs('Alice')).to.have.length(before + 4)
    expect(refs('Bob')).to.deep.equal(refs('Alice'))
  })

  it('process five states of each side that fall due together, and hold the same ten', async () => {
    const dueAt = inMs(3_000)
    const amounts = [101, 102, 103, 104, 105]
    const theirs = amounts.map((amount) => amount + 100)
    const flows = await Promise.all([
      ...amounts.map((amount) => lend('Alice', 'Bob', amount, dueAt)),
      ...theirs.map((amount) => lend('Bob', 'Alice', amount, dueAt)),
    ])
    const all = [...amounts, ...theirs]
    const done = (name: string): boolean => all.every((amount) => called(name, amount).includes(true))
    await eventually(() => done('Alice') && done('Bob'), 'all ten are called in on both sides', patienceMs)
    expect(refs('Bob')).to.deep.equal(refs('Alice'))
    for (const amount of all) expect(called('Alice', amount), String(amount)).to.deep.equal([true])
    for (const [index, flow] of flows.entries()) {
      const lender = index < amounts.length ? 'Alice' : 'Bob'
      const ref = (await network.client(lender).resultOf(flow)) as StateRef
      await completed(lender, ref)
    }
  })

  it('stop in good order when they are asked to', async () => {
    for (const name of ['Alice', 'Bob', 'Notary']) expect(await network.end(name, 'SIGTERM'), name).to.equal(0)
    for (const name of ['Alice', 'Bob', 'Notary'])
      expect(network.output(name)).to.contain('"event":"stopped"').and.not.to.contain('PRIVATE KEY')
  })
})
