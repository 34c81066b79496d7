/**
 * What an onlooker who trusts nobody has seen: everything that left a node, compared at that very moment with what the
 * node's disk held. Whatever is released before it is durable is noticed here, whether or not harm came of it.
 */
import { canonicalText } from '../../encoding/canonical.js'
import type { RecordedOperation } from '../../log/events.js'
import type { EncodedTick } from '../../log/Tick.js'
import { isOfSession, type Envelope } from '../../log/Message.js'

/** Something a caller or another system was told. */
export type Acknowledged = {
  readonly party: string
  readonly flow: string
  /** Present once the caller was told what the flow returned. */
  readonly result?: unknown
}

/** Where a step stands: in the record of its flow, or among the operations of a part. */
export type StepPlace = { readonly flow: string; readonly part: string | undefined; readonly position: number }

type Line = {
  readonly type: string
  readonly flow?: string
  readonly session?: string
  readonly role?: string
  readonly seq?: number
  readonly operations?: readonly RecordedOperation[]
  readonly signature?: string
  readonly checkpoint?: { readonly signature: string }
}

const watched =
  /"type":"(SessionOpened|MessageSent|MessageReceived|FlowStarted|FlowAdvanced|FlowEnded|CheckpointReceived)"/

type Committed = {
  readonly messages: Set<string>
  /** Operations recorded so far, by flow. */
  readonly flows: Map<string, RecordedOperation[]>
  readonly ended: Set<string>
  /** The flow at this end of a session; none when it could not be answered. */
  readonly sessions: Map<string, string | undefined>
  /** Signatures of the checkpoints of other parties that it has recorded. */
  readonly heads: Set<string>
  /** The running hashes of its own ticks. */
  readonly hashes: Set<string>
}

/** What an onlooker has seen leave the nodes, and what of it was not durable yet. */
export class Witness {
  readonly #committed = new Map<string, Committed>()
  /** What every run of a step has returned, by idempotency key. */
  readonly #returned = new Map<string, unknown[]>()
  readonly acknowledged: Acknowledged[] = []
  /** What should not have been seen, one sentence each. */
  readonly sightings: string[] = []

  #of(party: string): Committed {
    const known = this.#committed.get(party) ?? {
      messages: new Set(),
      flows: new Map(),
      ended: new Set(),
      sessions: new Map(),
      heads: new Set(),
      hashes: new Set(),
    }
    this.#committed.set(party, known)
    return known
  }

  /** A tick is on the disk of a party. */
  committed(party: string, tick: EncodedTick): void {
    const { messages, flows, ended, sessions, heads, hashes } = this.#of(party)
    hashes.add(tick.hash)
    for (const text of tick.events) {
      if (!watched.test(text)) continue
      const line = JSON.parse(text) as Line
      if (line.type === 'MessageSent' || line.type === 'MessageReceived')
        messages.add(`${line.type} ${line.session ?? ''} ${line.role ?? ''} ${line.seq ?? ''}`)
      else if (line.type === 'SessionOpened') sessions.set(`${line.session ?? ''} ${line.role ?? ''}`, line.flow)
      else if (line.type === 'CheckpointReceived') heads.add(line.checkpoint?.signature ?? '')
      else if (line.type === 'FlowEnded') ended.add(line.flow ?? '')
      else if (line.type === 'FlowStarted') flows.set(line.flow ?? '', [])
      else if (line.type === 'FlowAdvanced') flows.get(line.flow ?? '')?.push(...(line.operations ?? []))
    }
  }

  /** An envelope leaves the node of a party. */
  sent(party: string, envelope: Envelope): void {
    const { messages, ended, sessions, heads, hashes } = this.#of(party)
    if (!isOfSession(envelope)) {
      if (envelope.kind === 'checkpoint' && !hashes.has(envelope.checkpoint.hash))
        this.sightings.push(`${party} sent a checkpoint at ${envelope.checkpoint.revision} before it was durable`)
      const kept = envelope.kind === 'checkpoint-kept' ? envelope.checkpoint : undefined
      if (kept !== undefined && !heads.has(kept.signature))
        this.sightings.push(`${party} said that it keeps a checkpoint at ${kept.revision} before that was durable`)
      return
    }
    const { session, from, seq } = envelope
    if (envelope.kind === 'message' && !messages.has(`MessageSent ${session} ${from} ${seq}`))
      this.sightings.push(`${party} sent message ${seq} of session ${session} before it was durable`)
    const reader = sessions.get(`${session} ${from}`)
    // What nobody will read any more is acknowledged without being kept.
    const isOver = sessions.has(`${session} ${from}`) && (reader === undefined || ended.has(reader))
    if (envelope.kind === 'ack' && !isOver && !messages.has(`MessageReceived ${session} ${from} ${seq}`))
      this.sightings.push(`${party} acknowledged message ${seq} of session ${session} before it was durable`)
  }

  /** A caller is told that a flow has started, or what it returned. */
  told(acknowledged: Acknowledged): void {
    this.acknowledged.push(acknowledged)
    const { flows, ended } = this.#of(acknowledged.party)
    if ('result' in acknowledged && !ended.has(acknowledged.flow))
      this.sightings.push(
        `${acknowledged.party} told a caller the result of flow ${acknowledged.flow} before it was durable`,
      )
    if (!flows.has(acknowledged.flow))
      this.sightings.push(`${acknowledged.party} told a caller of flow ${acknowledged.flow} before it was durable`)
  }

  /** A step begins. */
  stepRuns(party: string, { flow, part, position }: StepPlace, name: string): void {
    const all = this.#of(party).flows.get(flow)
    const recorded = part === undefined ? all : all?.filter((operation) => operation.part === part)
    if (recorded === undefined)
      this.sightings.push(`${party} ran step "${name}" of flow ${flow} before the flow was durable`)
    // A flow that was cancelled in the tick after the one that asked for the step has that on record, and no result.
    else if (recorded.length > position && recorded[position]?.kind !== 'cancelled')
      this.sightings.push(`${party} ran step "${name}" of flow ${flow} again, although its result was recorded`)
    else if (recorded.length < position)
      this.sightings.push(`${party} ran step "${name}" of flow ${flow} before what comes before it was durable`)
  }

  stepReturned(key: string, value: unknown): void {
    this.#returned.set(key, [...(this.#returned.get(key) ?? []), value])
  }

  /** Whether some run of a step has really returned this; steps that were never watched are believed. */
  mayHaveReturned(key: string, recorded: unknown): boolean {
    const returned = this.#returned.get(key)
    const text = canonicalText(recorded ?? null)
    return returned === undefined || returned.some((value) => canonicalText(value ?? null) === text)
  }
}
