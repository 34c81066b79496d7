/**
 * What must be true of a node's word: what it told anyone is so, and nobody waits for nothing.
 */
import { canonicalText } from '../../../encoding/canonical.js'
import type { FlowSummary } from '../../../flow/FlowSummary.js'
import { showRef } from '../../../ledger/StateRef.js'
import type { EventOf, Waiting } from '../../../log/events.js'
import { sessionLimits } from '../../../session/limits.js'
import type { LoggedEvent } from '../../NodeInspection.js'
import type { Invariant } from '../World.js'
import { refusedSessions } from './refusedSessions.js'

/** What a caller or another party was told is in the log; nothing was told before that. */
export const nothingLost: Invariant = {
  name: 'nothing that was acknowledged is lost',
  violations: ({ parties, witness }) => {
    const found = [...witness.sightings]
    const byKey = new Map(parties.map(({ name, party }) => [party.key, name]))
    const ended = new Map<string, string>()
    const started = new Set<string>()
    /** The flow as which a flow went on: its result is the one that callers of the first are told. */
    const continuedAs = new Map<string, string>()
    const received = new Set<string>()
    const positions = new Map<string, number>()
    for (const { name, log } of parties)
      for (const { event } of log) {
        if (event.type === 'FlowStarted') started.add(`${name} ${event.flow}`)
        if (event.type === 'FlowStarted' && event.origin.kind === 'continued')
          continuedAs.set(`${name} ${event.origin.from}`, `${name} ${event.flow}`)
        if (event.type === 'FlowEnded') ended.set(`${name} ${event.flow}`, canonicalText(event.result ?? null))
        if (event.type === 'MessageReceived') received.add(`${name} ${event.session} ${event.role} ${event.seq}`)
        if (event.type !== 'FlowAdvanced') continue
        for (const { kind, result, error, part, label = kind } of event.operations) {
          // The flow itself counts all operations, a part its own.
          const place = part === undefined ? event.flow : `${event.flow}.${part}`
          const position = positions.get(place) ?? 0
          positions.set(place, position + 1)
          if (part !== undefined) positions.set(event.flow, (positions.get(event.flow) ?? 0) + 1)
          if (kind === 'step' && error === undefined && !witness.mayHaveReturned(`${place}.${position}`, result))
            found.push(`${name}: ${label} of flow ${event.flow} has a result on record that it never returned`)
        }
      }
    for (const { party, flow, ...told } of witness.acknowledged) {
      if (!started.has(`${party} ${flow}`))
        found.push(`${party} told a caller of flow ${flow}, which its log does not know`)
      let last = `${party} ${flow}`
      for (let next = continuedAs.get(last); next !== undefined; next = continuedAs.get(last)) last = next
      if ('result' in told && ended.get(last) !== canonicalText(told.result ?? null))
        found.push(`${party} told a caller another result of flow ${flow} than its log has`)
    }
    const refused = refusedSessions(parties)
    for (const { name, log } of parties) {
      const others = new Map<string, string | undefined>()
      const over = new Set<string>()
      for (const { event } of log) {
        if (event.type === 'SessionOpened') others.set(`${event.session} ${event.role}`, byKey.get(event.party))
        if (event.type === 'MessageSent' && event.message.kind !== 'data' && event.message.kind !== 'open')
          over.add(`${event.session} ${event.role} ${event.seq}`)
        if (event.type !== 'MessageAcknowledged') continue
        const { session, role, seq } = event
        const other = others.get(`${session} ${role}`)
        const otherRole = role === 'initiator' ? 'responder' : 'initiator'
        // The last word of a session may come when the other side is gone; it is acknowledged and not kept. What was to be sent
        // in a session that was refused is crossed out.
        if (other === undefined || refused.has(session) || over.has(`${session} ${role} ${seq}`)) continue
        const otherEnded = parties
          .find((party) => party.name === other)
          ?.log.some(
            ({ event: end }) =>
              end.type === 'MessageSent' &&
              end.session === session &&
              end.message.kind !== 'data' &&
              end.message.kind !== 'open',
          )
        if (otherEnded !== true && !received.has(`${other} ${session} ${otherRole} ${seq}`))
          found.push(`${name} was told that ${other} has message ${seq} of session ${session}, but it has not`)
      }
    }
    return found
  },
}

/** What has come and did not wake the flow; undefined when it has not come yet. */
const overdueWait = (wait: Waiting, nowMs: number, received: ReadonlySet<string>): string | undefined => {
  switch (wait.for) {
    case 'turn':
      return wait.retryAt === undefined || Date.parse(wait.retryAt) < nowMs ? 'could go on, and does not' : undefined
    case 'instant':
      return Date.parse(wait.until) < nowMs ? `has slept past ${wait.until}` : undefined
    case 'step':
      return wait.retryAt === undefined || Date.parse(wait.retryAt) < nowMs
        ? `waits for ${wait.label ?? wait.kind}, which nobody runs`
        : undefined
    case 'state':
    case 'consumption':
    case 'transaction':
    case 'signal':
    case 'flow':
    case 'cancel':
      return wait.until !== undefined && Date.parse(wait.until) < nowMs ? `has waited past ${wait.until}` : undefined
    case 'message':
      if (wait.until !== undefined && Date.parse(wait.until) < nowMs) return `has waited past ${wait.until}`
      return received.has(`${wait.session} ${wait.role} ${wait.seq}`)
        ? 'has the message it waits for, and does not go on'
        : undefined
  }
}

