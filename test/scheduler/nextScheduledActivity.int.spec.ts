/**
 * What a state may say about its next activity, and what happens when it says something it should not. Whatever
 * it does, the transaction is recorded, the other activities run, and nothing loops.
 */
import { expect } from 'chai'
import * as t from 'io-ts'
import { none, some, type Option } from 'fp-ts/lib/Option.js'
import { DateTime } from 'luxon'
import {
  activity,
  defineFlow,
  instant,
  instantFromMillis,
  NoInputC,
  plus,
  toMillis,
  type Activity,
  type AnyFlowDefinition,
  type FlowBody,
  type Instant,
  type StateRef,
} from '../../src/index.js'
import { bell, ringAt, usualActivity, type BellData } from './fixtures/bells.js'
import { codeOf, Tower } from './fixtures/Tower.js'

const mark = instant('2026-01-01T00:00:00.000Z')
const due = plus(mark, { days: 1 })

/** The usual activity for every bell but the one named `odd`. */
const odd =
  (answer: (data: BellData, ref: StateRef) => Option<Activity>) =>
  (data: BellData, ref: StateRef): Option<Activity> =>
    data.name === 'odd' ? answer(data, ref) : usualActivity(data, ref)

/** A tower in which an odd bell and a healthy one were cast in one transaction, a day later. */
const withOdd = async (
  answer: (data: BellData, ref: StateRef) => Option<Activity>,
  options: { readonly development?: boolean; readonly flows?: readonly AnyFlowDefinition[] } = {},
): Promise<{ readonly tower: Tower; readonly ref: StateRef }> => {
  const tower = await Tower.build({ next: odd(answer), ...options })
  const [ref] = await tower.cast(bell('odd', { at: due }), bell('healthy', { at: due }))
  await tower.virtual.advanceTo(plus(due, { hours: 1 }))
  return { tower, ref: ref! }
}

const attentionOf = async (tower: Tower): Promise<readonly (string | undefined)[]> =>
  (await tower.node.agenda({ show: 'attention' })).items.map(({ error }) => error?.code)

/** An answer of a shape the types forbid, as plain JavaScript could give it. */
const unchecked = (value: unknown): Option<Activity> => value as Option<Activity>

