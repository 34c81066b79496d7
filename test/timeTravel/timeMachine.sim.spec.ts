import { expect } from 'chai'
import * as fc from 'fast-check'
import { instant, type CarillonError, type VaultEntry, type VaultQuery } from '../../src/index.js'
import { foldLog, TimeMachine, type LogSource } from '../../src/entries/logs.js'
import type { AgendaEntry } from '../../src/entries/types.js'
import { revisionIn } from '../../src/history/moment.js'
import { emptyHead, hashAfterTick, type HashLink } from '../../src/log/Tick.js'
import { digestViews } from '../../src/storage/digest.js'
import { queryVault } from '../../src/storage/queries/readVault.js'
import { readAgenda } from '../../src/storage/queries/readAgenda.js'
import type { Database } from '../../src/storage/Database.js'
import { VirtualNode } from '../../src/testing/index.js'
import { deeds, Item, perform, tour, workloadApp, type Deed } from '../log/workload.js'
import { tickStoreOf } from '../../src/storage/OpenStore.js'

type Seen = {
  readonly revision: number
  readonly digest: string
  readonly vault: Readonly<Record<string, readonly VaultEntry[]>>
  readonly agenda: Readonly<Record<string, readonly AgendaEntry[]>>
}

const questions: Readonly<Record<string, VaultQuery>> = {
  unconsumed: {},
  observed: { includeIrrelevant: true },
  consumed: { status: 'consumed' },
  all: { status: 'all', includeIrrelevant: true },
  typed: { type: 'workload/Item', status: 'all' },
}

const vaultOf = (db: Database, at?: number): Seen['vault'] =>
  Object.fromEntries(
    Object.entries(questions).map(([name, query]) => [
      name,
      queryVault(db, { ...query, limit: 1_000, ...(at === undefined ? {} : { at }) }).items,
    ]),
  )

const agendaOf = (db: Database): Seen['agenda'] =>
  Object.fromEntries(
    (['scheduled', 'attention', 'paused', 'started'] as const).map((show) => [
      show,
      readAgenda(db, { show, limit: 1_000 }).items,
    ]),
  )

/** Does the work, and keeps what the views said after each deed. */
const live = async (
  work: readonly Deed[],
): Promise<{ readonly virtual: VirtualNode; readonly seen: readonly Seen[] }> => {
  const virtual = await VirtualNode.start({ app: workloadApp })
  const seen: Seen[] = []
  for (const deed of work) {
    await perform(virtual, deed)
    await virtual.runUntilQuiet()
    const db = tickStoreOf(virtual.store).reader
    seen.push({
      revision: virtual.store.head().revision,
      digest: digestViews(db),
      vault: vaultOf(db),
      agenda: agendaOf(db),
    })
  }
  return { virtual, seen }
}

const isAsItWas = async (work: readonly Deed[]): Promise<void> => {
  const { virtual, seen } = await live(work)
  const machine = await TimeMachine.at(virtual.store)
  // Backwards too, and the same moment twice.
  for (const moment of [...seen, ...seen.toReversed().slice(0, 3)]) {
    await machine.goTo(moment.revision)
    expect(machine.revision).to.equal(moment.revision)
    expect(machine.digest(), `revision ${moment.revision}`).to.equal(moment.digest)
    for (const show of ['scheduled', 'attention', 'paused', 'started'] as const)
      expect(machine.agenda({ show, limit: 1_000 }).items).to.deep.equal(moment.agenda[show])
    expect(vaultOf(tickStoreOf(virtual.store).reader, moment.revision), 'by a query').to.deep.equal(moment.vault)
  }
  machine.close()
  await virtual.stop()
  await virtual.store.close()
}