/** Why what a flow waits for will never come; undefined when it can. */
const hopelessWait = (
  wait: Waiting,
  ends: ReadonlyMap<string, string>,
  openFlows: ReadonlyMap<string, FlowSummary>,
  { hostile, underWay }: { readonly hostile: ReadonlySet<string>; readonly underWay: ReadonlySet<string> },
): string | undefined => {
  // Whoever deals with a hostile member may wait for ever, where everyone can see it.
  if (wait.for !== 'message' || hostile.has(wait.session)) return undefined
  // The history may end while they talk.
  if (underWay.has(wait.session)) return undefined
  // The first message of a session has a time of its own, within which it should come all the same.
  if (wait.until !== undefined && !(wait.role === 'responder' && wait.seq === 1)) return undefined
  const other = ends.get(`${wait.session} ${wait.role === 'initiator' ? 'responder' : 'initiator'}`)
  const otherFlow = openFlows.get(other ?? '')
  if (otherFlow === undefined) return 'waits for a message from a flow that has ended'
  return otherFlow.waiting?.every((back) => back.for === 'message' && back.session === wait.session) === true
    ? `and ${otherFlow.name} (${other ?? ''}) wait for each other`
    : undefined
}

/**
 * What was sent a moment ago may be on its way still. It is sent again after a time and after twice that time more: the first
 * time it may come before the message that opens its session, which was lost, too.
 */
const mostUnderWayMs = 4 * sessionLimits.resendFirstMs

/** The messages of a log that nobody has acknowledged. */
const unacknowledgedIn = (
  log: readonly LoggedEvent[],
): ReadonlyMap<string, { readonly session: string; readonly at: string }> => {
  const sent = new Map<string, { readonly session: string; readonly at: string }>()
  for (const { event, at } of log) {
    if (event.type === 'MessageSent')
      sent.set(`${event.session} ${event.role} ${event.seq}`, { session: event.session, at })
    if (event.type === 'MessageAcknowledged') sent.delete(`${event.session} ${event.role} ${event.seq}`)
  }
  return sent
}

/** Whoever waits has something to wait for. */
export const noFlowStuck: Invariant = {
  name: 'no flow is stuck without a reason',
  violations: ({ parties, hostile, isSettled, network }) => {
    if (!isSettled) return []
    const found: string[] = []
    const hostileSessions = new Set<string>()
    const nowMs = network.clock.now()
    const openFlows: ReadonlyMap<string, FlowSummary> = new Map<string, FlowSummary>(
      parties.flatMap(({ name, inspect }) =>
        inspect.flows({ status: 'open', limit: 1_000 }).items.map((flow) => [`${name} ${flow.id}`, flow] as const),
      ),
    )
    const ends = new Map<string, string>()
    const received = new Set<string>()
    for (const { name, log } of parties)
      for (const { event } of log) {
        if (event.type === 'SessionOpened' && hostile.has(event.party)) hostileSessions.add(event.session)
        if (event.type === 'SessionOpened' && event.flow !== undefined)
          ends.set(`${event.session} ${event.role}`, `${name} ${event.flow}`)
        if (event.type === 'MessageReceived') received.add(`${event.session} ${event.role} ${event.seq}`)
      }
    const unacknowledged = parties.map(({ name, log }) => ({ name, sent: unacknowledgedIn(log) }))
    const underWay = new Set(unacknowledged.flatMap(({ sent }) => [...sent.values()].map(({ session }) => session)))
    for (const [where, flow] of openFlows) {
      const { waiting, name, status, error } = flow
      const what = `${name} (${where})`
      if (status === 'parked') {
        if (error?.code === 'flow-diverged') found.push(`${what} is parked: ${error.message}`)
        continue
      }
      if (status === 'paused') continue
      if (waiting === undefined) {
        found.push(`${what} could go on, and does not`)
        continue
      }
      for (const wait of waiting) {
        const overdue = overdueWait(wait, nowMs, received)
        if (overdue !== undefined) found.push(`${what} ${overdue}`)
      }
      // As long as one of several things can come, the flow is not stuck.
      const hopeless = waiting.map((wait) =>
        hopelessWait(wait, ends, openFlows, { hostile: hostileSessions, underWay }),
      )
      if (hopeless.every((why) => why !== undefined)) found.push(...hopeless.map((why) => `${what} ${why}`))
    }
    for (const { name, sent } of unacknowledged) {
      const lost = [...sent.values()].filter(({ at }) => Date.parse(at) + mostUnderWayMs < nowMs)
      if (lost.length > 0) found.push(`${name} has ${lost.length} messages that nobody has acknowledged`)
    }
    return found
  },
}

/** An activity whose flow ended because somebody said that the state was gone is shown where the state is still there. */
export const nothingForgotten: Invariant = {
  name: 'what a flow leaves undone is shown',
  violations: ({ parties }) =>
    parties.flatMap(({ name, log, inspect }) => {
      const started = new Map<string, string>()
      const last = new Map<string, EventOf<'FlowEnded'>>()
      for (const { event } of log) {
        if (event.type === 'FlowStarted' && event.origin.kind === 'activity')
          started.set(event.flow, showRef(event.origin.ref))
        const ref = event.type === 'FlowEnded' ? started.get(event.flow) : undefined
        if (event.type === 'FlowEnded' && ref !== undefined) last.set(ref, event)
      }
      return inspect.vault({ limit: 1_000 }).items.flatMap(({ ref }) => {
        const ended = last.get(showRef(ref))
        return ended?.outcome !== 'superseded' || ended.attentionAt !== undefined
          ? []
          : [`${name} holds state ${showRef(ref)}, and nobody sees that flow ${ended.flow} took it for consumed`]
      })
    }),
}

/** Nodes stop when they are told to, and for no other reason. */
export const nodesGoOn: Invariant = {
  name: 'no node stops by itself',
  violations: ({ stopped }) => stopped,
}
