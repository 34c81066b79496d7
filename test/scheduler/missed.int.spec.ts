/**
 * Missed means: later than the activity tolerates, whatever made it late.
 */
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import { activity, instant, plus, type StateRef } from '../../src/index.js'
import { bell, type Draft } from './fixtures/bells.js'
import { Tower } from './fixtures/Tower.js'

const mark = instant('2026-01-01T00:00:00.000Z')
const due = plus(mark, { days: 1 })
const hourMs = 3_600_000
const tolerant: Partial<Draft> = { at: due, toleranceMs: hourMs }

describe('an activity with a tolerance', () => {
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  const outage = async (hours: number): Promise<void> => {
    await tower.virtual.crash()
    await tower.virtual.advanceTo(plus(due, { hours }))
    await tower.startAgain()
  }

  const causes: readonly { readonly cause: string; readonly delay: (ref: StateRef) => Promise<void> }[] = [
    { cause: 'the node was down', delay: () => outage(2) },
    {
      cause: 'the node was draining',
      delay: async () => {
        await tower.node.drain()
        await tower.virtual.advanceTo(plus(due, { hours: 2 }))
        await tower.node.endDraining()
        await tower.virtual.runUntilQuiet()
      },
    },
    {
      cause: 'it was paused',
      delay: async (ref) => {
        await tower.node.pause(ref)
        await tower.virtual.advanceTo(plus(due, { hours: 2 }))
        await tower.node.resume(ref)
        await tower.virtual.runUntilQuiet()
      },
    },
  ]

  for (const { cause, delay } of causes) {
    it(`is missed and needs attention, without a flow for that case, because ${cause}`, async () => {
      const ref = await tower.castOne(bell('missed', tolerant))
      await delay(ref)
      expect(await tower.rung()).to.deep.equal([])
      const { items } = await tower.node.agenda({ show: 'attention' })
      expect(items.map(({ standing, due: at }) => ({ standing, at }))).to.deep.equal([{ standing: 'missed', at: due }])
      const [attempt, ...more] = await tower.node.occurrences(ref)
      expect(more).to.deep.equal([])
      expect(attempt).to.deep.include({ outcome: 'missed', latenessMs: 2 * hourMs, attempt: 1 })
    })

    it(`starts the flow for that case, told the lateness, because ${cause}`, async () => {
      const ref = await tower.castOne(bell('missed', { ...tolerant, hasLateFlow: true }))
      await delay(ref)
      const [start, ...more] = await tower.starts()
      expect(more).to.deep.equal([])
      expect(start).to.deep.include({ flowName: 'bells/Late', cause: 'missed', latenessMs: 2 * hourMs, due })
      const successors = await tower.node.states(tower.Bell)
      expect(successors.map(({ data }) => ({ name: data.name, at: data.at }))).to.deep.equal([
        { name: `missed by ${2 * hourMs} ms`, at: plus(due, { days: 1 }) },
      ])
      expect((await tower.node.agenda()).items.map(({ due: at }) => at)).to.deep.equal([plus(due, { days: 1 })])
    })
  }

  it('is missed because the tick before took too long, as any lateness counts', async () => {
    const ref = await tower.castOne(bell('missed', tolerant))
    tower.virtual.clock.setTo(Date.parse(due) + hourMs + 1)
    await tower.virtual.advanceBy({ milliseconds: 0 })
    expect(await tower.outcomes(ref)).to.deep.equal(['missed'])
  })

  it('runs when it is late by exactly its tolerance', async () => {
    const ref = await tower.castOne(bell('just in time', tolerant))
    await outage(1)
    expect((await tower.starts()).map(({ latenessMs }) => latenessMs)).to.deep.equal([hourMs])
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
  })

  it('runs however late it is when it has none', async () => {
    await tower.castOne(bell('no tolerance', { at: due }))
    await outage(24 * 365)
    expect((await tower.starts()).map(({ latenessMs }) => latenessMs)).to.deep.equal([24 * 365 * hourMs])
  })

  it('is run, late as it is, when an operator retries a missed one', async () => {
    const ref = await tower.castOne(bell('missed', tolerant))
    await outage(2)
    await tower.node.retry(ref, { by: 'Ada' })
    await tower.virtual.runUntilQuiet()
    expect(await tower.outcomes(ref)).to.deep.equal(['missed', 'completed'])
    expect((await tower.starts()).map(({ cause, attempt }) => ({ cause, attempt }))).to.deep.equal([
      { cause: 'retry', attempt: 2 },
    ])
  })

  it('is left alone by later restarts once it is missed', async () => {
    const ref = await tower.castOne(bell('missed', tolerant))
    await outage(2)
    await tower.restart()
    await tower.restart()
    expect(await tower.outcomes(ref)).to.deep.equal(['missed'])
    expect(await tower.rung()).to.deep.equal([])
  })

  it('that was triggered runs at once, though its state names a later instant by now', async () => {
    const ref = await tower.castOne(bell('moved', tolerant))
    const later = plus(due, { days: 1 })
    const asksLater = {
      next: (_data: unknown, own: StateRef) =>
        some(activity(later, { name: 'bells/Ring', input: { bell: { ...own } } }, { toleranceMs: hourMs })),
    }
    await tower.restart(asksLater)
    await tower.node.trigger(ref)
    await tower.virtual.runUntilQuiet()
    expect((await tower.starts()).map(({ cause, due: at }) => ({ cause, at }))).to.deep.equal([
      { cause: 'trigger', at: later },
    ])
    expect((await tower.node.why(ref)).story.join('\n')).to.contain('because an operator triggered it')
  })

  it('that moved is missed at its new instant like any other', async () => {
    const ref = await tower.castOne(bell('moved', tolerant))
    const later = plus(due, { days: 1 })
    const asksLater = {
      next: (_data: unknown, own: StateRef) =>
        some(activity(later, { name: 'bells/Ring', input: { bell: { ...own } } }, { toleranceMs: hourMs })),
    }
    await tower.restart(asksLater)
    await tower.virtual.advanceTo(due)
    expect((await tower.node.agenda()).items.map(({ due: at }) => at)).to.deep.equal([later])
    await tower.virtual.crash()
    await tower.virtual.advanceTo(plus(later, { hours: 2 }))
    await tower.startAgain(asksLater)
    expect(await tower.outcomes(ref)).to.deep.equal(['missed'])
  })
})
