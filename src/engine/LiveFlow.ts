/**
 * A flow's generators in memory: its own, and those of its parts. They can always be thrown away: running the code again
 * over the record brings each back to the operation it stands at. What follows from an answer without another one, such as
 * the end of a race, happens at once, so a record of the answers in their order is a record of everything.
 */
import { canonicalText } from '../encoding/canonical.js'
import { type CarillonError, type RecordedError, recordRefusal, reviveError } from '../errors/CarillonError.js'
import { asAnswer } from '../app/ask.js'
import { assertBody } from '../app/assertBody.js'
import type { Answer } from '../flow/Answer.js'
import type { AnyFlowDefinition } from '../app/FlowDefinition.js'
import type { FlowId } from '../log/FlowId.js'
import { FlowIo, type StartedBy } from '../app/FlowIo.js'
import type { FlowWatch } from './FlowWatch.js'
import { Cancellation } from '../flow/Cancellation.js'
import type { RetryWait } from '../flow/waiting.js'
import { notAnOperation } from '../flow/invalidOperation.js'
import { beginsParts, type Parts } from '../flow/Parts.js'
import type { Operation } from '../app/Operation.js'
import type { Party } from '../identity/Party.js'
import { runCode } from '../ledger/runningCode.js'
import type { SigningContext } from '../ledger/SignedTransaction.js'
import { showRef } from '../ledger/StateRef.js'
import { toMillis } from '../time/Instant.js'
import { tellsConsumed } from './tellsConsumed.js'
import type { Waiting, Waits } from '../log/events.js'
import type { SessionId } from '../log/SessionId.js'
import { comparePlaces, FlowPart, type Ending, type PartGroup } from './FlowPart.js'

/** An operation that was answered since the record was last written. */
export type Unrecorded = { readonly operation: Operation; readonly answer: Answer; readonly part?: string }

/** Where the code came to after a move. */
export type Stop = { readonly kind: 'asks'; readonly operation: Operation } | Ending

/** What a flow with parts keeps in mind beside its own generator. */
type OpenParts = {
  /** The parts that have not come to their end, by path. */
  readonly open: Map<string, FlowPart>
  /** How the others ended. */
  readonly ended: Map<string, Ending>
  /** Parts whose recorded wait is over. */
  readonly over: Set<string>
  readonly closedSessions: SessionId[]
}

/** A wait with an end that a part was cancelled in before it was recorded, and how many answers the part had then. */
type LostWait = { readonly path: string; readonly answered: number; readonly waiting: Waiting }

/** What is to be recorded of the waits of a flow. */
type TakenWaits = {
  readonly waiting: Waits
  /** Present when waits of other parts go on: the parts whose waits do not. */
  readonly over?: readonly string[]
  /** The parts that have begun to wait. */
  readonly fresh: readonly FlowPart[]
}

const noSteps: (string | undefined)[] = []
const turn: Waiting = { for: 'turn' }

/** Nothing keeps app code from yielding something else than what `io` made. */
const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'kind' in value

export class LiveFlow {
  readonly id: FlowId
  /** The flow itself. */
  readonly root: FlowPart
  /** Answered operations that are not in the record yet. */
  readonly unrecorded: Unrecorded[] = []
  /** Set when the code of the flow has come to its end. */
  ending: Ending | undefined
  progress: string | undefined
  /** About how many bytes the unrecorded operations will take. */
  weight = 0
  /** The state that it holds during its steps; undefined when it holds none, or knows that it is consumed. */
  #held: string | undefined
  /** Whether its code has reserved that state, which it then keeps until its code gives it back. */
  #hasLocked = false
  /** On a development node: what looks on. */
  readonly watch: FlowWatch | undefined
  /** Parts whose operation is to be decided, in the order of their paths, the last one first. */
  readonly #queue: FlowPart[] = []
  #parts: OpenParts | undefined
  #lostWaits: readonly LostWait[] = []
  /** The parts whose steps were cancelled. */
  #droppedSteps: (string | undefined)[] = noSteps
  /** Whether the row holds waits of parts, which need not be written again. */
  #keepsWaits = false
  /** The next try that parts are held back for. */
  #retry: RetryWait | undefined
  readonly #io: FlowIo
  #network: SigningContext

