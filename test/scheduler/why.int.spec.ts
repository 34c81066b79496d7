/**
 * Why: for every way an activity can stand, one answer that says what happened, when, and what to do next.
 */
import { expect } from 'chai'
import { instant, plus, showRef, type StateRef } from '../../src/index.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { sha256 } from '../../src/encoding/hash.js'
import { bell } from './fixtures/bells.js'
import { codeOf, Tower } from './fixtures/Tower.js'

const mark = instant('2026-01-01T00:00:00.000Z')
const due = plus(mark, { days: 1 })

describe('why', () => {
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  const lastStory = async (ref: StateRef): Promise<string> => (await tower.node.why(ref)).story.at(-1)!
  const now = async (ref: StateRef): Promise<string> => (await tower.node.why(ref)).now

  it('tells who produced the state and what it asked for', async () => {
    const ref = await tower.castOne(bell('told', { at: due, toleranceMs: 7_500_000 }))
    const { story, state } = await tower.node.why(ref)
    expect(story).to.deep.equal([
      `${mark}: transaction ${ref.transaction} produced this bells/Bell (revision ${state.fromRevision}).`,
      `It asked for bells/Ring at ${due}, to be missed when more than 2 h 5 min late.`,
    ])
  })

  it('of a scheduled one says when it will be started', async () => {
    const ref = await tower.castOne(bell('scheduled', { at: due }))
    expect(await now(ref)).to.equal(`It is on the agenda and will be started at ${due}.`)
    await tower.node.drain()
    expect(await now(ref))
      .to.contain(due)
      .and.to.contain('draining')
  })

  it('of a started one says since when, how late, and which flow', async () => {
    const ref = await tower.castOne(bell('started', { at: due, manner: 'swing' }))
    await tower.virtual.advanceTo(due)
    const [attempt] = await tower.node.occurrences(ref)
    expect(await lastStory(ref)).to.equal(
      `${due}: attempt 1 started bells/Ring, on time; flow ${attempt!.flow!} is still under way.`,
    )
    expect(await now(ref)).to.equal('Its flow is under way.')
  })

  it('of a completed one says so, and which transaction consumed the state', async () => {
    const ref = await tower.castOne(bell('completed', { at: due }))
    await tower.virtual.advanceTo(due)
    expect(await lastStory(ref)).to.match(/attempt 1 started bells\/Ring, on time; flow [0-9a-f]{32} completed\.$/)
    const { consumedBy } = (await tower.node.why(ref)).state
    expect(await now(ref)).to.equal(`It is consumed, by transaction ${consumedBy!}; nothing more is due.`)
  })

  it('of a failed one gives the error and says what starts it again', async () => {
    const ref = await tower.castOne(bell('failed', { at: due, manner: 'fail' }))
    await tower.virtual.advanceTo(due)
    expect(await lastStory(ref)).to.contain('failed (flow-threw: the bell is cracked)')
    expect(await now(ref))
      .to.contain('failed and left the state unconsumed')
      .and.to.contain('carillon activity retry')
    await tower.restart()
    expect(await lastStory(ref))
      .to.contain('attempt 2')
      .and.to.contain('because the node was restarted')
  })

  it('of a superseded one says that the state was consumed meanwhile', async () => {
    const ref = await tower.castOne(bell('superseded', { at: due, manner: 'swing' }))
    await tower.virtual.advanceTo(due)
    await tower.melt(ref)
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    expect(await tower.outcomes(ref)).to.deep.equal(['superseded'])
    expect(await lastStory(ref)).to.contain(
      'found, or was told, that its state had been consumed, and ended as superseded',
    )
    expect(await now(ref)).to.contain('It is consumed')
  })

  it('of a killed one says so', async () => {
    const ref = await tower.castOne(bell('killed', { at: due, manner: 'swing' }))
    await tower.virtual.advanceTo(due)
    const [attempt] = await tower.node.occurrences(ref)
    await tower.node.killFlow(attempt!.flow!, { by: 'Ada' })
    expect(await lastStory(ref)).to.contain('was killed')
    expect(await now(ref)).to.contain('closed')
  })

  it('of one whose flow is parked gives the reason', async () => {
    const ref = await tower.castOne(bell('asleep', { at: due, manner: 'park' }))
    await tower.virtual.advanceTo(due)
    expect(await lastStory(ref)).to.contain('is parked (flow-parked: the ringer is asleep)')
  })

  it('of a missed one says how late it would have been, and how to run or close it', async () => {
    const ref = await tower.castOne(bell('missed', { at: due, toleranceMs: 1_000 }))
    await tower.virtual.crash()
    await tower.virtual.advanceTo(plus(due, { hours: 2, minutes: 5 }))
    await tower.startAgain()
    expect(await lastStory(ref)).to.contain('was missed: it would have been 2 h 5 min late, beyond its tolerance')
    expect(await now(ref))
      .to.contain(`carillon activity retry ${showRef(ref)}`)
      .and.to.contain(`carillon activity dismiss ${showRef(ref)}`)
  })

  it('of a missed one with a flow for that case says that this flow was started, and why', async () => {
    const ref = await tower.castOne(bell('missed', { at: due, toleranceMs: 1_000, hasLateFlow: true }))
    await tower.virtual.crash()
    await tower.virtual.advanceTo(plus(due, { hours: 2 }))
    await tower.startAgain()
    expect(await lastStory(ref))
      .to.contain('started bells/Late, 2 h late because the activity was missed')
      .and.to.contain('completed')
  })

  it('of a failed start gives the error, and says that it is tried again and when', async () => {
    const ref = await tower.castOne(bell('unrung', { at: due }))
    await tower.restart({ without: ['bells/Ring'] })
    await tower.virtual.advanceTo(due)
    expect(await lastStory(ref))
      .to.contain('could not be started (flow-unknown: ')
      .and.to.contain('tried again with back-off')
      .and.not.to.contain('parked')
    expect(await now(ref)).to.contain(plus(due, { seconds: 1 }))
  })

  it('of a parked one gives the error and says how to retry it', async () => {
    const ref = await tower.castOne(bell('unrung', { at: due }))
    await tower.restart({ without: ['bells/Ring'] })
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    expect(await lastStory(ref)).to.contain('attempt 5 could not be started and was parked (flow-unknown: ')
    expect(await now(ref))
      .to.contain('parked and needs attention (flow-unknown: ')
      .and.to.contain(`carillon activity retry ${showRef(ref)}`)
  })

  it('of one that was parked when it was produced says that it could not answer', async () => {
    await tower.restart({
      next: () => {
        throw new Error('out of order')
      },
    })
    const ref = await tower.castOne(bell('odd', { at: due }))
    expect(await tower.why(ref))
      .to.contain('It was asked for its next activity, and could not answer.')
      .and.to.contain('activity-threw')
      .and.to.contain('out of order')
  })

  it('of a paused one gives the note and says how to resume it', async () => {
    const ref = await tower.castOne(bell('paused', { at: due }))
    await tower.node.pause(ref, { by: 'Ada', note: 'the rope is worn' })
    expect(await now(ref)).to.equal(
      `It is paused (the rope is worn). Resume it with: carillon activity resume ${showRef(ref)}`,
    )
  })

  it('of a dismissed one says by whom', async () => {
    const ref = await tower.castOne(bell('dismissed', { at: due }))
    await tower.node.dismiss(ref, { by: 'Ada' })
    expect(await lastStory(ref)).to.equal(`${mark}: dismissed by Ada.`)
    expect(await now(ref)).to.contain('will not be started again')
  })

  it('of a triggered one says that an operator did it, and how early', async () => {
    const ref = await tower.castOne(bell('triggered', { at: due }))
    await tower.node.trigger(ref, { by: 'Ada' })
    await tower.virtual.runUntilQuiet()
    expect(await lastStory(ref)).to.contain('1 d early because an operator triggered it')
  })

  it('of a consumed one that never ran says what consumed it', async () => {
    const ref = await tower.castOne(bell('consumed', { at: due }))
    await tower.melt(ref)
    expect((await tower.node.why(ref)).attempts).to.deep.equal([])
    expect(await now(ref)).to.match(/^It is consumed, by transaction [0-9a-f]{64}; nothing more is due\.$/)
  })

  it('of an irrelevant one says that it is not this party’s', async () => {
    const other = { name: 'Other', key: keyPairFromSeed(sha256('other')).publicKey }
    const ref = await tower.castOne(bell('theirs', { at: due, owner: other }))
    expect(await now(ref)).to.contain('not relevant to this party')
  })

  it('of a state that is not here says so', async () => {
    const ref = await tower.castOne(bell('here'))
    expect(await codeOf(tower.node.why({ ...ref, index: 7 }))).to.equal('state-unknown')
  })
})
