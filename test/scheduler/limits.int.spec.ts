/** Limits that are given to a node, and what they bound. */
import { expect } from 'chai'
import { defineApp, plus, startNode } from 'carillon'
import { EmbeddedStore } from 'carillon/logs'
import type { GivenLimits } from 'carillon/types'
import { bell } from './fixtures/bells.js'
import { codeOf, Tower } from './fixtures/Tower.js'

const app = defineApp({ name: 'nothing', states: [], flows: [] })

describe('The limits of a node', () => {
  it('bound what a tick starts, wakes and takes, and nothing is lost or done twice', async () => {
    const tower = await Tower.build({
      limits: {
        engine: {
          activitiesPerTick: 3,
          dueAtATime: 2,
          wakesPerTick: 2,
          inputsPerTick: 1,
          tickBytes: 4_096,
          liveFlows: 1,
        },
        storage: { rowsKept: 2, dueReadAhead: 2, rowsKeptAhead: 2, unindexedKeys: 2 },
      },
    })
    const due = plus(tower.now, { days: 1 })
    const names = Array.from({ length: 25 }, (_, place) => `bell ${place}`)
    for (const name of names) await tower.cast(bell(name, { at: due, manner: 'linger' }))
    await tower.virtual.advanceTo(plus(due, { days: 1 }))
    const starts = await tower.starts()
    expect(starts).to.have.length(names.length)
    const perTick = new Map<number, number>()
    for (const { tick } of starts) perTick.set(tick, (perTick.get(tick) ?? 0) + 1)
    expect(Math.max(...perTick.values())).to.equal(3)
    expect(await tower.rung()).to.deep.equal(names)
  })

  it('bound the tries of a start that fails', async () => {
    const tower = await Tower.build({ limits: { agenda: { startAttempts: 2, startRetryFirstMs: 10 } } })
    const due = plus(tower.now, { days: 1 })
    const ref = await tower.castOne(bell('unrung', { at: due }))
    await tower.restart({ without: ['bells/Ring'] })
    await tower.virtual.advanceTo(plus(due, { seconds: 1 }))
    expect(await tower.outcomes(ref)).to.deep.equal(['start-failed', 'parked'])
  })

  const refused: Readonly<Record<string, GivenLimits>> = {
    'of a room that has none': { engines: {} } as GivenLimits,
    'that do not exist': { engine: { activitiesPerTock: 3 } } as GivenLimits,
    'of nothing': { engine: { activitiesPerTick: 0 } },
    'below nothing': { agenda: { startRetryFirstMs: -1 } },
    'that are no whole numbers': { storage: { rowsKept: 1.5 } },
    'that are no numbers': { storage: { rowsKept: '12' } } as unknown as GivenLimits,
    'without end': { transport: { outgoingBytes: Infinity } },
  }
  for (const [which, limits] of Object.entries(refused))
    it(`are refused before anything is opened: those ${which}`, async () => {
      expect(await codeOf(startNode({ app, limits }))).to.equal('definition-invalid')
    })

  it('of the storage are refused beside a store that was handed in', async () => {
    const store = EmbeddedStore.inMemory({ limits: { rowsKept: 1 } })
    expect(await codeOf(startNode({ app, store, limits: { storage: { rowsKept: 2 } } }))).to.equal('definition-invalid')
    await store.close()
    expect(() => EmbeddedStore.inMemory({ limits: { rowsKept: 0 } })).to.throw('storage.rowsKept')
  })
})