  /** `version` is the one the flow was started with, which its code may ask for. */
  constructor(
    definition: AnyFlowDefinition,
    version: number,
    id: FlowId,
    me: Party,
    network: SigningContext,
    startedBy: StartedBy | undefined,
    input: unknown,
    watch?: FlowWatch,
  ) {
    this.id = id
    this.watch = watch
    this.#network = network
    this.#held = definition.holdsState && startedBy !== undefined ? showRef(startedBy.ref) : undefined
    // The map may change while the flow is in memory.
    const context: SigningContext = {
      id: network.id,
      identityOf: (key) => this.#network.identityOf(key),
      currentKeyOf: (identity) => this.#network.currentKeyOf(identity),
    }
    this.#io = new FlowIo({ name: definition.name, version }, id, me, context, startedBy)
    const body = assertBody(
      definition,
      this.#run(() => definition.run(watch?.watched(this.#io) ?? this.#io, input)),
    )
    this.root = new FlowPart(undefined, [], body, FlowIo.contextOf(this.#io), undefined, 0)
  }

  /** From now on the flow checks signatures by this map. */
  useNetwork(network: SigningContext): void {
    this.#network = network
  }

  /** Whether it holds the state of its activity during its steps. */
  get holdsState(): boolean {
    return this.#held !== undefined
  }

  /** Whether it gives that state back when it waits for something else than a step. */
  get givesStateBack(): boolean {
    return this.#held !== undefined && !this.#hasLocked
  }

  begin(): void {
    this.root.isBegun = true
    this.#settle(
      this.root,
      this.#move(this.root, () => this.root.body.next()),
    )
  }

  /** Where the flow stands: at its end, or at the operation of the first of its parts that stands at one. */
  get stop(): Stop {
    if (this.ending !== undefined) return this.ending
    const operation = this.firstPending?.pending
    return operation === undefined ? { kind: 'returned', result: undefined } : { kind: 'asks', operation }
  }

  /** The first part that stands at an operation. */
  get firstPending(): FlowPart | undefined {
    let first: FlowPart | undefined
    for (const part of this.openParts())
      if (part.pending !== undefined && (first === undefined || comparePlaces(part.place, first.place) < 0))
        first = part
    return first
  }

  get hasParts(): boolean {
    return this.#parts !== undefined && this.#parts.open.size > 0
  }

  /** Whether the flow has ever begun parts. */
  get hadParts(): boolean {
    return this.#parts !== undefined
  }

  /** The flow itself and its parts, in the order in which they were begun. */
  openParts(): readonly FlowPart[] {
    return this.#parts === undefined ? [this.root] : [this.root, ...this.#parts.open.values()]
  }

  /** A part by its path, while it has not come to its end. */
  part(path: string | undefined): FlowPart | undefined {
    return path === undefined ? this.root : this.#parts?.open.get(path)
  }

  /** How a part has ended. */
  endingOf(path: string | undefined): Ending | undefined {
    return path === undefined ? this.ending : this.#parts?.ended.get(path)
  }

  /** The first part whose operation is to be decided. */
  get next(): FlowPart | undefined {
    for (let part = this.#queue.at(-1); part !== undefined; part = this.#queue.at(-1)) {
      if (part.pending !== undefined) return part
      this.#dequeue()
    }
    return undefined
  }

  #dequeue(): void {
    const part = this.#queue.pop()
    if (part !== undefined) part.isQueued = false
  }

