/**
 * Random histories: operators, clients, restarts, crashes, new versions of the app and a clock that is set at
 * will. Whatever happens, the node goes on, the log alone gives its views, and no attempt is made twice.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { CarillonError, instant, instantFromMillis, plus, toMillis, type StateRef } from '../../src/index.js'
import { bell, ringAt, usualActivity, type BellsOptions } from './fixtures/bells.js'
import { Tower } from './fixtures/Tower.js'

const mark = instant('2026-01-01T00:00:00.000Z')

/** Versions of the app a restart may bring. */
const versions: readonly BellsOptions[] = [
  {},
  { without: ['bells/Ring'] },
  { next: (data, ref) => (data.at === null ? usualActivity(data, ref) : ringAt(plus(data.at, { hours: 1 }), ref)) },
  {
    next: () => {
      throw new Error('out of order')
    },
  },
  { isRelevant: ({ name }) => name !== 'b' },
  { runsOn: ({ owner }) => ({ parties: [{ ...owner, name: 'first' }], takeoverAfter: { hours: 1 } }) },
]

const place = fc.nat({ max: 9 })
const Deed = fc.oneof(
  fc.record({
    do: fc.constant('cast' as const),
    name: fc.constantFrom('a', 'b'),
    manner: fc.constantFrom('strike', 'daily', 'keep', 'fail', 'swing', 'linger', 'park', 'smash'),
    inHours: fc.integer({ min: -2, max: 6 }),
    toleranceMs: fc.option(fc.constantFrom(0, 1_000, 7_200_000)),
    hasLateFlow: fc.boolean(),
    once: fc.boolean(),
  }),
  fc.record({
    do: fc.constantFrom('melt', 'trigger', 'retry', 'pause', 'resume', 'dismiss', 'kill', 'retryFlow'),
    place,
  }),
  fc.record({ do: fc.constantFrom('drain', 'endDraining', 'reassess', 'quiet') }),
  fc.record({
    do: fc.constantFrom('restart', 'crash'),
    version: fc.nat({ max: versions.length - 1 }),
    reassess: fc.boolean(),
  }),
  fc.record({ do: fc.constant('advance' as const), minutes: fc.integer({ min: 0, max: 300 }) }),
  fc.record({ do: fc.constant('set' as const), minutes: fc.integer({ min: -120, max: 120 }) }),
)
type DeedOf = typeof Deed extends fc.Arbitrary<infer A> ? A : never

const act = async (tower: Tower, refs: StateRef[], deed: DeedOf): Promise<void> => {
  switch (deed.do) {
    case 'cast': {
      const { name, inHours, manner, toleranceMs, hasLateFlow, once } = deed
      const at = plus(tower.now, { hours: inHours })
      refs.push(...(await tower.cast(bell(name, { at, manner, toleranceMs, hasLateFlow, once }))))
      return
    }
    case 'drain':
    case 'endDraining':
      await tower.node[deed.do]()
      return
    case 'reassess':
      await tower.node.reassess(tower.Bell)
      return
    case 'quiet':
      await tower.virtual.runUntilQuiet()
      return
    case 'restart':
    case 'crash':
      await (deed.do === 'crash' ? tower.virtual.crash() : tower.virtual.stop())
      await tower.startAgain(versions[deed.version])
      if (deed.reassess) await tower.node.reassess(tower.Bell)
      return
    case 'advance':
      await tower.virtual.advanceBy({ minutes: deed.minutes })
      return
    case 'set':
      tower.virtual.clock.setTo(toMillis(plus(tower.now, { minutes: deed.minutes })))
      return
    default: {
      const ref = refs[deed.place % Math.max(refs.length, 1)]
      if (ref === undefined) return
      if (deed.do === 'melt') return tower.melt(ref)
      if (deed.do !== 'kill' && deed.do !== 'retryFlow') return tower.node[deed.do](ref)
      const flow = (await tower.node.occurrences(ref)).at(-1)?.flow
      if (flow !== undefined) await (deed.do === 'kill' ? tower.node.killFlow(flow) : tower.node.retryFlow(flow))
    }
  }
}

describe('a node, through any history', () => {
  it('goes on, makes each attempt once, and has the views that its log gives', async function () {
    await fc.assert(
      fc.asyncProperty(fc.array(Deed, { minLength: 5, maxLength: 30 }), async (deeds) => {
        const tower = await Tower.build({ start: instantFromMillis(toMillis(mark)) })
        const refs: StateRef[] = []
        for (const deed of deeds) {
          try {
            await act(tower, refs, deed)
          } catch (error) {
            // What an operator may not do just now is refused with a reason; anything else is a defect.
            if (!(error instanceof CarillonError) || error.consequence === 'stop') throw error
          }
        }
        await tower.virtual.runUntilQuiet()
        await tower.check()
        for (const ref of refs) {
          const { attempts, now } = await tower.node.why(ref)
          expect(now).to.not.equal('')
          expect(attempts.slice(0, -1).filter(({ outcome }) => outcome === 'running')).to.deep.equal([])
        }
      }),
      { numRuns: 100 },
    )
  })
})
