import { expect } from 'chai'
import * as t from 'io-ts'
import { CarillonError, defineApp, instant, type FlowBody, type Instant } from '../../src/index.js'
import { zoneDataVersion } from '../../src/entries/calendars.js'
import { cron, everyInterval, recurring, type Missed, type Overlap } from '../../src/entries/recurrence.js'
import { VirtualNode } from '../../src/testing/index.js'

const midnight = instant('2026-01-01T00:00Z')
const hourly = everyInterval({ hours: 1 }, midnight)
const at = (text: string): Instant => instant(`2026-01-01T${text}Z`)

const scene = async (
  policy: { readonly overlap?: Overlap; readonly missed?: Missed; readonly minutes?: number } = {},
) => {
  const ran: string[] = []
  const report = recurring({
    name: 'reports/Report',
    payload: t.strict({ title: t.string }),
    ...(policy.overlap === undefined ? {} : { overlap: policy.overlap }),
    ...(policy.missed === undefined ? {} : { missed: policy.missed }),
    *run(io, occurrence): FlowBody<void> {
      if (occurrence.payload.title === 'broken') throw new Error('no paper')
      if (policy.minutes !== undefined) yield* io.sleep({ minutes: policy.minutes })
      yield* io.step('print', () => {
        ran.push(occurrence.at.slice(11, 16))
      })
    },
  })
  const virtual = await VirtualNode.start({
    app: defineApp({ name: 'reports', states: report.states, flows: report.flows }),
    start: midnight,
  })
  const create = (title = 'daily', recurrence = hourly) =>
    virtual.node.run(report.Create, { id: 'r', recurrence, payload: { title } })
  const outcomes = async (): Promise<readonly string[]> =>
    (await virtual.node.states(report.Occurrence))
      .map(({ data }) => data)
      .sort((a, b) => a.number - b.number)
      .map((data) => `${data.at.slice(11, 16)} ${data.outcome}`)
  return { virtual, report, ran, create, outcomes }
}

const down = async (virtual: VirtualNode, until: Instant): Promise<void> => {
  await virtual.crash()
  virtual.clock.setTo(Date.parse(until))
  await virtual.restart()
  await virtual.runUntilQuiet()
}

