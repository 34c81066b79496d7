import { expect } from 'chai'
import fc from 'fast-check'
import { ChoreStand } from '../test/ChoreStand.js'
import { simpleChore } from '../test/simpleChore.js'
import { carryOn, continueIn, done, failed, type Control } from './index.js'

/** What code without types may return. */
const anything = (value: unknown): never => value as never

describe('whatever conductors return and operators ask', () => {
  const actions = fc.oneof(
    fc.constantFrom<unknown>(done, failed('no'), failed(''), { kind: 'Perhaps' }, undefined, continueIn(0.5)),
    fc.integer({ min: 1, max: 30 }).map(continueIn),
    fc.anything(),
  )
  const taskActions = fc.oneof(fc.constantFrom<unknown>(done, carryOn, failed('bad')), fc.anything())
  const asks = fc.oneof(
    fc
      .constantFrom(
        ...(['start', 'stop', 'pause', 'resume', 'enable', 'disable', 'trigger', 'stop-chore', 'delete'] as const),
      )
      .map((verb) => ({ verb })),
    fc
      .tuple(fc.integer({ min: -5, max: 120 }), fc.option(fc.integer({ min: -5, max: 240 }), { nil: undefined }))
      .map(
        ([seconds, maxSeconds]) =>
          ({ verb: 'interval', seconds, ...(maxSeconds === undefined ? {} : { maxSeconds }) }) as const,
      ),
    fc.integer({ min: -1, max: 60 }).map((seconds) => ({ verb: 'timeout', seconds }) as const),
  )
  type Step = { readonly ask: Control; readonly of: string } | { readonly wait: number } | { readonly crash: number }
  const steps = fc.array(
    fc.oneof(
      { arbitrary: fc.record({ ask: asks, of: fc.constantFrom('chore', 'second') }), weight: 4 },
      { arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 200 }) }), weight: 3 },
      { arbitrary: fc.record({ crash: fc.integer({ min: 0, max: 300 }) }), weight: 1 },
    ),
    { minLength: 10, maxLength: 25 },
  )

  it('no run stays active for ever, every run is counted once, and every chore can still be stopped and run', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.infiniteStream(actions),
        fc.infiniteStream(taskActions),
        async (sequence, ways, works) => {
          let wild = true
          const stand = await ChoreStand.open({
            development: false,
            chores: (engine) => {
              engine.registerChore(
                simpleChore(
                  'chore',
                  ({ choreId, isTaskRunning, invocationCount }) => {
                    if (!wild || invocationCount > 20) return done
                    if (!isTaskRunning && invocationCount % 2 === 0)
                      engine.setPendingTask(choreId, 'work', () => anything(works.next().value))
                    return anything(ways.next().value)
                  },
                  { defaultIntervalSeconds: 60, defaultTaskTimeoutSeconds: 20 },
                ),
              )
            },
          })
          await stand.engine.createInstance('chore', { choreId: 'second', name: 'The second' })
          for (const step of sequence as readonly Step[]) {
            if ('wait' in step) await stand.advance({ seconds: step.wait })
            else if ('crash' in step) await stand.restart({ seconds: step.crash })
            else
              await stand.engine.control(step.of, step.ask, { by: 'someone' }).catch((error: unknown) => {
                expect(error).to.have.property('code', 'chores/refused')
              })
          }
          wild = false
          await stand.advance({ minutes: 5 })
          for (const status of await stand.engine.getAllStatuses()) {
            const { choreId, totalRunCount, totalSuccessCount, totalFailureCount, intervalSeconds } = status
            const ended = (await stand.engine.getRunLog(choreId)).filter(({ kind }) =>
              /^run-(completed|failed|stopped)$/.test(kind),
            )
            const begun = (await stand.engine.getRunLog(choreId)).filter(({ kind }) => kind === 'run-started')
            const counted = ended.filter(({ kind }) => kind !== 'run-stopped').length
            expect(status).to.include({ held: null })
            expect(totalSuccessCount + totalFailureCount).to.equal(totalRunCount)
            expect(counted).to.equal(totalRunCount)
            expect(begun.length - ended.length).to.be.within(0, status.conductorStatus === 'Idle' ? 0 : 1)
            expect(intervalSeconds).to.be.at.least(1)
            await stand.engine.control(choreId, { verb: 'stop' })
            await stand.engine.control(choreId, { verb: 'trigger' })
            await stand.quiet()
            expect(await stand.engine.getStatus(choreId)).to.include({
              ...{ conductorStatus: 'Idle', lifecycle: 'Stopped', totalSuccessCount: totalSuccessCount + 1 },
            })
          }
          await stand.stop()
        },
      ),
      { numRuns: Number(process.env['CHORES_RUNS'] ?? 15) },
    )
  }).timeout(600_000)
})
