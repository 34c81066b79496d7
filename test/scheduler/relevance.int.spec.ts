/**
 * Whose activity it is: observers do not fire, and where a state names who runs it, the others wait their turn.
 */
import { expect } from 'chai'
import { instant, plus, type Party, type RunsOn } from '../../src/index.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { sha256 } from '../../src/encoding/hash.js'
import { bell, type BellData } from './fixtures/bells.js'
import { codeOf, Tower } from './fixtures/Tower.js'

const mark = instant('2026-01-01T00:00:00.000Z')
const due = plus(mark, { days: 1 })
const party = (name: string): Party => ({ name, key: keyPairFromSeed(sha256(name)).publicKey })
const other = party('Other')

describe('a state of other parties', () => {
  it('[SCH-N10] is held by an observer and never fires there', async () => {
    const tower = await Tower.build()
    const ref = await tower.castOne(bell('observed', { at: due, owner: other }))
    await tower.virtual.advanceTo(plus(due, { days: 1 }))
    expect(await tower.rung()).to.deep.equal([])
    expect(await tower.awaited()).to.deep.equal([])
    const why = await tower.node.why(ref)
    expect(why.state.relevant).to.equal(false)
    expect(why.now).to.equal('It is not relevant to this party, so nothing is scheduled for it here.')
    expect(await codeOf(tower.node.trigger(ref))).to.equal('activity-unknown')
    await tower.restart()
    expect(await tower.rung()).to.deep.equal([])
    await tower.check()
  })

  it('fires where a rule of the state says that it is relevant', async () => {
    const tower = await Tower.build({ isRelevant: ({ name }) => name === 'mine by rule' })
    await tower.cast(
      bell('mine by rule', { at: due, owner: other }),
      bell('not mine by rule', { at: due, owner: tower.node.party }),
    )
    await tower.virtual.advanceTo(due)
    expect(await tower.rung()).to.deep.equal(['mine by rule'])
    await tower.check()
  })

  it('is not asked for its activity when it is not relevant', async () => {
    let asked = 0
    const tower = await Tower.build({
      next: () => {
        asked += 1
        throw new Error('never ask me')
      },
    })
    const ref = await tower.castOne(bell('observed', { at: due, owner: other }))
    expect(asked).to.equal(0)
    expect((await tower.node.why(ref)).now).to.contain('not relevant')
  })
})

describe('who runs an activity', () => {
  const runsOn = ({ ringers }: BellData): RunsOn => ({ parties: ringers, takeoverAfter: { hours: 1 } })
  let tower: Tower
  let me: Party

  beforeEach(async () => {
    tower = await Tower.build({ runsOn })
    me = tower.node.party
  })

  afterEach(() => tower.check())

  it('the party named first acts at the due instant', async () => {
    await tower.castOne(bell('first', { at: due, ringers: [me, other] }))
    await tower.virtual.advanceTo(due)
    expect((await tower.starts()).map(({ at, latenessMs }) => ({ at, latenessMs }))).to.deep.equal([
      { at: due, latenessMs: 0 },
    ])
  })

  it('the party named second takes over after the delay, and the lateness says so', async () => {
    const ref = await tower.castOne(bell('second', { at: due, ringers: [other, me] }))
    const takeover = plus(due, { hours: 1 })
    expect((await tower.node.agenda()).items.map(({ due: at, actsAt }) => ({ at, actsAt }))).to.deep.equal([
      { at: due, actsAt: takeover },
    ])
    await tower.virtual.advanceTo(plus(due, { minutes: 59 }))
    expect(await tower.rung()).to.deep.equal([])
    await tower.virtual.advanceTo(takeover)
    expect((await tower.starts()).map(({ at, latenessMs }) => ({ at, latenessMs }))).to.deep.equal([
      { at: takeover, latenessMs: 3_600_000 },
    ])
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
  })

  it('the party named third waits for two delays', async () => {
    await tower.castOne(bell('third', { at: due, ringers: [other, party('Another'), me] }))
    await tower.virtual.advanceTo(plus(due, { days: 1 }))
    expect((await tower.starts()).map(({ at }) => at)).to.deep.equal([plus(due, { hours: 2 })])
  })

  it('the party named second has nothing to do when the first has consumed the state meanwhile', async () => {
    const ref = await tower.castOne(bell('second', { at: due, ringers: [other, me] }))
    await tower.virtual.advanceTo(plus(due, { minutes: 30 }))
    await tower.melt(ref)
    await tower.virtual.advanceTo(plus(due, { days: 1 }))
    expect(await tower.rung()).to.deep.equal([])
  })

  it('a party that is not named never acts', async () => {
    const ref = await tower.castOne(bell('absent', { at: due, ringers: [other] }))
    await tower.virtual.advanceTo(plus(due, { days: 1 }))
    expect(await tower.rung()).to.deep.equal([])
    expect(await tower.awaited()).to.deep.equal([])
    await tower.restart({ runsOn })
    expect(await tower.rung()).to.deep.equal([])
    expect((await tower.node.why(ref)).state.relevant).to.equal(true)
  })

  it('the order of parties survives a restart', async () => {
    await tower.castOne(bell('second', { at: due, ringers: [other, me] }))
    await tower.virtual.crash()
    await tower.virtual.advanceTo(plus(due, { minutes: 30 }))
    await tower.startAgain({ runsOn })
    expect(await tower.rung()).to.deep.equal([])
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    expect(await tower.rung()).to.deep.equal(['second'])
  })

  it('the party named second still waits its turn after the activity was paused and resumed', async () => {
    const ref = await tower.castOne(bell('second', { at: due, ringers: [other, me] }))
    await tower.node.pause(ref)
    await tower.node.resume(ref)
    await tower.virtual.advanceTo(due)
    expect(await tower.rung()).to.deep.equal([])
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    expect(await tower.rung()).to.deep.equal(['second'])
  })

  it('a takeover beyond the end of time parks the activity and keeps the state', async () => {
    const endOfTime = instant('9999-12-31T23:59:59.999Z')
    await tower.castOne(bell('never', { at: endOfTime, ringers: [other, me] }))
    const { items } = await tower.node.agenda({ show: 'attention' })
    expect(items.map(({ error }) => error?.code)).to.deep.equal(['instant-invalid'])
  })
})
