/**
 * The agenda of one node: what is due is started, in order, once, and only while its state is unconsumed.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { none } from 'fp-ts/lib/Option.js'
import { instant, instantFromMillis, plus, toMillis, type StateRef } from '../../src/index.js'
import { engineLimits } from '../../src/engine/limits.js'
import { bell, ringAt, usualActivity } from './fixtures/bells.js'
import { castInput, codeOf, refsOf, Tower } from './fixtures/Tower.js'

const mark = instant('2026-01-01T00:00:00.000Z')
const inDays = (days: number) => plus(mark, { days })

describe('the agenda', () => {
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  it('[SCH-1] starts the flow of an activity that is due now', async () => {
    const ref = await tower.castOne(bell('now', { at: mark }))
    const [start, ...more] = await tower.starts()
    expect(more).to.deep.equal([])
    expect(start).to.deep.include({ name: 'now', ref, due: mark, at: mark, latenessMs: 0, attempt: 1, cause: 'due' })
  })

  it('[SCH-2] starts at once what was due in the past, and says how late', async () => {
    await tower.castOne(bell('past', { at: inDays(-1) }))
    const starts = await tower.starts()
    expect(starts.map(({ name, latenessMs }) => ({ name, latenessMs }))).to.deep.equal([
      { name: 'past', latenessMs: 86_400_000 },
    ])
  })

  it('[SCH-3] waits for what is due in the future, and starts it at its instant', async () => {
    await tower.castOne(bell('future', { at: inDays(1) }))
    expect(await tower.awaited()).to.deep.equal(['future'])
    await tower.virtual.advanceTo(instantFromMillis(toMillis(inDays(1)) - 1))
    expect(await tower.rung()).to.deep.equal([])
    await tower.virtual.advanceBy({ milliseconds: 1 })
    expect(await tower.starts()).to.have.length(1)
    expect((await tower.starts())[0]).to.deep.include({ name: 'future', at: inDays(1), latenessMs: 0 })
    expect(await tower.awaited()).to.deep.equal([])
  })

  it('[SCH-4] an activity that is scheduled later but due earlier runs first', async () => {
    await tower.castOne(bell('second', { at: inDays(2) }))
    await tower.castOne(bell('first', { at: inDays(1) }))
    expect(await tower.awaited()).to.deep.equal(['first', 'second'])
    await tower.virtual.advanceBy({ days: 1 })
    expect(await tower.rung()).to.deep.equal(['first'])
    expect(await tower.awaited()).to.deep.equal(['second'])
    await tower.virtual.advanceBy({ days: 1 })
    expect(await tower.rung()).to.deep.equal(['first', 'second'])
  })

  it('[SCH-6] starts both of two activities that are due at the same instant', async () => {
    await tower.castOne(bell('a', { at: inDays(1) }))
    await tower.castOne(bell('b', { at: inDays(1) }))
    await tower.virtual.advanceBy({ days: 1 })
    expect(await tower.rung()).to.deep.equal(['a', 'b'])
  })

  it('[SCH-7] of two due at the same instant, starts the first when the second is consumed before', async () => {
    await tower.castOne(bell('a', { at: inDays(1) }))
    const b = await tower.castOne(bell('b', { at: inDays(1) }))
    await tower.melt(b)
    expect(await tower.awaited()).to.deep.equal(['a'])
    await tower.virtual.advanceBy({ days: 1 })
    expect(await tower.rung()).to.deep.equal(['a'])
  })

  it('[SCH-8] of two due at the same instant, starts the second when the first is consumed before', async () => {
    const a = await tower.castOne(bell('a', { at: inDays(1) }))
    await tower.castOne(bell('b', { at: inDays(1) }))
    await tower.melt(a)
    expect(await tower.awaited()).to.deep.equal(['b'])
    await tower.virtual.advanceBy({ days: 1 })
    expect(await tower.rung()).to.deep.equal(['b'])
  })

  it('[SCH-9] starts nothing for a state that is consumed before its activity is due', async () => {
    const ref = await tower.castOne(bell('gone', { at: inDays(1) }))
    await tower.melt(ref)
    expect(await tower.awaited()).to.deep.equal([])
    await tower.virtual.advanceBy({ days: 2 })
    expect(await tower.rung()).to.deep.equal([])
    expect(await tower.why(ref)).to.match(/It is consumed, by transaction [0-9a-f]+; nothing more is due\.$/)
  })

  for (const how of ['stopped', 'killed'] as const) {
    it(`[SCH-11] keeps the agenda when the node is ${how}, and runs it after the next start`, async () => {
      await tower.castOne(bell('kept', { at: inDays(1) }))
      await (how === 'stopped' ? tower.virtual.stop() : tower.virtual.crash())
      await tower.startAgain()
      expect(await tower.awaited()).to.deep.equal(['kept'])
      expect(await tower.rung()).to.deep.equal([])
      await tower.virtual.advanceBy({ days: 1 })
      expect(await tower.rung()).to.deep.equal(['kept'])
    })
  }

  it('runs what fell due while the node was down as soon as it is up, late by the length of the outage', async () => {
    await tower.castOne(bell('kept', { at: inDays(1) }))
    await tower.virtual.crash()
    await tower.virtual.advanceBy({ days: 3 })
    await tower.startAgain()
    expect((await tower.starts()).map(({ name, latenessMs }) => [name, latenessMs])).to.deep.equal([
      ['kept', 2 * 86_400_000],
    ])
  })

  it('[SCH-13] shows the earliest first, whatever the order of production', async () => {
    await tower.castOne(bell('later', { at: inDays(2) }))
    await tower.castOne(bell('earlier', { at: inDays(1) }))
    const { items } = await tower.node.agenda({ limit: 1 })
    expect(items.map(({ due }) => due)).to.deep.equal([inDays(1)])
  })

  it('[SCH-N6] orders by due instant, then log order, then output index', async () => {
    await tower.cast(bell('c', { at: inDays(2) }), bell('d', { at: inDays(2) }))
    await tower.cast(bell('e', { at: inDays(2) }), bell('a', { at: inDays(1) }), bell('b', { at: inDays(1) }))
    expect(await tower.awaited()).to.deep.equal(['a', 'b', 'c', 'd', 'e'])
    // All of them overdue at once, so that nothing but the order decides.
    await tower.virtual.crash()
    await tower.virtual.advanceBy({ days: 3 })
    await tower.startAgain()
    expect(await tower.rung()).to.deep.equal(['a', 'b', 'c', 'd', 'e'])
  })

  it('[SCH-N6] ties are broken the same way in every run of the same history', async () => {
    const play = async (): Promise<readonly string[]> => {
      const twin = await Tower.build()
      await twin.cast(bell('c', { at: inDays(1) }), bell('a', { at: inDays(1) }))
      await twin.cast(bell('b', { at: inDays(1) }))
      await twin.virtual.advanceBy({ days: 1 })
      return (await twin.starts()).map(({ flow, name }) => `${name} ${flow}`)
    }
    expect(await play()).to.deep.equal(await play())
  })

  it('starts in the order of (due, log order, output index) for any bells in any transactions', async () => {
    const someBells = fc.array(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(someBells, async (transactions) => {
        const other = await Tower.build()
        const expected: { readonly name: string; readonly day: number; readonly place: number }[] = []
        for (const days of transactions) {
          const named = days.map((day, place) => ({ name: `bell ${expected.length}.${place}`, day }))
          for (const { name, day } of named) expected.push({ name, day, place: expected.length })
          await other.cast(...named.map(({ name, day }) => bell(name, { at: inDays(1 + day) })))
        }
        await other.virtual.crash()
        await other.virtual.advanceBy({ days: 9 })
        await other.startAgain()
        const inOrder = [...expected].sort((a, b) => a.day - b.day || a.place - b.place).map(({ name }) => name)
        expect(await other.rung()).to.deep.equal(inOrder)
      }),
      { numRuns: 20 },
    )
  })
})

describe('one activity for each state', () => {
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  it('schedules the successor when a state is consumed, and nothing of its predecessor', async () => {
    const ref = await tower.castOne(bell('daily', { at: inDays(1), manner: 'daily' }))
    await tower.virtual.advanceBy({ days: 3 })
    const starts = await tower.starts()
    expect(starts.map(({ due }) => due)).to.deep.equal([inDays(1), inDays(2), inDays(3)])
    expect(starts.filter((start) => start.ref.transaction === ref.transaction)).to.have.length(1)
    const { items } = await tower.node.agenda()
    expect(items.map(({ due }) => due)).to.deep.equal([inDays(4)])
  })

  it('nets what is produced and consumed within one tick: it is never started, though it was due', async () => {
    const refs = await tower.castAndMelt(bell('brief', { at: inDays(-1) }), bell('later', { at: inDays(1) }))
    expect(await tower.awaited()).to.deep.equal([])
    await tower.virtual.advanceBy({ days: 2 })
    expect(await tower.rung()).to.deep.equal([])
    for (const ref of refs) expect(await tower.outcomes(ref)).to.deep.equal([])
  })

  it('has nothing on the agenda for a state that asks for nothing', async () => {
    const ref = await tower.castOne(bell('silent'))
    expect(await tower.awaited()).to.deep.equal([])
    expect((await tower.node.why(ref)).now).to.equal('It is unconsumed and asks for nothing.')
  })
})

describe('an activity that is due', () => {
  const dayLater = inDays(1)
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  it('[SCH-12] that has been moved to later fires once, at the later instant', async () => {
    const ref = await tower.castOne(bell('moved', { at: plus(mark, { hours: 1 }) }))
    await tower.restart({ next: (_data, own) => ringAt(dayLater, own) })
    await tower.virtual.advanceTo(plus(mark, { hours: 1 }))
    expect(await tower.rung()).to.deep.equal([])
    expect((await tower.node.agenda()).items.map(({ due }) => due)).to.deep.equal([dayLater])
    await tower.virtual.advanceBy({ days: 2 })
    const starts = await tower.starts()
    expect(starts.map(({ due, at, latenessMs }) => ({ due, at, latenessMs }))).to.deep.equal([
      { due: dayLater, at: dayLater, latenessMs: 0 },
    ])
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
  })

  it('[SCH-14] moved to earlier, it is on the agenda once, and consumed it is gone', async () => {
    const ref = await tower.castOne(bell('moved', { at: dayLater }))
    await tower.restart({ next: (_data, own) => ringAt(plus(mark, { hours: 1 }), own) })
    await tower.node.reassess(tower.Bell)
    const { items } = await tower.node.agenda()
    expect(items.map(({ ref: { index }, due }) => ({ index, due }))).to.deep.equal([
      { index: 0, due: plus(mark, { hours: 1 }) },
    ])
    await tower.melt(ref)
    expect((await tower.node.agenda()).items).to.deep.equal([])
    await tower.virtual.advanceBy({ days: 2 })
    expect(await tower.rung()).to.deep.equal([])
  })

  it('[SCH-N1a] is moved when the state, asked again, names a later instant, and fires then', async () => {
    const ref = await tower.castOne(bell('moved', { at: plus(mark, { hours: 1 }), toleranceMs: 1_000 }))
    await tower.restart({ next: (_data, own) => ringAt(dayLater, own) })
    await tower.virtual.advanceTo(plus(mark, { hours: 2 }))
    expect(await tower.rung()).to.deep.equal([])
    expect(await tower.eventsOf('ActivityMoved')).to.have.length(1)
    await tower.virtual.advanceTo(dayLater)
    expect((await tower.starts()).map(({ due, attempt }) => ({ due, attempt }))).to.deep.equal([
      { due: dayLater, attempt: 1 },
    ])
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
  })

  it('[SCH-N1a] is started at once when the state, asked again, names an earlier instant', async () => {
    const due = plus(mark, { hours: 2 })
    await tower.castOne(bell('moved', { at: due }))
    await tower.restart({ next: (_data, own) => ringAt(plus(mark, { hours: 1 }), own) })
    await tower.virtual.advanceTo(due)
    expect((await tower.starts()).map((start) => [start.due, start.latenessMs])).to.deep.equal([
      [plus(mark, { hours: 1 }), 3_600_000],
    ])
  })

  it('[SCH-N1b] is removed when the state, asked again, wants nothing any more', async () => {
    const ref = await tower.castOne(bell('removed', { at: dayLater }))
    await tower.restart({ next: () => none })
    await tower.virtual.advanceBy({ days: 2 })
    expect(await tower.rung()).to.deep.equal([])
    expect(await tower.awaited()).to.deep.equal([])
    expect(await tower.eventsOf('ActivityRemoved')).to.have.length(1)
    expect((await tower.node.why(ref)).now).to.equal('It is unconsumed and asks for nothing.')
  })

  it('[SCH-N1c] is parked, not dropped, when the state throws on being asked again', async () => {
    const ref = await tower.castOne(bell('thrower', { at: dayLater }))
    await tower.castOne(bell('healthy', { at: plus(dayLater, { minutes: 1 }) }))
    await tower.restart({
      next: (data, own) => {
        if (data.name === 'thrower') throw new TypeError('no such field')
        return usualActivity(data, own)
      },
    })
    await tower.virtual.advanceBy({ days: 2 })
    expect(await tower.rung()).to.deep.equal(['healthy'])
    const { items } = await tower.node.agenda({ show: 'attention' })
    expect(items.map(({ standing, error }) => [standing, error?.code])).to.deep.equal([['parked', 'activity-threw']])
    expect(items[0]?.error?.message).to.contain('bells/Bell').and.to.contain('no such field')

    await tower.restart({})
    expect(await tower.rung()).to.deep.equal(['healthy'])
    await tower.node.retry(ref, { by: 'Ada' })
    await tower.virtual.runUntilQuiet()
    expect(await tower.rung()).to.deep.equal(['healthy', 'thrower'])
    expect(await tower.outcomes(ref)).to.deep.equal(['parked', 'completed'])
  })

  it('[SCH-N4] is not started when a flow that was picked in the same tick consumes its state', async () => {
    await tower.cast(bell('smasher', { at: dayLater, manner: 'smash' }), bell('victim', { at: dayLater }))
    await tower.virtual.advanceTo(dayLater)
    expect(await tower.rung()).to.deep.equal(['smasher'])
    expect(await tower.awaited()).to.deep.equal([])
  })

  it('[SCH-N4] is not started when a client consumes its state in the very tick in which it falls due', async () => {
    // The phases of a tick take turns at going first; so three histories show all of them.
    for (const before of [0, 1, 2]) {
      const other = await Tower.build()
      for (let count = 0; count < before; count++) await other.cast('padding')
      const ref = await other.castOne(bell('raced', { at: dayLater }))
      other.virtual.clock.setTo(toMillis(dayLater))
      const melted = await other.melt(ref).then(
        () => true,
        () => false,
      )
      await other.virtual.runUntilQuiet()
      expect(await other.rung()).to.deep.equal(melted ? [] : ['raced'])
      await other.check()
    }
  })

  it('[SCH-N5] is started once when it is triggered in the very tick in which it falls due', async () => {
    for (const before of [0, 1, 2]) {
      const other = await Tower.build()
      for (let count = 0; count < before; count++) await other.cast('padding')
      const ref = await other.castOne(bell('raced', { at: dayLater }))
      other.virtual.clock.setTo(toMillis(dayLater))
      await other.node.trigger(ref).catch(() => undefined)
      await other.virtual.runUntilQuiet()
      expect(await other.rung()).to.deep.equal(['raced'])
      await other.check()
    }
  })

  it('[SCH-N5] whose flow is under way can be neither moved nor triggered', async () => {
    const ref = await tower.castOne(bell('under way', { at: dayLater, manner: 'swing' }))
    await tower.virtual.advanceTo(dayLater)
    const refused = await codeOf(tower.node.trigger(ref))
    expect(refused).to.equal('activity-not-ready')
    await tower.crashAndRestart({ next: (_data, own) => ringAt(plus(dayLater, { days: 1 }), own) })
    expect(await tower.node.reassess(tower.Bell)).to.deep.equal({ asked: 1, changed: 0 })
    await tower.virtual.advanceBy({ days: 3 })
    expect(await tower.rung()).to.deep.equal(['under way'])
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
  })
})

describe('catching up', () => {
  it('[SCH-N9] starts thousands that are overdue at a restart in order, exactly once, and so many a tick', async function () {
    const tower = await Tower.build()
    const dayLater = inDays(1)
    const count = 4_000
    const refs: StateRef[] = []
    for (let first = 0; first < count; first += 250) {
      const drafts = Array.from({ length: 250 }, (_, place) =>
        // Due in the opposite order of production, two at each instant.
        bell('n', { at: instantFromMillis(toMillis(dayLater) + Math.floor((count - first - place) / 2)) }),
      )
      const handle = await tower.node.startByName('bells/Cast', castInput(drafts))
      refs.push(...refsOf(await handle.result()))
    }
    await tower.virtual.crash()
    await tower.virtual.advanceBy({ days: 2 })
    await tower.startAgain()

    const starts = (await tower.facts()).flatMap(({ event, tick }) =>
      event.type === 'FlowStarted' && event.origin.kind === 'activity' ? [{ ...event.origin, tick }] : [],
    )
    expect(starts).to.have.length(count)
    const keys = starts.map(({ ref }) => `${ref.transaction}:${ref.index}`)
    expect(new Set(keys)).to.have.property('size', count)
    const place = new Map(refs.map(({ transaction, index }, order) => [`${transaction}:${index}`, order]))
    for (let i = 1; i < starts.length; i++) {
      const [a, b] = [starts[i - 1]!, starts[i]!]
      const inOrder = a.due < b.due || (a.due === b.due && place.get(keys[i - 1]!)! < place.get(keys[i]!)!)
      if (!inOrder) expect.fail(`start ${i} is out of order`)
    }
    const perTick = new Map<number, number>()
    for (const { tick } of starts) perTick.set(tick, (perTick.get(tick) ?? 0) + 1)
    expect(Math.max(...perTick.values())).to.be.at.most(engineLimits.activitiesPerTick)
    expect(perTick.size).to.be.at.least(count / engineLimits.activitiesPerTick)
  })
})

describe('the agenda, page by page', () => {
  let tower: Tower
  const due = inDays(1)

  beforeEach(async () => {
    tower = await Tower.build()
  })

  it('goes from page to page by key: what is started between two pages shifts nothing', async () => {
    const at = (minutes: number) => plus(due, { minutes })
    await tower.cast(...[0, 1, 1, 2, 3, 4].map((minutes, index) => bell(`bell ${index}`, { at: at(minutes) })))
    const first = await tower.node.agenda({ limit: 2 })
    expect(first.items.map((entry) => entry.due)).to.deep.equal([at(0), at(1)])
    await tower.virtual.advanceTo(at(0))
    const second = await tower.node.agenda({ limit: 3, after: first.next! })
    expect(second.items.map((entry) => entry.due)).to.deep.equal([at(1), at(2), at(3)])
    const third = await tower.node.agenda({ limit: 3, after: second.next! })
    expect(third.items.map((entry) => entry.due)).to.deep.equal([at(4)])
    expect(third.next).to.equal(undefined)
  })

  it('shows what failed among what needs attention, until it is retried or dismissed', async () => {
    const ref = await tower.castOne(bell('cracked', { at: due, manner: 'fail' }))
    await tower.virtual.advanceTo(due)
    const { items } = await tower.node.agenda({ show: 'attention' })
    expect(items.map(({ standing, error }) => [standing, error?.code])).to.deep.equal([['ended', 'flow-threw']])
    await tower.node.dismiss(ref)
    expect((await tower.node.agenda({ show: 'attention' })).items).to.deep.equal([])
  })

  it('refuses a list it does not have, and a cursor that is none', async () => {
    const refusal = async (query: object): Promise<unknown> => tower.node.agenda(query).catch((error: unknown) => error)
    for (const query of [{ show: 'everything' }, { show: '__proto__' }, { after: '7' }, { after: "0.0' OR 1" }])
      expect(await refusal(query)).to.include({ code: 'request-invalid' })
  })
})
