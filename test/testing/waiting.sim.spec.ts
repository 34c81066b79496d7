/** Flows that wait, race, fan out, start others, continue and undo, in histories in which everything goes wrong. */
import { expect } from 'chai'
import { simulate, type Invariant } from 'carillon/testing'
import { tripsSimulation } from '../defects/trips.js'

describe('Flows that wait, in a simulation', () => {
  const found: Record<string, number> = {}
  const count = (what: string): void => {
    found[what] = (found[what] ?? 0) + 1
  }

  it('keep every promise while everything goes wrong, and what was done is undone', async () => {
    const counts: Invariant = {
      name: 'is counted',
      violations: ({ parties }) => {
        for (const { event } of parties.flatMap(({ log }) => log)) {
          count(event.type)
          if (event.type === 'FlowStarted') count(`started by ${event.origin.kind}`)
          if (event.type === 'FlowEnded') count(event.error?.message === 'It is late.' ? 'late' : event.outcome)
          if (event.type === 'FlowEnded' && event.refusal !== undefined) count('refused')
        }
        return []
      },
    }
    const report = await simulate({
      ...tripsSimulation,
      invariants: [...(tripsSimulation.invariants ?? []), counts],
      seeds: 20,
      shrinkTries: 0,
    })
    expect(
      report.failures.flatMap(({ seed, violations }) => violations.map(({ what }) => `${seed}: ${what}`)),
    ).to.deep.equal([])
    for (const what of [
      ...['SignalTaken', 'FlowCancelled', 'FlowPaused', 'FlowResumed', 'FlowParked', 'FlowRetried', 'StatesLocked'],
      ...['ActivityMissed', 'ActivityStartFailed', 'ActivityParked', 'ActivityTriggered'],
      ...['started by continued', 'started by flow', 'started by activity', 'late', 'killed', 'refused'],
    ])
      expect(found[what] ?? 0, what).to.be.greaterThan(0)
  })
})