describe('a reference to a flow', () => {
  const noted: unknown[] = []
  const note = <I>(name: string, input: t.Type<I, unknown>) =>
    defineFlow({
      name,
      schedulable: true,
      input,
      *run(_io, given): FlowBody<null> {
        noted.push(given)
        return null
      },
    })

  beforeEach(() => {
    noted.length = 0
  })

  it('[SCH-18] to a schedulable flow without input, by name, is started', async () => {
    const Plain = note('bells/Plain', NoInputC)
    const { tower } = await withOdd(() => some(activity(due, { name: 'bells/Plain', input: {} })), { flows: [Plain] })
    expect(noted).to.deep.equal([{}])
    await tower.check()
  })

  it('[SCH-19] with named inputs that fit the codec is started with them, decoded', async () => {
    const Named = note('bells/Named', t.strict({ tower: t.string, strokes: t.number }))
    const { tower } = await withOdd(() => some(Named.at(due, { tower: 'north', strokes: 12 })), { flows: [Named] })
    expect(noted).to.deep.equal([{ tower: 'north', strokes: 12 }])
    await tower.check()
  })

  it('[SCH-21] with an empty input fits a flow that takes none', async () => {
    const Plain = note('bells/Plain', NoInputC)
    await withOdd(() => some(Plain.at(due, {})), { flows: [Plain] })
    expect(noted).to.deep.equal([{}])
  })

  it('[SCH-22] may leave out what the codec makes optional', async () => {
    const Partly = note('bells/Partly', t.partial({ strokes: t.number, tower: t.string }))
    await withOdd(() => some(Partly.at(due, { strokes: 3 })), { flows: [Partly] })
    expect(noted).to.deep.equal([{ strokes: 3 }])
  })

  it('[SCH-23] may carry a string alone', async () => {
    const Text = note('bells/Text', t.string)
    await withOdd(() => some(Text.at(due, 'ding')), { flows: [Text] })
    expect(noted).to.deep.equal(['ding'])
  })

  it('[SCH-24] may carry a number alone', async () => {
    const Count = note('bells/Count', t.number)
    await withOdd(() => some(Count.at(due, 7)), { flows: [Count] })
    expect(noted).to.deep.equal([7])
  })

  it('[SCH-26] is the same input that a client may start the flow with, by name', async () => {
    const Pair = note('bells/Pair', t.strict({ tower: t.string, strokes: t.number }))
    const { tower } = await withOdd(() => some(Pair.at(due, { tower: 'north', strokes: 1 })), { flows: [Pair] })
    const handle = await tower.node.startByName('bells/Pair', { tower: 'south', strokes: 2 })
    await handle.result()
    expect(noted).to.deep.equal([
      { tower: 'north', strokes: 1 },
      { tower: 'south', strokes: 2 },
    ])
  })

  it('[SCH-27] without input can be started by a client too', async () => {
    const Plain = note('bells/Plain', NoInputC)
    const tower = await Tower.build({ flows: [Plain] })
    await (await tower.node.startByName('bells/Plain', {})).result()
    expect(noted).to.deep.equal([{}])
  })

  it('[SCH-28] to a flow that is not declared schedulable is refused where it is made', () => {
    const Private = defineFlow({
      name: 'bells/Private',
      input: NoInputC,
      *run(): FlowBody<null> {
        return null
      },
    })
    expect(() => Private.ref({})).to.throw('Flow bells/Private is not schedulable')
  })

  const refused: readonly {
    readonly id: string
    readonly what: string
    readonly answer: () => Option<Activity>
    readonly code: string
    readonly says: string
  }[] = [
    {
      id: '[SCH-28] ',
      what: 'to a flow that is not declared schedulable',
      answer: () => some(activity(due, { name: 'bells/Cast', input: { bells: [] } })),
      code: 'flow-not-schedulable',
      says: 'Add schedulable: true',
    },
    {
      id: '[SCH-28] ',
      what: 'to a flow that the app does not have',
      answer: () => some(activity(due, { name: 'bells/Rung', input: {} })),
      code: 'flow-unknown',
      says: 'defines no flow bells/Rung',
    },
    {
      id: '[SCH-29] ',
      what: 'with an input that does not fit the codec',
      answer: () => some(activity(due, { name: 'bells/Ring', input: { bell: 'the big one' } })),
      code: 'flow-input-invalid',
      says: 'does not fit its codec',
    },
    {
      id: '[SCH-29] ',
      what: 'with an input that is not plain data',
      answer: () => unchecked(some({ at: due, flow: { name: 'bells/Ring', input: { bell: new Map() } } })),
      code: 'flow-input-invalid',
      says: 'bells/Bell',
    },
    {
      id: '',
      what: 'for a missed activity that the app does not have',
      answer: () =>
        some(
          activity(
            due,
            { name: 'bells/Ring', input: { bell: { transaction: 'a'.repeat(64), index: 0 } } },
            { toleranceMs: 1, onMissed: { name: 'bells/Nowhere', input: {} } },
          ),
        ),
      code: 'flow-unknown',
      says: 'bells/Nowhere',
    },
  ]

  for (const { id, what, answer, code, says } of refused) {
    it(`${id}${what} parks the activity, says why, and breaks nothing`, async () => {
      const { tower, ref } = await withOdd(answer)
      expect(await tower.rung()).to.deep.equal(['healthy'])
      expect(await attentionOf(tower)).to.deep.equal([code])
      expect(await tower.why(ref))
        .to.contain(code)
        .and.to.contain(says)
      await tower.check()
    })
  }
})

