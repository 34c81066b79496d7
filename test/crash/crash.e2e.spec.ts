import { randomBytes } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { expect } from 'chai'
import { canonicalText } from '../../src/encoding/canonical.js'
import { emptyHead, headAfter, tickAfter, type EncodedTick } from '../../src/log/Tick.js'
import { storeFiles } from '../../src/folder/StoreFolder.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import { signed } from '../log/signing.js'
import { campaignFiles, type CountLine } from './campaignLines.js'
import { checkAcknowledged } from './checkAcknowledged.js'
import { checkCounts } from './checkCounts.js'
import { checkFlows } from './checkFlows.js'
import { checkChain, checkLedger } from './checkLedger.js'
import { checkStore } from './checkStore.js'
import { describeCampaign, type CampaignSummary } from './describeCampaign.js'
import { eventsOf, readEvidence, type Evidence } from './Evidence.js'
import { judgeEvidence } from './judgeCampaign.js'
import { newCampaignFolder, runCampaign, type Campaign } from './runCampaign.js'

const kills = 30

/** The same events in a log that was written anew, as it would be if the node itself had gone wrong. */
const rewritten = (evidence: Evidence, change: (tick: EncodedTick) => readonly string[]): Evidence => {
  const ticks: EncodedTick[] = []
  let head = emptyHead
  for (const tick of evidence.ticks) {
    const again = tickAfter(head, tick.at, change(tick), signed)
    ticks.push(again)
    head = headAfter(again)
  }
  return { ...evidence, ticks, events: eventsOf(ticks) }
}

/** Doubles the first event of a kind. */
const doubling = (type: string): ((tick: EncodedTick) => readonly string[]) => {
  let done = false
  return ({ events }) =>
    events.flatMap((line) => {
      if (done || !line.includes(`"type":"${type}"`)) return [line]
      done = true
      return [line, line]
    })
}

