/**
 * One event of the log in a few words. What cannot be decoded is shown as it stands: whoever looks at a broken
 * log wants to see it.
 */
import { FlowIdC } from '../log/FlowId.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { decodeEvent } from '../log/decodeEvent.js'
import { endedAs } from '../log/endedAs.js'
import type { DomainEvent, FlowOrigin, Waiting } from '../log/events.js'
import { showLateness } from '../agenda/why.js'
import { shortId, shortRef, showInstant, showJson } from './words.js'

export type DescribedEvent = { readonly type: string; readonly text: string }

const flowOf = (id: string): string => (FlowIdC.is(id) ? shortId(id) : id)

/** How a party is called; where nobody knows, by the beginning of its key. */
export type NameOf = (key: PublicKey) => string | undefined

const originWords = (origin: FlowOrigin, name: (key: PublicKey) => string): string => {
  switch (origin.kind) {
    case 'client':
      return `by ${origin.by}`
    case 'session':
      return `in a session with ${name(origin.party)}`
    case 'flow':
      return `by flow ${flowOf(origin.flow)}`
    case 'continued':
      return `in the place of flow ${flowOf(origin.from)}`
    case 'activity':
      return `for ${shortRef(origin.ref)}, ${showLateness(origin.latenessMs)}`
  }
}

/** What a flow waits for that has recorded nothing new: above all, the next try of what failed. */
const waitWords = (wait: Waiting): string => {
  const what = wait.label ?? ('kind' in wait ? wait.kind : '')
  if (wait.for !== 'step' && wait.for !== 'turn') return what
  const { attempt, error, retryAt } = wait
  const failed = error === undefined ? what : `${what === '' ? 'it' : what} failed: ${error.message}`
  const next = [
    ...(attempt === undefined || attempt < 2 ? [] : [`try ${attempt}`]),
    ...(retryAt === undefined ? [] : [`at ${showInstant(retryAt)}`]),
  ].join(' ')
  return [failed, next].filter((part) => part !== '').join(', ')
}

const words = (event: DomainEvent, name: (key: PublicKey) => string): string => {
  switch (event.type) {
    case 'NodeStarted':
      return `${event.party.name} runs ${event.app} ${event.appVersion}, ${event.reason} ${event.term}`
    case 'NetworkMapChanged':
      return `map ${event.map.serial} of ${event.map.root.slice(0, 20)}…`
    case 'NetworkMapAccepted':
      return `map ${event.map.serial} of ${event.map.root.slice(0, 20)}… by ${event.by}${event.note === undefined ? '' : `: ${event.note}`}`
    case 'LeaseRenewed':
      return `term ${event.term}, ${event.leaseMs} ms`
    case 'NodeStopped':
      return ''
    case 'TokenIssued':
      return `${event.token} for ${event.name} by ${event.by}: ${event.permissions.join(', ')}${event.expiresAt === undefined ? '' : `, until ${showInstant(event.expiresAt)}`}`
    case 'TokenRevoked':
      return `${event.token} by ${event.by}`
    case 'DrainingStarted':
    case 'DrainingEnded':
      return `by ${event.by}`
    case 'RestoreAccepted':
      return `by ${event.by} at revision ${event.revision}, ${event.checkpoints === 0 ? 'not compared with any checkpoint' : `compared with ${event.checkpoints} ${event.checkpoints === 1 ? 'checkpoint' : 'checkpoints'}`}${event.note === undefined ? '' : `: ${event.note}`}`
    case 'NetworkJoined':
      return `${event.network.slice(0, 12)}…`
    case 'KeyChanged':
      return `${name(event.change.party)} signs with ${event.change.to.slice(0, 20)}…`
    case 'CheckpointReceived':
      return `${event.party.name} at revision ${event.checkpoint.revision}, hash ${event.checkpoint.hash.slice(0, 12)}`
    case 'TransactionRecorded':
      return `${event.id.slice(0, 12)}${event.flow === undefined ? '' : ` by flow ${flowOf(event.flow)}`}`
    case 'ActivityMoved':
      return `${shortRef(event.ref)} to ${showInstant(event.activity.at)}`
    case 'ActivityRemoved':
    case 'StateReassessed':
      return shortRef(event.ref)
    case 'ActivityMissed':
      return `${shortRef(event.ref)} ${showLateness(event.latenessMs)}`
    case 'ActivityStartFailed':
    case 'ActivityParked':
      return `${shortRef(event.ref)} ${event.error.code}: ${event.error.message}`
    case 'ActivityPaused':
    case 'ActivityDismissed':
      return `${shortRef(event.ref)} by ${event.by}${event.note === undefined ? '' : `: ${event.note}`}`
    case 'ActivityResumed':
    case 'ActivityTriggered':
    case 'ActivityRetried':
      return `${shortRef(event.ref)} by ${event.by}`
    case 'SignalReceived':
      return `${flowOf(event.flow)} was sent ${event.signal} by ${event.by}: ${showJson(event.data)}`
    case 'SignalTaken':
      return `${flowOf(event.flow)} took signal ${event.seq}`
    case 'StatesLocked':
    case 'StatesUnlocked':
      return `${event.refs.map(shortRef).join(', ')} by flow ${flowOf(event.flow)}`
    case 'KeysReserved':
      return `${event.keys.map(({ type, key }) => `${type} "${key}"`).join(', ')} by flow ${flowOf(event.flow)}${event.lapsed === undefined ? '' : `, after flow ${event.lapsed.map(flowOf).join(', ')} had it for too long`}`
    case 'TransactionSigned':
      return `${event.id.slice(0, 12)} by flow ${flowOf(event.flow)}`
    case 'TransactionNotarised':
      return `${event.id.slice(0, 12)} for ${name(event.caller)}, ${event.inputs.length} consumed`
    case 'SessionOpened':
      return `${event.session.slice(0, 12)} with ${name(event.party)} as ${event.role}`
    case 'MessageSent':
    case 'MessageReceived':
      return `${event.session.slice(0, 12)} number ${event.seq}: ${event.message.kind}`
    case 'MessageAcknowledged':
      return `${event.session.slice(0, 12)} number ${event.seq}`
    case 'FlowStarted': {
      const { origin } = event
      return `${flowOf(event.flow)} ${event.name} ${originWords(origin, name)}`
    }
    case 'FlowAdvanced': {
      const done = event.operations.map(({ kind, label }) => label ?? kind)
      return `${flowOf(event.flow)} ${(done.length > 0 ? done : event.waiting.map(waitWords)).join('; ')}`.trimEnd()
    }
    case 'FlowEnded': {
      const { result = event.refusal, error } = event
      const end = error === undefined ? showJson(result) : `${error.code}: ${error.message}`
      return `${flowOf(event.flow)} ${endedAs(event)} ${end}`.trimEnd()
    }
    case 'FlowParked':
      return `${flowOf(event.flow)} ${event.error.code}: ${event.error.message}`
    case 'FlowRetried':
    case 'FlowPaused':
    case 'FlowCancelled':
    case 'FlowResumed':
    case 'FlowDismissed':
      return `${flowOf(event.flow)} by ${event.by}`
  }
}

export const describeEvent = (line: string, revision: number, nameOf: NameOf = () => undefined): DescribedEvent => {
  try {
    const event = decodeEvent(line, revision)
    return { type: event.type, text: words(event, (key) => nameOf(key) ?? `${key.slice(0, 20)}…`) }
  } catch {
    return { type: '?', text: line }
  }
}