describe('nextScheduledActivity', () => {
  const oddities: readonly {
    readonly what: string
    readonly answer: () => Option<Activity>
    readonly code: string
  }[] = [
    {
      what: 'throws an error',
      answer: () => {
        throw new Error('out of order')
      },
      code: 'activity-threw',
    },
    {
      what: 'throws something that is not an error',
      answer: () => {
        // oxlint-disable-next-line typescript/only-throw-error -- app code may throw anything
        throw null
      },
      code: 'activity-threw',
    },
    {
      what: 'throws an error whose message is no text',
      answer: () => {
        throw Object.assign(new Error(), { message: Symbol('odd') })
      },
      code: 'activity-threw',
    },
    {
      what: 'throws an object that cannot be shown',
      answer: () => {
        throw Object.create(null)
      },
      code: 'activity-threw',
    },
    { what: 'returns nothing at all', answer: () => unchecked(undefined), code: 'activity-threw' },
    { what: 'returns a promise', answer: () => unchecked(Promise.resolve(none)), code: 'activity-invalid' },
    {
      what: 'names an instant that does not exist',
      answer: () => unchecked(some({ at: '2026-02-30T00:00:00.000Z', flow: { name: 'bells/Ring', input: {} } })),
      code: 'activity-invalid',
    },
    {
      what: 'names a local time',
      answer: () => unchecked(some({ at: '2026-02-03T00:00:00+02:00', flow: { name: 'bells/Ring', input: {} } })),
      code: 'activity-invalid',
    },
    {
      what: 'overflows the stack',
      answer: () => {
        const forever = (): never => forever()
        return forever()
      },
      code: 'activity-threw',
    },
  ]

  for (const { what, answer, code } of oddities) {
    it(`[SCH-N2] that ${what} breaks neither the transaction nor the others`, async () => {
      const { tower, ref } = await withOdd(answer)
      expect((await tower.node.states(tower.Bell)).map(({ data }) => data.name)).to.deep.equal(['odd'])
      expect(await tower.rung()).to.deep.equal(['healthy'])
      expect(await attentionOf(tower)).to.deep.equal([code])
      expect(await tower.eventsOf('ActivityParked')).to.deep.equal([])
      // It can be repaired: the next version of the app answers, and someone retries it.
      await tower.restart({})
      await tower.node.retry(ref)
      await tower.virtual.runUntilQuiet()
      expect(await tower.rung()).to.deep.equal(['healthy', 'odd'])
      await tower.check()
    })
  }

  it('says extra words that are not part of an activity, and the log still gives the same views', async () => {
    const { tower } = await withOdd((_data, ref) =>
      unchecked(
        some({ at: due, flow: { name: 'bells/Ring', input: { bell: { ...ref } }, colour: 'red' }, shape: 'round' }),
      ),
    )
    expect(await tower.rung()).to.deep.equal(['odd', 'healthy'])
    await tower.check()
  })

  const clockReads: readonly { readonly what: string; readonly read: () => Instant }[] = [
    { what: 'Date.now()', read: () => instantFromMillis(Date.now()) },
    { what: 'new Date()', read: () => instantFromMillis(new Date().getTime()) },
    { what: 'luxon’s DateTime.now()', read: () => instant(DateTime.now()) },
    { what: 'luxon’s DateTime.utc()', read: () => instant(DateTime.utc()) },
    { what: 'performance.now()', read: () => instantFromMillis(toMillis(mark) + Math.trunc(performance.now())) },
  ]

  for (const { what, read } of clockReads) {
    it(`that reads ${what} is found out on a development node when the state is produced`, async () => {
      const { tower, ref } = await withOdd((_data, own) => ringAt(plus(read(), { hours: 1 }), own), {
        development: true,
      })
      expect(await attentionOf(tower)).to.deep.equal(['activity-reads-clock'])
      expect(await tower.why(ref))
        .to.contain('bells/Bell reads the clock')
        .and.to.contain('into the state')
      expect(await tower.rung()).to.deep.equal(['healthy'])
      await tower.check()
    })
  }

  it('that reads the clock is parked at the recheck in production, and named, instead of moving on for ever', async () => {
    const tower = await Tower.build({
      next: odd((_data, own) => ringAt(instantFromMillis(Date.now()), own)),
      start: instantFromMillis(Date.now() - 3_600_000),
    })
    const [ref] = await tower.cast(bell('odd'))
    // Within the millisecond it was produced in, nothing tells its answer from an honest one.
    for (const castMs = Date.now(); Date.now() === castMs;);
    await tower.virtual.advanceBy({ hours: 12 })
    expect(await tower.rung()).to.deep.equal([])
    expect(await tower.eventsOf('ActivityMoved')).to.deep.equal([])
    expect(await attentionOf(tower)).to.deep.equal(['activity-reads-clock'])
    expect(await tower.why(ref!)).to.contain('bells/Bell gives another instant each time')
    await tower.check()
  })

  for (const [how, unitMs] of [
    ['to the millisecond', 1],
    ['to the full second', 1_000],
    ['to the full hour', 3_600_000],
  ] as const)
    it(`that moves with a clock which nobody sees it read, ${how}, is parked with the explanation`, async () => {
      let nowMs = (): number => toMillis(mark)
      const tower = await Tower.build({
        next: odd((_data, own) => ringAt(instantFromMillis((Math.floor(nowMs() / unitMs) + 1) * unitMs), own)),
        start: mark,
      })
      nowMs = () => tower.node.nowMs
      const [ref] = await tower.cast(bell('odd'))
      await tower.virtual.advanceBy({ hours: 12 })
      expect(await tower.rung()).to.deep.equal([])
      expect((await tower.eventsOf('ActivityMoved')).length).to.be.at.most(1)
      expect(await attentionOf(tower)).to.deep.equal(['activity-invalid'])
      expect(await tower.why(ref!))
        .to.contain('bells/Bell gives another instant each time')
        .and.to.contain('not on the clock')
      await tower.check()
    })

  it('that gives another past instant each time it is asked is parked, and does not loop', async () => {
    let count = 0
    const { tower, ref } = await withOdd((_data, own) => ringAt(instantFromMillis(toMillis(mark) - (count += 1)), own))
    expect(await tower.rung()).to.deep.equal(['healthy'])
    expect((await tower.eventsOf('ActivityMoved')).length).to.be.at.most(1)
    expect(await attentionOf(tower)).to.deep.equal(['activity-invalid'])
    expect(await tower.why(ref)).to.contain('another instant each time')
    await tower.check()
  })

  it('that gives another future instant each time it is asked is parked, instead of being put off for ever', async () => {
    let count = 0
    const { tower } = await withOdd((_data, own) => ringAt(instantFromMillis(toMillis(due) + (count += 1)), own))
    expect(await tower.rung()).to.deep.equal(['healthy'])
    expect((await tower.eventsOf('ActivityMoved')).length).to.be.at.most(1)
    expect(await attentionOf(tower)).to.deep.equal(['activity-invalid'])
    await tower.check()
  })
})

