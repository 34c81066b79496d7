/**
 * What can be read off a node at any moment, as measures with labels: the same for Prometheus and for OpenTelemetry.
 */
import { countFlows } from '../storage/queries/readFlows.js'
import { telemetryLimits } from './limits.js'
import { pause } from '../engine/pause.js'
import type { Node } from '../node/Node.js'
import type { Database } from '../storage/Database.js'
import type { Standby } from '../standby/Standby.js'
import { countAgenda, countDue } from '../storage/queries/readAgenda.js'
import { countMessages } from '../storage/queries/readSessions.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'

/** Every measure, with what it says. */
export const measures = {
  activities: 'Activities by how they stand',
  activities_due: 'Activities whose instant has come and that have not been started',
  flows: 'Flows that have not ended, by condition',
  open_sessions: 'Sessions with other parties that are open',
  silent_sessions: 'Sessions that others have opened and in which their first message is waited for',
  unread_bytes: 'Bytes of messages of other parties in open sessions that no flow has asked for yet',
  unacknowledged_messages: 'Messages other parties have not acknowledged',
  refused_messages: 'Messages refused since the start, over a budget or for a flow that nothing answers, by whom',
  log_revision: 'Revision of the last event of the log',
  views_revision: 'Revision at which the views stand; behind the log while it is replayed',
  term: 'Starts of the node; the term of its lease',
  last_tick_timestamp_seconds: 'When the last tick was committed; each one renews the lease',
  draining: 'Whether the node drains',
  up: 'Whether the node ticks',
  leading: 'Whether this process leads; 0 while it stands by',
  leader_silent_seconds: 'For how long a process that stands by has heard nothing of the leader',
  projection_lag: 'Revisions that a projection is behind the log',
  projection_stopped: 'Whether a projection stands still because of an error',
  trouble: 'Whether the log cannot be written, or not be checked, at the moment',
} as const
export type MeasureName = keyof typeof measures

/** The label of those measures that have one. */
export const labelOf: Readonly<Partial<Record<MeasureName, string>>> = {
  activities: 'standing',
  flows: 'status',
  projection_lag: 'projection',
  projection_stopped: 'projection',
  refused_messages: 'by',
}

export type Measure = {
  readonly name: MeasureName
  readonly value: number
  readonly labels: Readonly<Record<string, string>>
}

const plain = (name: MeasureName, value: number): Measure => ({ name, value, labels: {} })

/** The end of a log that may be away; whoever asks for measures does not wait for it. */
const logRevision = async (standby: Standby): Promise<readonly Measure[]> => {
  const patience = new AbortController()
  try {
    const late = pause(telemetryLimits.logHeadMs, patience.signal).then(() => undefined)
    const head = await Promise.race([standby.logHead(), late])
    return head === undefined ? [] : [plain('log_revision', head.revision)]
  } catch {
    // That the log is away is told by the measure of trouble.
    return []
  } finally {
    patience.abort()
  }
}

/** What a process that stands by knows: that it does, and how far it has come. The rest is the leader's to tell. */
export const readStandbyMeasures = async (standby: Standby): Promise<readonly Measure[]> => {
  const facts = await standby.readViews(readFacts)
  return [
    plain('up', 0),
    plain('leading', 0),
    plain('leader_silent_seconds', standby.leaderSilentMs / 1_000),
    ...(await logRevision(standby)),
    plain('views_revision', facts.head.revision),
    plain('term', facts.term),
    plain('last_tick_timestamp_seconds', facts.atMs / 1_000),
    plain('draining', facts.draining ? 1 : 0),
    plain('trouble', standby.trouble === undefined ? 0 : 1),
  ]
}

/** What measures need of the views. */
export const readViewMeasures = (db: Database, nowMs: number) => ({
  facts: readFacts(db),
  activities: countAgenda(db, nowMs),
  flows: countFlows(db),
  due: countDue(db, nowMs),
  ...countMessages(db),
})
export type ViewMeasures = ReturnType<typeof readViewMeasures>

const fromLoop = (node: Node): Promise<ViewMeasures> => {
  const { nowMs } = node
  return node.readViews((db) => readViewMeasures(db, nowMs))
}

/** `ofViews` may read the views elsewhere than in the loop. */
export const readMeasures = async (node: Node, ofViews = fromLoop): Promise<readonly Measure[]> => {
  const isUp = node.stopped === undefined
  if (!isUp) return [plain('up', 0), plain('leading', 0)]
  const found = await ofViews(node)
  const { trouble, head, refusedMessages } = node
  const { open, parked, paused } = found.flows
  const flows = { running: open - parked - paused, parked, paused }
  return [
    plain('up', 1),
    plain('leading', 1),
    plain('leader_silent_seconds', 0),
    ...Object.entries(found.activities).map(([standing, value]) => ({
      name: 'activities' as const,
      value,
      labels: { standing },
    })),
    plain('activities_due', found.due),
    ...Object.entries(flows).map(([status, value]) => ({ name: 'flows' as const, value, labels: { status } })),
    plain('open_sessions', found.openSessions),
    plain('silent_sessions', found.silentSessions),
    plain('unread_bytes', found.unreadBytes),
    plain('unacknowledged_messages', found.unacknowledged),
    ...node.projections.flatMap(({ name, lag, state }): readonly Measure[] => [
      { name: 'projection_lag', value: lag, labels: { projection: name } },
      { name: 'projection_stopped', value: state === 'stopped' ? 1 : 0, labels: { projection: name } },
    ]),
    { name: 'refused_messages', value: refusedMessages.byMe, labels: { by: 'this node' } },
    { name: 'refused_messages', value: refusedMessages.byOthers, labels: { by: 'others' } },
    plain('log_revision', head.revision),
    plain('views_revision', found.facts.head.revision),
    plain('term', found.facts.term),
    plain('last_tick_timestamp_seconds', found.facts.atMs / 1_000),
    plain('draining', found.facts.draining ? 1 : 0),
    plain('trouble', trouble === undefined ? 0 : 1),
  ]
}
