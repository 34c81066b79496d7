import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { campaignFiles } from './campaignLines.js'
import { checkAcknowledged } from './checkAcknowledged.js'
import { checkFlows } from './checkFlows.js'
import { checkStore } from './checkStore.js'
import { checkWaiting } from './checkWaiting.js'
import { readEvidence, type Evidence } from './Evidence.js'
import { judgeFlows } from './judgeCampaign.js'
import { killAtOperations, type KilledAtOperations } from './killAtOperations.js'
import { newCampaignFolder } from './runCampaign.js'
import { bookings } from './waitingApp.js'

describe('Flows that wait, killed again and again between two operations and after each outside effect', function () {
  // A start of a node takes its time on a machine that has other work.
  this.timeout(600_000)
  const seed = process.env['CRASH_SEED'] ?? randomBytes(4).toString('hex')
  const folder = newCampaignFolder()
  let killed: KilledAtOperations
  let evidence: Evidence

  before(async () => {
    try {
      killed = await killAtOperations({ operationsPerRun: 30, seed, folder })
      evidence = await readEvidence(folder)
    } catch (error) {
      throw new Error(`Crash campaign with CRASH_SEED=${seed}, kept in ${folder}: ${String(error)}`, { cause: error })
    }
  })

  after(function () {
    const unsettled: string[] = []
    this.test?.parent?.eachTest((test) => {
      if (!test.isPassed()) unsettled.push(test.title)
    })
    if (unsettled.length === 0) rmSync(folder, { recursive: true, force: true })
    else console.error(`Repeat with CRASH_SEED=${seed}; the campaign is kept in ${folder}`)
  })

  it('take each signal once, join each child once, and undo what nobody wants any more', () => {
    expect(judgeFlows(evidence)).to.deep.equal([])
  })

  it('were hit: a process dies of each effect that is new, and those of one flow come one after the other', () => {
    // Those of several flows may come side by side, in a process that dies of the first.
    const known = new Set<string>()
    const died = new Set<number>()
    for (const { key, term } of evidence.effects) {
      if (!known.has(key)) died.add(term)
      known.add(key)
    }
    expect(killed.kills).to.be.at.least(died.size)
    // The travel that nobody approves of books twice, and undoes both.
    expect(died.size).to.be.at.least(2 * bookings.length)
  })

  it('leave, after each kill and at the end, the log and the views that the model predicts', async () => {
    expect(killed.differences).to.deep.equal([])
    expect(await checkStore(campaignFiles(folder).store)).to.deep.equal([])
  })

  describe('would be found out', () => {
    const finds = (faults: readonly string[], what: RegExp): void => {
      expect(faults.find((fault) => what.test(fault)) ?? faults.slice(0, 3)).to.match(what)
    }
    type Logged = Evidence['events'][number]
    const changed = (change: (logged: Logged) => readonly Logged[]): Evidence => ({
      ...evidence,
      events: evidence.events.flatMap(change),
    })
    const without = (type: string): Evidence => changed((logged) => (logged.event.type === type ? [] : [logged]))
    const doubled = (type: string): Evidence =>
      changed((logged) => (logged.event.type === type ? [logged, logged] : [logged]))

    it('if they had taken a signal twice, or one that nobody has sent', () => {
      finds(checkWaiting(doubled('SignalTaken')), /has taken signal/)
      finds(checkWaiting(without('SignalReceived')), /has taken signal \d+ where none was next/)
      finds(checkWaiting(doubled('SignalReceived')), /is recorded twice/)
    })

    it('if a sender had been told of a signal that is not in the log', () => {
      finds(checkAcknowledged(without('SignalReceived')), /signal .* was taken in; it is not on the log by then/)
    })

    it('if something booked had not been undone, or undone in the wrong order', () => {
      const withSteps = (change: (labels: readonly string[]) => readonly string[]): Evidence =>
        changed((logged) => {
          const { event } = logged
          if (event.type !== 'FlowAdvanced') return [logged]
          const kept = new Set(change(event.operations.map(({ label = '' }) => label)))
          return [
            {
              ...logged,
              event: { ...event, operations: event.operations.filter(({ label = '' }) => kept.has(label)) },
            },
          ]
        })
      finds(
        checkWaiting(withSteps((labels) => labels.filter((label) => label !== 'step "cancel hotel"'))),
        /has begun to book a hotel and not undone it/,
      )
      finds(
        checkWaiting(withSteps((labels) => labels.filter((label) => label !== 'step "book flight"'))),
        /is approved, and its steps are/,
      )
    })

    it('if a flow had gone on after another had continued it', () => {
      finds(checkFlows(doubled('FlowEnded')), /goes on after its end/)
    })
  })
})