describe('reassessing', () => {
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  const patient = (data: BellData, ref: StateRef): Option<Activity> => {
    const usual = usualActivity(data, ref)
    return usual._tag === 'None' ? none : some({ ...usual.value, toleranceMs: 365 * 86_400_000 })
  }

  it('schedules what a newer version of the app asks for, once', async () => {
    await tower.castOne(bell('silent'))
    await tower.restart({ next: (_data, ref) => ringAt(due, ref) })
    expect(await tower.node.reassess(tower.Bell)).to.deep.equal({ asked: 1, changed: 1 })
    expect(await tower.node.reassess(tower.Bell)).to.deep.equal({ asked: 1, changed: 0 })
    await tower.virtual.advanceTo(due)
    expect(await tower.rung()).to.deep.equal(['silent'])
  })

  it('never starts an occurrence again that has ended, and never uses an attempt’s number twice', async () => {
    const ref = await tower.castOne(bell('kept', { at: due, manner: 'keep' }))
    await tower.virtual.advanceTo(due)
    await tower.node.trigger(ref)
    await tower.virtual.runUntilQuiet()
    expect(await tower.outcomes(ref)).to.deep.equal(['completed', 'completed'])
    await tower.virtual.stop()
    await tower.startAgain({ next: patient })
    const attempts = await tower.outcomes(ref)
    expect(await tower.node.reassess(tower.Bell)).to.deep.equal({ asked: 1, changed: 1 })
    await tower.virtual.runUntilQuiet()
    expect(await tower.outcomes(ref)).to.deep.equal(attempts)
    await tower.node.trigger(ref)
    await tower.virtual.runUntilQuiet()
    expect((await tower.starts()).map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3, 4])
  })

  it('counts on where it was when an activity is moved away and back again', async () => {
    const ref = await tower.castOne(bell('kept', { at: due, manner: 'keep' }))
    await tower.virtual.advanceTo(due)
    await tower.restart({ next: (_data, own) => ringAt(plus(due, { days: 1 }), own) })
    await tower.node.reassess(tower.Bell)
    await tower.restart({})
    await tower.node.reassess(tower.Bell)
    await tower.virtual.runUntilQuiet()
    await tower.node.trigger(ref).catch(() => undefined)
    await tower.virtual.advanceBy({ days: 3 })
    const attempts = (await tower.starts()).map((start) => `${start.due} ${start.attempt}`)
    expect(attempts.length).to.be.at.least(3)
    expect(new Set(attempts).size).to.equal(attempts.length)
  })

  it('leaves alone what was dismissed', async () => {
    const ref = await tower.castOne(bell('unrung', { at: due }))
    await tower.restart({ without: ['bells/Ring'] })
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    expect(await attentionOf(tower)).to.deep.equal(['flow-unknown'])
    await tower.node.dismiss(ref, { by: 'Ada' })
    await tower.restart({})
    await tower.node.reassess(tower.Bell)
    await tower.virtual.runUntilQuiet()
    expect(await tower.rung()).to.deep.equal([])
    expect((await tower.node.why(ref)).now).to.contain('closed')
  })

  it('leaves alone what was dismissed and still cannot answer', async () => {
    const broken = (): never => {
      throw new Error('out of order')
    }
    await tower.restart({ next: broken })
    const ref = await tower.castOne(bell('odd', { at: due }))
    await tower.node.dismiss(ref, { by: 'Ada' })
    await tower.node.reassess(tower.Bell)
    expect(await attentionOf(tower)).to.deep.equal([])
    expect((await tower.node.why(ref)).now).to.contain('closed')
  })

  it('parks what cannot be asked, and goes on with the others', async () => {
    await tower.cast(bell('first', { at: due }), bell('odd', { at: due }), bell('last', { at: due }))
    await tower.restart({
      next: patient,
      isRelevant: ({ name }) => {
        if (name === 'odd') throw new TypeError('no such name')
        return true
      },
    })
    expect(await codeOf(tower.node.reassess(tower.Bell))).to.equal('none')
    expect(await attentionOf(tower)).to.deep.equal(['state-definition-faulty'])
    await tower.virtual.advanceTo(due)
    expect(await tower.rung()).to.deep.equal(['first', 'last'])
  })
})
