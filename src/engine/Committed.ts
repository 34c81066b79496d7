/**
 * What has just become durable: the events of one tick. They are decoded from the log's own lines when they are
 * asked for, so a follower sees exactly what a reader of the log would, and one that asks for little pays little.
 */
import { Encoded } from '../encoding/canonical.js'
import type { Assessment } from '../ledger/Assessment.js'
import type { StateRef } from '../ledger/StateRef.js'
import { decodeEvent } from '../log/decodeEvent.js'
import type { DomainEvent, EventOf, EventType } from '../log/events.js'
import type { EncodedTick } from '../log/Tick.js'

/** Which message of which session. */
export type MessageAt = Pick<EventOf<'MessageAcknowledged'>, 'session' | 'role' | 'seq'>

/** What is recorded because something was recorded. If it counted as news, two nodes would go on telling it to each other. */
const noNews: ReadonlySet<EventType> = new Set(['CheckpointReceived', 'LeaseRenewed'] as const)

/** The events of one tick, for whoever follows a node. */
export class Committed {
  /** The tick as it stands in the log. */
  readonly tick: EncodedTick
  /** The tick's time, in epoch milliseconds. */
  readonly atMs: number
  readonly #decided: readonly DomainEvent[]
  #events: readonly DomainEvent[] | undefined

  constructor(tick: EncodedTick, atMs: number, decided: readonly DomainEvent[]) {
    this.tick = tick
    this.atMs = atMs
    this.#decided = decided
  }

  /** The revision of the tick's first event. */
  get firstRevision(): number {
    return this.tick.firstRevision
  }

  get #lines(): readonly string[] {
    return this.tick.events
  }

  /** All events of the tick. */
  get events(): readonly DomainEvent[] {
    this.#events ??= this.#lines.map((line, index) => decodeEvent(line, this.firstRevision + index))
    return this.#events
  }

  /** The events of one type; the others are not even decoded. */
  ofType<K extends EventType>(type: K): readonly EventOf<K>[] {
    return this.#decided.flatMap((event, index) => {
      if (event.type !== type) return []
      const decoded = decodeEvent(this.#lines[index] ?? '', this.firstRevision + index)
      return isOfType(decoded, type) ? [decoded] : []
    })
  }

  /** The messages that the tick states as sent, or as acknowledged; what they say is not looked at. */
  messages(type: 'MessageSent' | 'MessageAcknowledged'): readonly MessageAt[] {
    return this.#decided.flatMap((event) =>
      event.type === type ? [{ session: event.session, role: event.role, seq: event.seq }] : [],
    )
  }

  /** The ends of sessions in which flows ask for a message from this tick on. */
  awaited(): readonly Pick<MessageAt, 'session' | 'role'>[] {
    return this.#decided.flatMap((event) =>
      event.type === 'FlowAdvanced'
        ? event.waiting.flatMap((wait) => (wait.for === 'message' ? [{ session: wait.session, role: wait.role }] : []))
        : [],
    )
  }

  /** How many events of a type the tick holds. */
  count(type: EventType): number {
    let count = 0
    for (const event of this.#decided) if (event.type === type) count += 1
    return count
  }

  /** Whether the tick holds an event of a type. */
  has(type: EventType): boolean {
    return this.#decided.some((event) => event.type === type)
  }

  /** Whether the tick says more than where logs stand and that the leader is there: something worth a new checkpoint. */
  get hasNews(): boolean {
    return this.#decided.some(({ type }) => !noNews.has(type))
  }

  /** How late each activity was that the tick started or found missed. */
  latenesses(): readonly number[] {
    return this.#decided.flatMap((event) => {
      if (event.type === 'ActivityMissed') return [event.latenessMs]
      return event.type === 'FlowStarted' && event.origin.kind === 'activity' ? [event.origin.latenessMs] : []
    })
  }

  /** How many events the tick holds. */
  get size(): number {
    return this.#decided.length
  }

  /** Counts the events of the tick by a word each is given; those without one are left out. */
  tally(wordOf: (event: DomainEvent) => string | undefined): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const event of this.#decided) {
      const word = wordOf(event)
      if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    return counts
  }

  /** The ids of the flows that ended in the tick. */
  endedFlows(): readonly string[] {
    return this.#decided.flatMap((event) => (event.type === 'FlowEnded' ? [event.flow] : []))
  }

  /** The revision of the tick's last event. */
  get lastRevision(): number {
    return this.firstRevision + this.#lines.length - 1
  }

  /** The states that the tick's transactions have produced and consumed, in order. */
  touchedStates(): { readonly produced: readonly StateRef[]; readonly consumed: readonly StateRef[] } {
    const produced: StateRef[] = []
    const consumed: StateRef[] = []
    if (!this.has('TransactionRecorded')) return { produced, consumed }
    for (const { id, body } of this.ofType('TransactionRecorded')) {
      if (body instanceof Encoded) continue
      consumed.push(...body.inputs)
      produced.push(...body.outputs.map((_, index) => ({ transaction: id, index })))
    }
    return { produced, consumed }
  }

  /** The produced states whose activity could not be had, each with why. */
  failedAssessments(): readonly { readonly ref: StateRef; readonly error: NonNullable<Assessment['failure']> }[] {
    return this.#decided.flatMap((event) => {
      if (event.type !== 'TransactionRecorded') return []
      return event.assessments.flatMap(({ failure }, index) =>
        failure === undefined ? [] : [{ ref: { transaction: event.id, index }, error: failure }],
      )
    })
  }

  /** Whether the tick says something about a flow. */
  concernsFlow(id: string): boolean {
    return this.#decided.some((event) => 'flow' in event && event.flow === id)
  }
}

const isOfType = <K extends EventType>(event: DomainEvent, type: K): event is EventOf<K> => event.type === type