describe(`a node killed ${kills} times at random moments`, function () {
  // Thirty starts of a node take their time on a machine that has other work.
  this.timeout(600_000)
  const seed = process.env['CRASH_SEED'] ?? randomBytes(4).toString('hex')
  const folder = newCampaignFolder()
  let campaign: Campaign
  let evidence: Evidence
  let summary: CampaignSummary

  before(async () => {
    try {
      campaign = await runCampaign({ kills, seed, longestRunMs: 250, folder })
      evidence = await readEvidence(folder)
      summary = describeCampaign(campaign, evidence)
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

  it('keeps every acknowledgement, doubles nothing, breaks no chain and finishes every flow', () => {
    expect(judgeEvidence(evidence)).to.deep.equal([])
  })

  it('leaves a whole store: the log verifies, and a rebuild gives the same views row by row', async () => {
    expect(await checkStore(campaignFiles(folder).store)).to.deep.equal([])
  })

  it('leaves, after each kill and at the end, the log and the views that the model predicts', () => {
    expect(campaign.differences).to.deep.equal([])
    expect(campaign.looks).to.be.greaterThan(kills / 2)
  })

  it('was hit while it worked', () => {
    expect(summary.hitWork).to.be.greaterThan(kills / 2)
    expect(summary.effectsRepeated).to.be.greaterThan(0)
    expect(summary.laterAttempts).to.be.greaterThan(0)
    expect(summary.missedBeats).to.be.greaterThan(0)
  })

  it('leaves every projection exact, in memory, beside the store and in PostgreSQL, whenever it was killed', () => {
    expect(checkCounts(evidence)).to.deep.equal([])
    for (const projection of ['crash/BesideTheStore', 'crash/InPostgres']) {
      const saved = evidence.counts.filter((line) => line.projection === projection && line.at === 'saved')
      expect(new Set(saved.map(({ count }) => count.count)).size, projection).to.be.greaterThan(1)
    }
    expect(evidence.counts.some(({ projection, at }) => projection === 'crash/InMemory' && at === 'read')).to.equal(
      true,
    )
  })

  describe('would be found out', () => {
    const finds = (faults: readonly string[], what: RegExp): void => {
      expect(faults.find((fault) => what.test(fault)) ?? faults.slice(0, 3)).to.match(what)
    }

    it('if it had lost an acknowledged tick', () => {
      // How many ticks follow the last acknowledgement depends on the machine; so the log is cut right before it.
      const told = evidence.clients.flatMap((line) => (line.kind === 'sent' ? [] : [line.head.tick]))
      const ticks = evidence.ticks.filter(({ number }) => number < Math.max(...told))
      finds(checkAcknowledged({ ...evidence, ticks, events: eventsOf(ticks) }), /no longer in the log/)
    })

    it('if it had lost an acknowledged flow and done it again later', () => {
      const ended = evidence.clients.flatMap((line) => (line.kind === 'ended' ? [line] : []))
      const tooEarly = { ...ended.at(-1)!, head: ended[0]!.head }
      finds(checkAcknowledged({ ...evidence, clients: [tooEarly] }), /not on the log by then/)
    })

    it('if it had told a client another result than it recorded', () => {
      const told = evidence.clients.map((line) => (line.kind === 'ended' ? { ...line, result: 'another' } : line))
      finds(checkAcknowledged({ ...evidence, clients: told }), /the log says/)
    })

    it('if it had recorded a transaction twice', () => {
      finds(checkLedger(rewritten(evidence, doubling('TransactionRecorded'))), /recorded twice/)
    })

    it('if it had left out a beat', () => {
      const beatLess = rewritten(evidence, ({ events }) => events.filter((line) => !line.includes('"beat":3,')))
      finds(checkLedger(beatLess), /was recorded where beat 3 was to come/)
    })

    it('if it had started or ended a flow twice', () => {
      finds(checkFlows(rewritten(evidence, doubling('FlowStarted'))), /is started twice/)
      finds(checkFlows(rewritten(evidence, doubling('FlowEnded'))), /goes on after its end/)
    })

    it('if it had made an attempt twice', () => {
      const doubled = rewritten(evidence, ({ events }) =>
        events.map((line) => line.replace('"attempt":2,', '"attempt":1,')),
      )
      finds(checkFlows(doubled), /has attempt 1 after attempt 1/)
    })

    it('if it had recorded a step that never took effect, or let an unknown one take effect', () => {
      const [effect] = evidence.effects
      // A kill may have come between an effect and its record, so it is not said of one of them alone.
      finds(checkFlows({ ...evidence, effects: [] }), /never took effect/)
      finds(checkFlows({ ...evidence, effects: [...evidence.effects, { ...effect!, key: 'x.0' }] }), /does not know it/)
      finds(checkFlows({ ...evidence, effects: [...evidence.effects, effect!] }), /twice in term/)
    })

    it('if a step had gone out in the term of the process before', () => {
      const stale = { ...evidence.effects.at(-1)!, term: evidence.effects[0]!.term }
      finds(checkFlows({ ...evidence, effects: [...evidence.effects, stale] }), /which is another process's/)
    })

    it('if a projection had counted an event twice, left one out, or not come to the end', () => {
      const counted = (change: (line: CountLine) => CountLine): readonly string[] =>
        checkCounts({ ...evidence, counts: evidence.counts.map(change) })
      const shifted = (by: number): readonly string[] =>
        counted((line) => ({ ...line, count: { ...line.count, count: line.count.count + by } }))
      finds(shifted(1), /the log gives/)
      finds(shifted(-1), /the log gives/)
      finds(checkCounts({ ...evidence, events: evidence.events.slice(0, -20) }), /the log gives|the log has/)
      const ofAnother = { revision: 1, hash: 'f'.repeat(64) }
      finds(
        counted((line) => (line.checkpoint === undefined ? line : { ...line, checkpoint: ofAnother })),
        /of another history/,
      )
    })

    it('if it had woken a sleeper early', () => {
      const restless = rewritten(evidence, ({ events }) =>
        events.map((line) => line.replace(/"until":"20\d\d/, '"until":"2999')),
      )
      finds(checkFlows(restless), /ms early/)
    })

    it('if its views had come to differ from its log', async () => {
      const altered = `${folder}/altered`
      cpSync(campaignFiles(folder).store, altered, { recursive: true })
      const db = openDatabase(storeFiles(altered).database)
      db.exec("UPDATE flows SET result = '0' WHERE seq = 3")
      db.close()
      finds(await checkStore(altered), /differ from the rebuilt ones/)
    })

    it('if a byte of its log had changed', () => {
      const ticks = evidence.ticks.map((tick, index) =>
        index === 7 ? { ...tick, events: [...tick.events, canonicalText({ type: 'NodeStopped' })] } : tick,
      )
      finds(checkChain({ ...evidence, ticks }), /the hash chain is broken/)
    })

    it('if someone else had written its log', () => {
      const faults = checkChain(rewritten(evidence, ({ events }) => events))
      finds(faults, /tick 1 is not signed by its node/)
      expect(faults).to.have.lengthOf(evidence.ticks.length)
    })
  })
})