  /** The operation of a part is to be decided, or answered with what is given. */
  enqueue(part: FlowPart, given?: Answer): void {
    part.given = given
    if (part.isQueued) return
    part.isQueued = true
    let low = 0
    let high = this.#queue.length
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#queue[middle]
      if (other !== undefined && comparePlaces(other.place, part.place) > 0) low = middle + 1
      else high = middle
    }
    this.#queue.splice(low, 0, part)
  }

  /** After a replay: the part waits, as the row of its flow says. */
  waitsOn(part: FlowPart, waiting: Waiting): void {
    part.waiting = waiting
    part.isWaitRecorded = true
    if (part.isQueued) this.#queue.splice(this.#queue.indexOf(part), 1)
    part.isQueued = false
    if (part.path !== undefined) this.#keepsWaits = true
  }

  /** After a replay: whatever stands at an operation and does not wait goes on with the next try, and no sooner. */
  holdBack(retry: RetryWait): void {
    this.#retry = retry
    for (const part of this.#queue.splice(0)) part.isQueued = false
  }

  /** Lets the parts go on that were held back, if the time of the next try has come. */
  tryAgain(nowMs: number): void {
    if (this.#retry === undefined || toMillis(this.#retry.retryAt) > nowMs) return
    this.#retry = undefined
    for (const part of this.openParts())
      if (part.pending !== undefined && part.waiting === undefined) this.enqueue(part)
  }

  /** The next try, while a part is held back for it. */
  get #heldFor(): RetryWait | undefined {
    if (this.#retry === undefined) return undefined
    const isHeldBack = this.openParts().some(
      ({ pending, waiting, isQueued }) => pending !== undefined && waiting === undefined && !isQueued,
    )
    return isHeldBack ? this.#retry : undefined
  }

  /** The part was decided and waits; false when it waits on for what it waited for already. */
  waitOn(part: FlowPart, waiting: Waiting): boolean {
    if (part.waiting === undefined || canonicalText(part.waiting) !== canonicalText(waiting)) {
      this.wait(part, waiting)
      return true
    }
    if (this.#queue.at(-1) === part) this.#dequeue()
    return false
  }

  /** The part begins to wait. */
  wait(part: FlowPart, waiting: Waiting): void {
    if (this.#queue.at(-1) === part) this.#dequeue()
    // The row holds what it waited for before, which is over also if the part is cancelled before it is recorded anew.
    if (part.isWaitRecorded && part.path !== undefined) this.#parts?.over.add(part.path)
    part.given = undefined
    part.waiting = waiting
    part.isWaitRecorded = false
  }

  /** What the flow waits for from now on, to be recorded. `held` says that it waits for its turn, whatever else it waits for. */
  takeWaits(held: Waiting | undefined): TakenWaits {
    const { root } = this
    if (!this.hasParts) {
      const { waiting } = root
      const isFresh = waiting !== undefined && (held === undefined || !root.isWaitRecorded)
      root.isWaitRecorded = waiting !== undefined
      this.#keepsWaits = false
      this.#parts?.over.clear()
      // What is waited for may have an end, which must not be forgotten while the flow waits for its turn.
      const waits: Waits =
        held === undefined || waiting === undefined ? [held ?? waiting ?? this.#heldFor ?? turn] : [held, waiting]
      return { waiting: waits, fresh: isFresh ? [root] : [] }
    }
    const isHeld = held ?? (this.next === undefined ? undefined : turn)
    const fresh = this.openParts().filter((part) => part.waiting !== undefined && !part.isWaitRecorded)
    const listed = this.#keepsWaits ? fresh : this.openParts().filter(({ waiting }) => waiting !== undefined)
    for (const part of fresh) {
      part.isWaitRecorded = true
      this.#parts?.over.delete(part.path ?? '')
    }
    const over = this.#keepsWaits ? { over: [...(this.#parts?.over ?? [])] } : {}
    const turns = [isHeld, this.#heldFor].flatMap((each) => each ?? [])
    const waits = [...turns, ...listed.flatMap(({ waiting }) => waiting ?? [])]
    // There is always one to name, be it one that goes on as it did.
    const [first = this.openParts().find(({ waiting }) => waiting !== undefined)?.waiting ?? turn, ...rest] = waits
    this.#keepsWaits = true
    this.#parts?.over.clear()
    return { waiting: [first, ...rest], ...over, fresh }
  }

  /** The parts whose steps were cancelled since this was asked last; undefined is the flow itself. */
  takeDroppedSteps(): readonly (string | undefined)[] {
    const dropped = this.#droppedSteps
    this.#droppedSteps = noSteps
    return dropped
  }

  /** What the parts of this flow began to wait for in vain, where another run of its code stands there again. */
  waitsLostAt(again: LiveFlow): readonly Waiting[] {
    return this.#lostWaits.flatMap(({ path, answered, waiting }) => {
      const part = again.part(path)
      return part?.pending !== undefined && part.answered === answered ? [waiting] : []
    })
  }

  /** Throws into the flow where it waits, or into its parts first: the error as the record tells it. */
  cancel({ message, details }: RecordedError): void {
    this.#cancelPart(this.root, asAnswer(new Cancellation(message, details)))
  }

  /** Sessions of parts that were cancelled since this was asked last. */
  takeClosedSessions(): readonly SessionId[] {
    return this.#parts === undefined || this.#parts.closedSessions.length === 0
      ? []
      : this.#parts.closedSessions.splice(0)
  }

  /** Answers the operation that a part stands at, and runs the code that can go on because of it. */
  answer(part: FlowPart, answer: Answer): void {
    const operation = part.pending
    part.answered += 1
    const held = this.#held
    if (held !== undefined && operation !== undefined) {
      if (tellsConsumed(operation, answer, held)) this.#held = undefined
      const isOfLock = answer.kind === 'value' && (operation.kind === 'lock' || operation.kind === 'unlock')
      if (isOfLock && operation.refs.some((ref) => showRef(ref) === held)) this.#hasLocked = operation.kind === 'lock'
    }
    this.#leave(part)
    if (operation !== undefined && beginsParts(operation) && answer.kind === 'value') this.#beginParts(part, operation)
    else if (answer.kind === 'value')
      this.#settle(
        part,
        this.#move(part, () => part.body.next(answer.value)),
      )
    // The flow meets the error as its record will tell it, so that it meets the same one when it is run again.
    else this.#throwInto(part, asAnswer(reviveError(recordRefusal(answer.error, 'flow-threw'))))
  }

  #run<A>(run: () => A): A {
    const { watch } = this
    return runCode('flow', watch === undefined ? run : () => watch.run(run))
  }

  /** The part no longer stands at its operation. */
  #leave(part: FlowPart): void {
    if (this.#queue.at(-1) === part) this.#dequeue()
    if (part.isWaitRecorded && part.path !== undefined) this.#parts?.over.add(part.path)
    part.pending = undefined
    part.waiting = undefined
    part.given = undefined
    part.isWaitRecorded = false
  }

  #throwInto(part: FlowPart, error: unknown): void {
    this.#settle(
      part,
      this.#move(part, () => part.body.throw(error)),
    )
  }

  #move(part: FlowPart, move: () => IteratorResult<unknown, unknown>): Stop {
    if (this.#parts !== undefined) FlowIo.enter(this.#io, part.context)
    try {
      const moved = this.#run(move)
      if (moved.done === true) {
        const fault = this.#judge(part)
        return fault === undefined ? { kind: 'returned', result: moved.value } : { kind: 'threw', error: fault }
      }
      if (!isOperation(moved.value)) return { kind: 'threw', error: this.watch?.judge() ?? notAnOperation() }
      return { kind: 'asks', operation: moved.value }
    } catch (error) {
      return { kind: 'threw', error: this.#judge(part, { error }) ?? error }
    }
  }

  /** On a development node: what is wrong with a flow at its end. What a part has left undone another may still do. */
  #judge({ path }: FlowPart, thrown?: { readonly error: unknown }): CarillonError | undefined {
    return path === undefined ? this.watch?.judge(thrown) : undefined
  }

  #settle(part: FlowPart, stop: Stop): void {
    if (stop.kind === 'asks') {
      part.pending = stop.operation
      this.enqueue(part)
      return
    }
    part.isOver = true
    if (part.group === undefined) this.ending = stop
    else this.#endPart(part, part.group, stop)
  }

  #beginParts(parent: FlowPart, { kind, parts }: Parts): void {
    this.#parts ??= { open: new Map(), ended: new Map(), over: new Set(), closedSessions: [] }
    const { open } = this.#parts
    const names = parts.map(([name]) => name)
    const group: PartGroup = {
      ...{ kind, names, parent, members: [], open: parts.length, results: [] },
      ...{ outcome: undefined, isOver: false },
    }
    parent.children = group
    for (const [index, [, body]] of parts.entries()) {
      parent.begun += 1
      const path = parent.path === undefined ? String(parent.begun) : `${parent.path}.${parent.begun}`
      const context = FlowIo.contextWithin(this.#io, parent.context)
      const part = new FlowPart(path, [...parent.place, parent.begun], body, context, group, index)
      group.members.push(part)
      open.set(path, part)
    }
    for (const part of group.members) {
      // One that began before may have decided the race.
      if (part.isOver) continue
      part.isBegun = true
      this.#settle(
        part,
        this.#move(part, () => part.body.next()),
      )
    }
    this.#endGroup(group)
  }

  #endPart(part: FlowPart, group: PartGroup, ending: Ending): void {
    const { context, path = '' } = part
    this.#parts?.open.delete(path)
    this.#parts?.ended.set(path, ending)
    FlowIo.leave(this.#io)
    if (part.isCancelled) this.#parts?.closedSessions.push(...context.sessions)
    else group.parent.context.sessions.push(...context.sessions)
    group.open -= 1
    if (ending.kind === 'threw' && !(part.isCancelled && ending.error instanceof Cancellation)) {
      if (group.outcome?.kind !== 'failed') group.outcome = { kind: 'failed', error: ending.error }
      this.#cancelMembers(group)
    } else if (ending.kind === 'returned' && !part.isCancelled) {
      group.results[part.index] = ending.result
      if (group.kind === 'race' && group.outcome === undefined) {
        group.outcome = { kind: 'won', value: [part.index, ending.result] }
        this.#cancelMembers(group)
      }
    }
    this.#endGroup(group)
  }

  #endGroup(group: PartGroup): void {
    if (group.open > 0 || group.isOver) return
    group.isOver = true
    const { parent, outcome, results } = group
    parent.children = undefined
    if (outcome?.kind === 'failed') this.#throwInto(parent, outcome.error)
    else
      this.#settle(
        parent,
        this.#move(parent, () => parent.body.next(outcome === undefined ? results : outcome.value)),
      )
  }

  #cancelMembers(group: PartGroup): void {
    for (const member of group.members)
      this.#cancelPart(
        member,
        new Cancellation(
          `Part ${member.path ?? ''} was cancelled, because ${group.outcome?.kind === 'won' ? 'another part has won the race' : 'another part has failed'}.`,
          { part: member.path ?? '' },
        ),
      )
  }

  /** Throws into a part where it waits, or into its own parts first. What it does then is done like anything else. */
  #cancelPart(part: FlowPart, error: Cancellation): void {
    if (part.isOver || part.isCancelled) return
    part.isCancelled = true
    if (!part.isBegun) {
      part.body.return(undefined)
      this.#settle(part, { kind: 'returned', result: undefined })
      return
    }
    const { children } = part
    if (children !== undefined) {
      if (children.outcome?.kind !== 'failed') children.outcome = { kind: 'failed', error }
      for (const member of children.members)
        if (member.isCancelled) this.#cancelAgain(member, error)
        else this.#cancelPart(member, error)
      return
    }
    this.#throwCancellation(part, error)
  }

  /**
   * A part that had lost already is cancelled with what has begun it. Steps and parts with which it cleans up come to their
   * end; it waits for nothing else, because all that is to be undone after it would wait, too.
   */
  #cancelAgain(part: FlowPart, error: Cancellation): void {
    if (part.isOver) return
    const { children, pending } = part
    if (children !== undefined)
      for (const member of children.members) {
        if (member.isCancelled) this.#cancelAgain(member, error)
      }
    else if (pending?.kind !== 'step') this.#throwCancellation(part, error)
  }

  #throwCancellation(part: FlowPart, error: Cancellation): void {
    const { path, answered, isWaitRecorded, waiting } = part
    if (waiting !== undefined && 'until' in waiting && !isWaitRecorded && path !== undefined)
      this.#lostWaits = [...this.#lostWaits, { path, answered, waiting }]
    if (waiting?.for === 'step') this.#droppedSteps = [...this.#droppedSteps, part.path]
    this.#leave(part)
    this.#throwInto(part, error)
  }
}