describe('the past of a node', () => {
  it('is what the node held then, whatever has happened since', async function () {
    await fc.assert(fc.asyncProperty(fc.array(deeds, { minLength: 1, maxLength: 20 }), isAsItWas), { numRuns: 8 })
  })

  it('is so for events of every type', async function () {
    for (const work of tour) await isAsItWas(work)
  })

  describe('of a node with a little history', () => {
    let virtual: VirtualNode
    let machine: TimeMachine

    before(async () => {
      const make = (label: string, delaySeconds: number): Deed => ({
        kind: 'make',
        label,
        mood: 'plain',
        delaySeconds,
        copies: 2,
      })
      virtual = (await live([make('ab', 60), make('cd', 120), { kind: 'wait', seconds: 90 }])).virtual
    })
    beforeEach(async () => {
      machine = await TimeMachine.at(virtual.store)
    })
    afterEach(() => {
      machine.close()
    })
    after(async () => {
      await virtual.stop()
      await virtual.store.close()
    })

    it('begins with nothing, and steps from tick to tick, forwards and backwards', async () => {
      expect(machine.revision).to.equal(-1)
      expect(machine.now).to.equal(undefined)
      expect(machine.vault().items).to.deep.equal([])
      const digests: string[] = [machine.digest()]
      while (await machine.forward()) digests.push(machine.digest())
      expect(machine.revision).to.equal(virtual.store.head().revision)
      expect(machine.digest()).to.equal(digests.at(-1))
      expect(machine.digest()).to.equal(digestViews(tickStoreOf(virtual.store).reader))
      for (const digest of digests.toReversed().slice(1)) {
        expect(await machine.back()).to.equal(true)
        expect(machine.digest()).to.equal(digest)
      }
      expect(await machine.back()).to.equal(false)
      expect(await machine.forward(2)).to.equal(true)
      expect(machine.digest()).to.equal(digests[2])
      expect(await machine.back(50)).to.equal(false)
      expect(machine.revision).to.equal(-1)
      expect(await machine.forward(1_000)).to.equal(false)
      expect(machine.digest()).to.equal(digests.at(-1))
    })

    it('can be entered in the middle of a tick, and left from there', async () => {
      const whole = await TimeMachine.at(virtual.store, virtual.store.head().revision)
      for (let revision = 0; revision <= virtual.store.head().revision; revision++) {
        await machine.goTo(revision)
        expect(machine.revision).to.equal(revision)
        expect(machine.vault({ status: 'all' }).items).to.deep.equal(
          queryVault(tickStoreOf(virtual.store).reader, { status: 'all', at: revision }).items,
        )
      }
      expect(machine.digest()).to.equal(whole.digest())
      whole.close()
    })

    it('is found by an instant: after the last tick that was decided at or before it', async () => {
      await machine.goTo(instant('2026-01-01T00:01:00Z'))
      expect(machine.states(Item)).to.have.length(4)
      expect(machine.now).to.equal('2026-01-01T00:01:00.000Z')
      await machine.goTo(instant('2026-01-01T00:00:59.999Z'))
      expect(machine.now).to.equal('2026-01-01T00:00:00.000Z')
      await machine.goTo(instant('2025-01-01T00:00:00Z'))
      expect(machine.revision).to.equal(-1)
      await machine.goTo(instant('2030-01-01T00:00:00Z'))
      expect(machine.revision).to.equal(virtual.store.head().revision)
    })

    it('is found by an instant whether the log lies beside the views or elsewhere', async () => {
      const folded = await foldLog(virtual.store.read(0))
      for (const moment of ['2025-01-01T00:00:00Z', '2026-01-01T00:00:59Z', '2026-01-01T00:01:00Z'].map(instant)) {
        await machine.goTo(moment)
        for (const db of [tickStoreOf(virtual.store).reader, folded]) {
          const node = {
            readViews: <A>(read: (views: Database) => A) => Promise.resolve(read(db)),
            readLog: () => virtual.store.read(0),
          }
          expect(await revisionIn(node, moment)).to.equal(machine.revision)
        }
      }
      folded.close()
    })

    it('explains itself as it would have done then', async () => {
      const past = await virtual.past(instant('2026-01-01T00:00:30Z'))
      const [first] = past.agenda().items
      past.close()
      await machine.goTo(instant('2026-01-01T00:00:30Z'))
      expect(machine.why(first!.ref).now).to.include('It is on the agenda and will be started')
      expect(machine.occurrences(first!.ref)).to.deep.equal([])
      await machine.goTo(instant('2026-01-01T00:02:00Z'))
      expect(machine.occurrences(first!.ref)).to.have.length(1)
      const [flow] = machine.flows({ limit: 1 }).items
      expect(machine.flow(flow!.id)).to.include({ id: flow!.id })
      await machine.goTo(0)
      expect(() => machine.why(first!.ref))
        .to.throw()
        .with.property('code', 'state-unknown')
    })

    it('refuses a revision that is not there', async () => {
      for (const moment of [virtual.store.head().revision + 1, -2, 1.5, Number.NaN])
        try {
          await machine.goTo(moment)
          expect.fail('expected a refusal')
        } catch (error) {
          expect((error as CarillonError).code).to.equal('revision-unknown')
        }
      expect(() => queryVault(tickStoreOf(virtual.store).reader, { at: 100_000 }))
        .to.throw()
        .with.property('code', 'revision-unknown')
    })

    it('differs from another moment in what was produced and consumed, in the agenda, and in flows', async () => {
      const diff = await machine.diff({ from: instant('2026-01-01T00:00:30Z'), to: instant('2026-01-01T00:01:00Z') })
      expect(diff.from.at).to.equal('2026-01-01T00:00:00.000Z')
      expect(diff.to.at).to.equal('2026-01-01T00:01:00.000Z')
      expect(diff.states.produced.total).to.equal(1)
      expect(diff.states.consumed.total).to.equal(1)
      expect(diff.agenda.added.items.map(({ ref }) => ref)).to.deep.equal(
        diff.states.produced.items.map(({ ref }) => ref),
      )
      expect(diff.agenda.removed.items.map(({ ref }) => ref)).to.deep.equal(
        diff.states.consumed.items.map(({ ref }) => ref),
      )
      expect(diff.agenda.changed.total).to.equal(0)
      expect(diff.flows).to.deep.equal({ started: 1, ended: { completed: 1 } })
      expect(diff.node).to.deep.equal({ starts: 0 })
    })

    it('differs in nothing from itself, and in everything from the beginning', async () => {
      const same = await machine.diff({ from: 5, to: 5 })
      expect(same.states).to.deep.equal({
        produced: { total: 0, items: [] },
        consumed: { total: 0, items: [] },
        passing: 0,
      })
      const all = await machine.diff({ from: -1, to: virtual.store.head().revision, limit: 2 })
      expect(all.states.produced.items).to.have.length(2)
      expect(all.states.produced.total).to.equal(4)
      expect(all.states.passing).to.be.greaterThan(0)
      expect(all.node).to.deep.equal({ starts: 1, app: { before: 'none', after: 'workload first' } })
      try {
        await machine.diff({ from: 5, to: 4 })
        expect.fail('expected a refusal')
      } catch (error) {
        expect((error as CarillonError).message).to.include('Exchange the two')
      }
    })

    describe('on its way to another moment', () => {
      /** The digest after each tick, by its last revision. */
      const digests = new Map<number, string>()

      before(async () => {
        const steps = await TimeMachine.at(virtual.store)
        do digests.set(steps.revision, steps.digest())
        while (await steps.forward())
        steps.close()
      })

      /** The log, with something that happens before each tick of a reading, and after the last that is wanted. */
      const withEach = (meanwhile: (ticks: number) => void): LogSource => ({
        async *read(fromRevision) {
          let ticks = 0
          try {
            for await (const tick of virtual.store.read(fromRevision)) {
              meanwhile(ticks)
              ticks += 1
              yield tick
            }
          } finally {
            meanwhile(ticks)
          }
        },
      })

      const failureOf = async (move: Promise<unknown>): Promise<string> => {
        try {
          await move
        } catch (error) {
          return String(error)
        }
        return 'none'
      }

      it('stays where it was when the log stops answering, and gets there when it answers again', async () => {
        const end = virtual.store.head().revision
        for (const [from, to] of [
          [-1, end],
          // Within a tick, from where its rest is folded.
          [1, end],
          [end, end - 1],
        ] as const)
          for (let answered = 0; answered < 3; answered++) {
            let isDown = false
            const moved = await TimeMachine.at(
              withEach((ticks) => {
                if (isDown && ticks > answered) throw new Error('the log does not answer')
              }),
              from,
            )
            const before = moved.digest()
            isDown = true
            expect(await failureOf(moved.goTo(to))).to.equal('Error: the log does not answer')
            expect(moved.revision).to.equal(from)
            expect(moved.digest()).to.equal(before)
            isDown = false
            await moved.goTo(to)
            await machine.goTo(to)
            expect(moved.revision).to.equal(to)
            expect(moved.digest()).to.equal(machine.digest())
            await moved.goTo(end)
            expect(moved.digest()).to.equal(digests.get(end))
            moved.close()
          }
      })

      it('shows each tick it has passed as a whole, and on the way back what it comes from', async () => {
        const seen: number[] = []
        const look = (): void => {
          seen.push(moved.revision)
          expect(moved.digest(), `revision ${moved.revision}`).to.equal(digests.get(moved.revision))
        }
        let isAsked = false
        const moved = await TimeMachine.at(
          withEach(() => {
            if (isAsked) look()
          }),
        )
        isAsked = true
        const ends = [...digests.keys()]
        await moved.goTo(ends.at(-1)!)
        expect([...new Set(seen)]).to.deep.equal(ends)
        look()
        seen.length = 0
        await moved.goTo(ends[2]!)
        expect(new Set(seen)).to.deep.equal(new Set([ends.at(-1)]))
        look()
        moved.close()
      })

      it('shows nothing of a tick that cannot be folded to its end', async () => {
        const altered = 2
        const seen: number[] = []
        const source: LogSource = {
          async *read(fromRevision) {
            let before: HashLink = emptyHead
            try {
              for await (const tick of virtual.store.read(fromRevision)) {
                const events = tick.number === altered ? [...tick.events, '{"type":"Nonsense"}'] : tick.events
                const other = { ...tick, events }
                yield { ...other, hash: hashAfterTick(before, other) }
                before = tick
              }
            } finally {
              // It takes its time to end, in which the machine is asked.
              seen.push(moved.revision)
              expect(moved.digest()).to.equal(digests.get(moved.revision))
            }
          },
        }
        const moved = await TimeMachine.at(source)
        expect(await failureOf(moved.goTo(virtual.store.head().revision))).to.include('Event 4 of the log is')
        expect(seen).to.deep.equal([-1])
        expect(moved.revision).to.equal(-1)
        moved.close()
      })

      it('goes one way after the other when it is sent on several', async () => {
        const [, first, second, third] = [...digests.keys()]
        const ways = [machine.goTo(third!), machine.back(2), machine.forward(), machine.goTo(10_000)] as const
        await ways[0]
        expect(await ways[1]).to.equal(true)
        expect(machine.revision).to.be.within(first!, second!)
        expect(await ways[2]).to.equal(true)
        expect(await failureOf(ways[3])).to.include('10000')
        await machine.goTo(second!)
        expect(machine.digest()).to.equal(digests.get(second!))
      })
    })

    it('tells an activity that stands otherwise than it did', async () => {
      const [entry] = virtual.inspect().agenda().items
      const before = virtual.store.head().revision
      await virtual.node.pause(entry!.ref, { by: 'an operator', note: 'holidays' })
      const { agenda } = await machine.diff({ from: before, to: virtual.store.head().revision })
      expect(agenda.changed.total).to.equal(1)
      const [change] = agenda.changed.items
      expect(change!.before).to.deep.include({ ref: entry!.ref, standing: 'scheduled' })
      expect(change!.after).to.deep.include({ ref: entry!.ref, standing: 'paused', note: 'holidays' })
      await virtual.node.resume(entry!.ref)
    })
  })
})