describe('a recurring schedule', () => {
  it('runs each occurrence and keeps a record of it, with the zone data it was computed with', async () => {
    const { virtual, report, ran, create, outcomes } = await scene()
    expect(await create()).to.equal(at('01:00'))
    await virtual.advanceTo(at('03:30'))
    expect(ran).to.deep.equal(['01:00', '02:00', '03:00'])
    expect(await outcomes()).to.deep.equal(['01:00 completed', '02:00 completed', '03:00 completed'])
    const [first] = await virtual.node.states(report.Occurrence)
    expect(first?.data.zoneData).to.equal(zoneDataVersion())
    expect((await virtual.node.find(report.Schedule, 'r'))?.data.next).to.equal(at('04:00'))
  })

  it('records what an occurrence failed with, and goes on', async () => {
    const { virtual, report, create, outcomes } = await scene()
    await create('broken')
    await virtual.advanceTo(at('02:30'))
    expect(await outcomes()).to.deep.equal(['01:00 failed', '02:00 failed'])
    expect((await virtual.node.states(report.Occurrence))[0]?.data.error).to.equal('no paper')
  })

  it('ends with its recurrence', async () => {
    const { virtual, report, ran, create } = await scene()
    await create('daily', { ...hourly, until: at('02:00') })
    await virtual.advanceTo(at('09:00'))
    expect(ran).to.deep.equal(['01:00', '02:00'])
    expect((await virtual.node.find(report.Schedule, 'r'))?.data.next).to.equal(null)
  })

  describe('while an occurrence is still running', () => {
    const afterFourHours = async (overlap: Overlap): Promise<readonly string[]> => {
      const { virtual, create, outcomes } = await scene({ overlap, minutes: 150 })
      await create()
      await virtual.advanceTo(at('04:10'))
      return outcomes()
    }

    it('skips the others', async () => {
      expect(await afterFourHours('skip')).to.deep.equal([
        ...['01:00 completed', '02:00 skipped', '03:00 skipped', '04:00 running'],
      ])
    })

    it('or lets one wait', async () => {
      expect(await afterFourHours('buffer-one')).to.deep.equal([
        ...['01:00 completed', '02:00 running', '03:00 skipped', '04:00 buffered'],
      ])
    })

    it('or lets all run', async () => {
      expect(await afterFourHours('allow')).to.deep.equal([
        ...['01:00 completed', '02:00 running', '03:00 running', '04:00 running'],
      ])
    })

    describe('or cancels it', () => {
      const cancelling = async () => {
        const made = await scene({ overlap: 'cancel-previous', minutes: 150 })
        await made.create('daily', { ...hourly, until: at('03:00') })
        const runs = async () =>
          (await made.virtual.node.flows({ name: 'reports/Report/Run' })).items.map(({ status }) => status).sort()
        return { ...made, runs }
      }

      it('and its flow ends there and then, wherever it waited', async () => {
        const { virtual, ran, outcomes, runs } = await cancelling()
        await virtual.advanceTo(at('02:00'))
        expect(await runs()).to.deep.equal(['killed', 'running'])
        await virtual.advanceTo(at('09:00'))
        expect(await outcomes()).to.deep.equal(['01:00 cancelled', '02:00 cancelled', '03:00 completed'])
        expect(await runs()).to.deep.equal(['completed', 'killed', 'killed'])
        expect(ran).to.deep.equal(['03:00'])
      })

      it('also when a crash came between, and it stays so after the next start', async () => {
        const { virtual, ran, outcomes, runs } = await cancelling()
        await virtual.advanceTo(at('01:30'))
        await down(virtual, at('02:10'))
        expect(await runs()).to.deep.equal(['killed', 'running'])
        await down(virtual, at('02:20'))
        expect(await runs()).to.deep.equal(['killed', 'running'])
        await virtual.advanceTo(at('09:00'))
        expect(await outcomes()).to.deep.equal(['01:00 cancelled', '02:00 cancelled', '03:00 completed'])
        expect(ran).to.deep.equal(['03:00'])
      })

      it('and so does a trigger, also of an occurrence that is stuck in a step', async () => {
        let aborted = false
        const report = recurring({
          name: 'reports/Report',
          payload: t.strict({}),
          overlap: 'cancel-previous',
          *run(io, { number }): FlowBody<void> {
            if (number > 1) return
            yield* io.step('hang', ({ signal }) => {
              signal.addEventListener('abort', () => (aborted = true))
              return new Promise<void>(() => undefined)
            })
          },
        })
        const { node } = await VirtualNode.start({
          app: defineApp({ name: 'reports', states: report.states, flows: report.flows }),
          start: midnight,
        })
        const turn = () => new Promise((resolve) => setImmediate(resolve))
        await node.run(report.Create, { id: 'r', recurrence: hourly, payload: {} })
        await node.run(report.Trigger, { id: 'r' })
        await turn()
        await node.run(report.Trigger, { id: 'r' })
        await turn()
        expect(aborted).to.equal(true)
        const [killed] = (await node.flows({ status: 'killed' })).items
        expect(killed?.error?.message).to.match(/^Killed by flow reports\/Report\/Trigger \(/)
        await node.stop()
      })
    })
  })

  it('is freed of an occurrence that is cancelled, even of one whose flow was killed, and the one that waits begins', async () => {
    const { virtual, report, create, outcomes } = await scene({ overlap: 'buffer-one', minutes: 150 })
    await create()
    await virtual.advanceTo(at('02:10'))
    const [running] = (await virtual.node.flows({ name: 'reports/Report/Run', status: 'running' })).items
    if (running === undefined) throw new Error('Nothing is running.')
    await virtual.node.killFlow(running.id, { by: 'carol' })
    expect(await virtual.node.run(report.Cancel, { id: 'r', number: 1 })).to.equal(true)
    expect(await virtual.node.run(report.Cancel, { id: 'r', number: 1 })).to.equal(false)
    expect(await outcomes()).to.deep.equal(['01:00 cancelled', '02:00 running'])
    await virtual.runUntilQuiet()
    expect(await virtual.node.run(report.Cancel, { id: 'r', number: 2 })).to.equal(true)
    expect((await virtual.node.flows({ name: 'reports/Report/Run' })).items.map(({ status }) => status)).to.deep.equal([
      ...['killed', 'killed'],
    ])
    await virtual.advanceTo(at('03:10'))
    expect(await outcomes()).to.deep.equal(['01:00 cancelled', '02:00 cancelled', '03:00 running'])
  })

  describe('after an outage', () => {
    const afterOutage = async (missed: Missed): Promise<readonly string[]> => {
      const { virtual, create, outcomes } = await scene({ missed })
      await create()
      await virtual.advanceTo(at('01:30'))
      await down(virtual, at('04:30'))
      await virtual.advanceTo(at('05:10'))
      return outcomes()
    }

    it('runs all it has missed, in order', async () => {
      expect(await afterOutage('run-all')).to.deep.equal(
        ['01:00', '02:00', '03:00', '04:00', '05:00'].map((hour) => `${hour} completed`),
      )
    })

    it('or the latest only', async () => {
      expect(await afterOutage('run-latest')).to.deep.equal([
        ...['01:00 completed', '02:00 missed', '03:00 missed', '04:00 completed', '05:00 completed'],
      ])
    })

    it('or goes on with the grid', async () => {
      expect(await afterOutage('skip-to-grid')).to.deep.equal([
        ...['01:00 completed', '02:00 missed', '03:00 missed', '04:00 missed', '05:00 completed'],
      ])
    })

    it('catches up over more occurrences than it takes at a time', async () => {
      const { virtual, create, outcomes } = await scene({ missed: 'run-latest' })
      await create('daily', everyInterval({ minutes: 1 }, midnight))
      await down(virtual, at('05:00'))
      const all = await virtual.node.queryVault({ type: 'reports/Report/Occurrence', limit: 1_000 })
      expect(all.items).to.have.length(300)
      expect((await outcomes()).filter((line) => line.endsWith('completed'))).to.have.length.at.most(1)
    })
  })

  it('does nothing while it is paused, keeps the note, and goes on from the resume', async () => {
    const { virtual, report, ran, create } = await scene()
    await create()
    await virtual.advanceTo(at('01:30'))
    await virtual.node.run(report.Pause, { id: 'r', note: 'printer is being repaired' })
    await virtual.advanceTo(at('04:30'))
    expect((await virtual.node.find(report.Schedule, 'r'))?.data.paused?.note).to.equal('printer is being repaired')
    expect(await virtual.node.run(report.Resume, { id: 'r' })).to.equal(at('05:00'))
    await virtual.advanceTo(at('05:30'))
    expect(ran).to.deep.equal(['01:00', '05:00'])
  })

  it('runs once more when it is triggered', async () => {
    const { virtual, report, ran, create, outcomes } = await scene()
    await create()
    await virtual.advanceTo(at('00:20'))
    expect(await virtual.node.run(report.Trigger, { id: 'r' })).to.equal(1)
    await virtual.advanceTo(at('01:10'))
    expect(ran).to.deep.equal(['00:20', '01:00'])
    expect(await outcomes()).to.deep.equal(['00:20 completed', '01:00 completed'])
  })

  it('is backfilled by the rule that was in force at that time, and not without bound', async () => {
    const { virtual, report, ran, create } = await scene({ missed: 'skip-to-grid' })
    await create()
    await virtual.advanceTo(at('03:30'))
    await virtual.node.run(report.Change, { id: 'r', recurrence: cron('30 * * * *', 'Europe/London') })
    await virtual.advanceTo(at('05:00'))
    ran.length = 0
    expect(await virtual.node.run(report.Backfill, { id: 'r', from: at('02:00'), until: at('05:00') })).to.equal(3)
    await virtual.runUntilQuiet()
    expect([...ran].sort()).to.deep.equal(['02:00', '03:00', '04:30'])
    await virtual.node.run(report.Change, { id: 'r', recurrence: everyInterval({ seconds: 1 }, midnight) })
    await virtual.node.run(report.Pause, { id: 'r', note: 'enough' })
    await virtual.advanceTo(at('05:10'))
    const refused = await virtual.node.run(report.Backfill, { id: 'r', from: at('05:00'), until: at('05:10') }).then(
      () => 'nothing was refused',
      (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
    )
    expect(refused).to.equal('query-unbounded')
  })
})
