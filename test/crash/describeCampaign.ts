/**
 * What the kills of a campaign hit, told from the log: the last event before each restart, and what was under way.
 * A campaign whose kills hit an idle node would prove nothing, so this is part of the verdict.
 */
import type { Evidence, LoggedEvent } from './Evidence.js'
import { aims, type Campaign } from './runCampaign.js'

export type CampaignSummary = {
  readonly kills: number
  readonly starts: number
  readonly events: number
  readonly transactions: number
  readonly flows: number
  readonly acknowledgements: number
  readonly effects: number
  /** Effects taken more than once, because the kill came between an effect and its record. */
  readonly effectsRepeated: number
  /** Attempts beyond the first, which only a restart opens. */
  readonly laterAttempts: number
  readonly missedBeats: number
  /** Signals that were taken, flows that continued as others, and flows that others have started. */
  readonly signalsTaken: number
  readonly continued: number
  readonly children: number
  /** Kills by what they were aimed at, and how many of them came before the node was ready. */
  readonly aimed: Readonly<Record<string, number>>
  readonly beforeReady: number
  /** The last event on the log before each recorded restart. */
  readonly lastEvents: Readonly<Record<string, number>>
  /** Flows open at those moments, all kills together, by what they waited for. */
  readonly underWay: Readonly<Record<string, number>>
  /** Recorded restarts before which at least one flow was open. */
  readonly hitWork: number
  /**
   * Milliseconds from the beginning of the last durable tick to the kill. Ticks follow each other without a pause, so
   * this is the length of that tick and of the part of the next one that the kill undid.
   */
  readonly sinceLastTickMs: { readonly median: number; readonly p90: number }
}

const count = (into: Map<string, number>, key: string, by = 1): void => {
  into.set(key, (into.get(key) ?? 0) + by)
}

const sorted = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].sort(([, a], [, b]) => b - a))

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0

/** The last durable tick before a moment. */
const lastTickBefore = (events: readonly LoggedEvent[], atMs: number): number | undefined =>
  events.findLast((logged) => logged.atMs <= atMs)?.atMs

export const describeCampaign = (campaign: Campaign, evidence: Evidence): CampaignSummary => {
  const { events, effects, clients } = evidence
  const lastEvents = new Map<string, number>()
  const underWay = new Map<string, number>()
  const open = new Map<string, string>()
  let hitWork = 0
  let starts = 0
  let before: LoggedEvent | undefined
  for (const logged of events) {
    const { event } = logged
    switch (event.type) {
      case 'NodeStarted':
        starts += 1
        if (before === undefined) break
        count(lastEvents, before.event.type)
        for (const waiting of open.values()) count(underWay, waiting)
        if (open.size > 0) hitWork += 1
        break
      case 'FlowAdvanced':
        open.set(event.flow, event.waiting.map((wait) => wait.for).join(' or '))
        break
      case 'FlowEnded':
        open.delete(event.flow)
        break
      default:
        break
    }
    before = logged
  }
  const gaps = campaign.kills
    .filter(({ wasReady }) => wasReady)
    .map(({ atMs }) => atMs - (lastTickBefore(events, atMs) ?? atMs))
  const origins = events.flatMap(({ event }) => (event.type === 'FlowStarted' ? [event.origin] : []))
  const ofActivities = origins.flatMap((origin) => (origin.kind === 'activity' ? [origin] : []))
  const aimed = new Map<string, number>(aims.map((aim) => [aim, 0]))
  for (const { aim } of campaign.kills) count(aimed, aim)
  return {
    kills: campaign.kills.length,
    starts,
    events: events.length,
    transactions: events.filter(({ event }) => event.type === 'TransactionRecorded').length,
    flows: origins.length,
    acknowledgements: clients.filter(({ kind }) => kind !== 'sent').length,
    effects: effects.length,
    effectsRepeated: effects.length - new Set(effects.map(({ key }) => key)).size,
    laterAttempts: ofActivities.filter(({ attempt }) => attempt > 1).length,
    missedBeats: ofActivities.filter(({ cause }) => cause === 'missed').length,
    signalsTaken: events.filter(({ event }) => event.type === 'SignalTaken').length,
    continued: origins.filter(({ kind }) => kind === 'continued').length,
    children: origins.filter(({ kind }) => kind === 'flow').length,
    aimed: sorted(aimed),
    beforeReady: campaign.kills.filter(({ wasReady }) => !wasReady).length,
    lastEvents: sorted(lastEvents),
    underWay: sorted(underWay),
    hitWork,
    sinceLastTickMs: { median: quantile(gaps, 0.5), p90: quantile(gaps, 0.9) },
  }
}
