/**
 * What a flow is given to act with. Each operation is recorded, so that after a restart the flow is run again
 * over its record and goes on where it was; failures are thrown into the flow as typed errors.
 */
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { none, some, type Option } from 'fp-ts/lib/Option.js'
import type * as t from 'io-ts'
import { Duration, type DurationLikeObject } from 'luxon'
import type { Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { plainForm } from '../encoding/plainForm.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Party } from '../identity/Party.js'
import { Cancellation } from '../flow/Cancellation.js'
import { flowLimits } from '../flow/limits.js'
import { partEntries } from '../flow/partEntries.js'
import type { StateAndRef } from '../ledger/StateAndRef.js'
import type { IndexedValues } from '../ledger/IndexedValue.js'
import type { AnyStateDefinition, StateDefinition } from '../ledger/StateDefinition.js'
import type { StateRef } from '../ledger/StateRef.js'
import { TransactionBuilder } from '../ledger/TransactionBuilder.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { SigningContext } from '../ledger/SignedTransaction.js'
import { instant, plus, type Instant } from '../time/Instant.js'
import type { Finalised } from '../finality/Finalised.js'
import { ask } from './ask.js'
import { assertBody } from './assertBody.js'
import type { FlowBody, FlowDefinition } from './FlowDefinition.js'
import { flowIdOfChild, type FlowId } from '../log/FlowId.js'
import type { WhenParentEnds } from '../flow/ChildRow.js'
import { FlowRefused, type RefusalOf } from '../flow/Refusal.js'
import type { ChildResult } from '../flow/operations/join.js'
import type { Page } from '../vault/query/VaultQuery.js'
import type { StepContext } from '../flow/operations/step.js'
import type { StateQuery } from '../flow/queryStates.js'
import type { StateWanted } from '../flow/Answer.js'
import { assertRetryPolicy, defaultRetry, type RetryPolicy } from '../flow/RetryPolicy.js'
import { finaliseTogether, type TogetherOptions } from './finality/finaliseTogether.js'
import { receiveFinality, signProposal, type FinalityOptions, type SignerCheck } from './finality/respond.js'
import { signTearOff, type CommandKind, type PartCheck } from './finality/signPart.js'
import type { Visible as ShownTransaction } from '../ledger/TearOff.js'
import type { Proposal } from '../finality/decideTransaction.js'
import { sessionIdOf, sessionNonce, type SessionId } from '../log/SessionId.js'
import { Session } from './Session.js'
import { transact, type TransactOptions, type TransactWork } from './transact.js'
import type { AnySignalDefinition, ReceivedSignal, SignalDefinition } from './SignalDefinition.js'
import type { SignalTarget } from '../flow/decideSignal.js'
import { encodedData, encodedInput } from './encodedFor.js'
import { answerWithin, withinMsOf, type Timing, type Unbounded, type Within } from './within.js'

/** Why a flow that was started by an activity was started. */
export type StartedBy = {
  readonly ref: StateRef
  /** The instant the activity was due. */
  readonly due: Instant
  /** Effective start minus due instant. */
  readonly latenessMs: number
  /** 1 for the first attempt at this occurrence. */
  readonly attempt: number
  /** True when this flow runs because the activity was missed. */
  readonly missed: boolean
}

/** How a step is treated. */
export type StepOptions = {
  /** How often and how patiently it is tried again; what is left out is as in {@link defaultRetry}. */
  readonly retry?: Partial<RetryPolicy>
  /**
   * What happens when the last try has failed: `fail` throws `step-failed` into the flow; `park` keeps the flow where it
   * is, with the error, until an operator retries it, which begins the tries anew, or kills it. Default `fail`.
   */
  readonly whenExhausted?: 'fail' | 'park'
  /** How long one try may take. Then it counts as failed, and its signal is aborted. Default: as long as it takes. */
  readonly timeout?: DurationLikeObject
}

/** Which state is waited for: the one with this key, or the first whose indexed fields have these values. */
export type WaitedState = { readonly key: string } | IndexedValues

const wantedOf = ({ key, indexed }: AnyStateDefinition, by: WaitedState): StateWanted => {
  // A field may have the name, too: it is meant where there is no key, or where it is one of several fields.
  const names = Object.keys(by)
  const isField = key === undefined && indexed?.['key'] !== undefined
  return names.length === 1 && typeof by.key === 'string' && !isField ? { key: by.key } : { where: by }
}

/** How a child is started. */
export type ChildOptions = {
  /** What the parent calls it: the same id is the same child. Default: the children are counted. */
  readonly id?: string
  /** What becomes of it when its parent ends: it is ended too, or goes on. Default `leave`. */
  readonly whenParentEnds?: WhenParentEnds
}

declare const returns: unique symbol

/** In JavaScript, or where types were ignored, anything may be given. */
const assertChild = (child: Partial<ChildFlow<unknown>> | Iterable<unknown> | undefined): void => {
  if (typeof child === 'object' && Symbol.iterator in child)
    throw new CarillonError(
      'operation-not-yielded',
      'io.join was given a start that was never asked for. Ask for it first: yield* io.join(yield* io.start(…)).',
    )
  if (typeof child?.id !== 'string')
    throw new CarillonError('flow-not-child', 'io.join takes what io.start gave, or { id } with the id of a child.')
}

/** A flow that this one has started. */
export type ChildFlow<R> = {
  readonly id: FlowId
  /** What it returns; known to the compiler alone. */
  readonly [returns]?: R
}

const refOf = (state: StateRef | StateAndRef<unknown>): StateRef => ('ref' in state ? state.ref : state)

/** What belongs to a part of a flow alone. */
export type PartContext = {
  /** The flow whose code is running, outermost first: sub-flows open sessions in their own name. */
  readonly stack: { readonly name: string; readonly version: number }[]
  /** How many parts it lies within. */
  readonly depth: number
  /** The sessions it has opened. */
  readonly sessions: SessionId[]
}

/** Parts of a flow, by name. */
export type NamedParts = Readonly<Record<string, FlowBody<unknown>>>

/** A part of a flow and its name, for parts that are made from a list. */
export type PartEntry<R> = readonly [name: string, part: FlowBody<R>]

/** What a part returns. */
export type PartResult<P> = P extends FlowBody<infer R> ? R : never

/** What all parts have returned, by name. */
export type PartResults<P extends NamedParts> = { readonly [K in keyof P]: PartResult<P[K]> }

/** The part that was first, and what it returned. */
export type RaceWinner<P extends NamedParts> = {
  readonly [K in keyof P & string]: { readonly winner: K; readonly value: PartResult<P[K]> }
}[keyof P & string]

/** What a flow acts with. Call each operation with `yield*`. */
export class FlowIo {
  /** The flow's own id. */
  readonly flowId: FlowId
  /** The version of its definition that the flow was started with: newer code can go the old way for it. */
  readonly version: number
  /** The party whose node runs the flow. */
  readonly me: Party
  /** @internal What signatures of other parties are checked against. */
  readonly network: SigningContext
  /** The activity that started the flow; undefined when a client did. */
  readonly startedBy: StartedBy | undefined
  /** The part whose code is running. */
  #part: PartContext
  #sessions = 0
  #openParts = 0
  #children = 0

  /** @internal */
  constructor(
    flow: { readonly name: string; readonly version: number },
    flowId: FlowId,
    me: Party,
    network: SigningContext,
    startedBy: StartedBy | undefined,
  ) {
    this.#part = { stack: [flow], depth: 0, sessions: [] }
    this.version = flow.version
    this.flowId = flowId
    this.me = me
    this.network = network
    this.startedBy = startedBy
  }

  /** Reads a state. Throws `state-unknown`, or `state-consumed` when it has been used up. */
  *load<A>(definition: StateDefinition<A>, ref: StateRef): FlowBody<StateAndRef<A>> {
    return (yield* ask({ kind: 'load', definition, ref })) as StateAndRef<A>
  }

  /** The unconsumed state of one kind that is known by a key; undefined when there is none. */
  *find<A>(definition: StateDefinition<A>, key: string): FlowBody<StateAndRef<A> | undefined> {
    return (yield* ask({ kind: 'find', definition, key })) as StateAndRef<A> | undefined
  }

  /**
   * The states of one kind that fulfil what is asked, at most `limit` of them. Without more: the unconsumed ones that
   * are relevant to this party, oldest first.
   */
  *query<A>(definition: StateDefinition<A>, query: StateQuery = {}): FlowBody<readonly StateAndRef<A>[]> {
    return (yield* ask({
      kind: 'query',
      definition,
      query: { ...query, limit: query.limit ?? flowLimits.statesPerQuery },
    })) as readonly StateAndRef<A>[]
  }

  /** As {@link query}, with the cursor of the next page: give it as `after`. */
  *queryPage<A>(definition: StateDefinition<A>, query: StateQuery = {}): FlowBody<Page<StateAndRef<A>, string>> {
    return (yield* ask({
      kind: 'queryPage',
      definition,
      query: { ...query, limit: query.limit ?? flowLimits.statesPerQuery },
    })) as Page<StateAndRef<A>, string>
  }

  /**
   * Reserves states for this flow, all of them or none: throws `state-locked` when another flow has one of them. Until the
   * flow ends, is killed, or gives them back, no other flow of this node can reserve or consume them. Flows that ask for
   * `{ locked: false }` choose others. What other parties have made final is recorded all the same.
   */
  *lock(...states: readonly (StateRef | StateAndRef<unknown>)[]): FlowBody<void> {
    yield* ask({ kind: 'lock', refs: states.map(refOf) })
  }

  /** Gives back states that this flow has reserved. */
  *unlock(...states: readonly (StateRef | StateAndRef<unknown>)[]): FlowBody<void> {
    yield* ask({ kind: 'unlock', refs: states.map(refOf) })
  }

  /**
   * Ends the flow that the activity of a state has started, where one is under way, and says whether there was one. What
   * it has put on the ledger stays. A flow cannot end itself in this way: it returns.
   */
  *killFlowOf(state: StateRef | StateAndRef<unknown>): FlowBody<boolean> {
    return (yield* ask({ kind: 'kill', ref: refOf(state) })) as boolean
  }

  /** The time, as recorded: the same when the flow is run again. */
  *now(): FlowBody<Instant> {
    return (yield* ask({ kind: 'now' })) as Instant
  }

  /** The instant so much later than now. */
  *after(span: DurationLikeObject): FlowBody<Instant> {
    return plus(yield* this.now(), span)
  }

  /** A new random id, the same when the flow is run again. */
  *newId(): FlowBody<string> {
    return (yield* ask({ kind: 'newId' })) as string
  }

  // oxlint-disable-next-line typescript/no-invalid-void-type -- TypeScript gives a function that returns nothing the type void
  step<A extends Json | undefined | void>(
    name: string,
    run: (context: StepContext) => A | Promise<A>,
    options?: StepOptions,
  ): FlowBody<A>
  step<A>(
    name: string,
    run: (context: StepContext) => A | Promise<A>,
    options: StepOptions & { readonly result: t.Type<A, unknown> },
  ): FlowBody<A>
  /**
   * A side effect. It runs at least once, after everything before it is durable, and its result is recorded.
   * Throws `step-failed` when the retry policy is used up. Results that are not plain JSON need a codec.
   */
  *step(
    name: string,
    run: (context: StepContext) => unknown,
    options: StepOptions & { readonly result?: t.Type<unknown, unknown> } = {},
  ): FlowBody<unknown> {
    if (typeof name !== 'string' || typeof run !== 'function')
      throw new CarillonError(
        'definition-invalid',
        'A step needs a name and a function: io.step("send the letter", () => send(letter)).',
      )
    const codec = options.result
    const retry = { ...defaultRetry, ...options.retry }
    assertRetryPolicy(name, retry)
    const timeoutMs =
      options.timeout === undefined
        ? undefined
        : Math.max(1, Math.trunc(Duration.fromObject(options.timeout).toMillis()))
    const encode = codec === undefined ? run : async (context: StepContext) => codec.encode(await run(context))
    const recorded = yield* ask({
      kind: 'step',
      name,
      run: encode,
      retry,
      timeoutMs,
      thenPark: options.whenExhausted === 'park',
    })
    if (codec === undefined) return recorded
    const decoded = decodeWith(codec, recorded)
    if (decoded._tag === 'Left')
      throw new CarillonError(
        'flow-result-invalid',
        `The recorded result of step "${name}" does not fit its codec: ${decoded.left.join('; ')}`,
        { step: name },
      )
    return decoded.right
  }

  /** Waits, for seconds or for years. */
  *sleep(duration: DurationLikeObject): FlowBody<void> {
    yield* ask({ kind: 'sleep', durationMs: Math.max(0, Math.trunc(Duration.fromObject(duration).toMillis())) })
  }

  /** Waits until an instant; one that has passed does not wait. */
  *sleepUntil(until: Instant): FlowBody<void> {
    yield* ask({ kind: 'sleepUntil', until: instant(until) })
  }

  waitFor<A>(definition: StateDefinition<A>, by: WaitedState, options?: Unbounded): FlowBody<StateAndRef<A>>
  waitFor<A>(definition: StateDefinition<A>, by: WaitedState, options: Within): FlowBody<Option<StateAndRef<A>>>
  /**
   * The unconsumed state of one kind with this key, or the first whose indexed fields have these values: at once where it
   * is there, otherwise when it is recorded. With `within` it is an option: none when none has come in time.
   */
  *waitFor(definition: AnyStateDefinition, by: WaitedState, options?: Timing): FlowBody<unknown> {
    const withinMs = withinMsOf(options)
    const wanted = wantedOf(definition, by)
    return answerWithin(options, yield* ask({ kind: 'waitFor', definition, wanted, withinMs }))
  }

  waitForConsumption(state: StateRef | StateAndRef<unknown>, options?: Unbounded): FlowBody<TransactionId>
  waitForConsumption(state: StateRef | StateAndRef<unknown>, options: Within): FlowBody<Option<TransactionId>>
  /**
   * Waits until a state is consumed, and gives the transaction that has done it. With `within` it is an option: none when
   * it was not consumed in time.
   */
  *waitForConsumption(state: StateRef | StateAndRef<unknown>, options?: Timing): FlowBody<unknown> {
    const withinMs = withinMsOf(options)
    return answerWithin(options, yield* ask({ kind: 'waitForConsumption', ref: refOf(state), withinMs }))
  }

  waitForTransaction(id: TransactionId, options?: Unbounded): FlowBody<TransactionId>
  waitForTransaction(id: TransactionId, options: Within): FlowBody<Option<TransactionId>>
  /**
   * Waits until this node has recorded a transaction, made here or received, and gives its id. With `within` it is an
   * option: none when it was not recorded in time.
   */
  *waitForTransaction(id: TransactionId, options?: Timing): FlowBody<unknown> {
    const withinMs = withinMsOf(options)
    return answerWithin(options, yield* ask({ kind: 'waitForTransaction', transaction: id, withinMs }))
  }

  signal<A>(definition: SignalDefinition<A>, options?: Unbounded): FlowBody<ReceivedSignal<A>>
  signal<A>(definition: SignalDefinition<A>, options: Within): FlowBody<Option<ReceivedSignal<A>>>
  /**
   * Takes the oldest signal of one kind that this flow was sent and has not taken yet, or waits for one. With `within` it
   * is an option: none when none has come in time.
   */
  *signal(definition: AnySignalDefinition, options?: Timing): FlowBody<unknown> {
    const withinMs = withinMsOf(options)
    const { name } = definition
    const taken = (yield* ask({ kind: 'signal', signal: name, withinMs })) as ReceivedSignal<unknown> | undefined
    if (taken === undefined) return none
    const decoded = decodeWith(definition.data, taken.data)
    if (decoded._tag === 'Left')
      throw new CarillonError(
        'signal-data-invalid',
        `The recorded data of signal ${name} does not fit its codec: ${decoded.left.join('; ')}`,
        { signal: name },
      )
    return answerWithin(options, { ...taken, data: decoded.right as unknown })
  }

  /** Sends a signal to another flow of this node, by its id or by the client id it was started with. */
  *sendSignal<A>(to: SignalTarget, definition: SignalDefinition<A>, data: NoInfer<A>): FlowBody<void> {
    yield* ask({ kind: 'sendSignal', to, signal: definition.name, data: encodedData(definition, data) })
  }

  /**
   * Builds, verifies, signs, notarises and records a transaction. What concerns other parties too is signed by
   * those of the given sessions, notarised, and recorded by all who take part.
   */
  *finalise(
    build: (transaction: TransactionBuilder) => TransactionBuilder,
    options: TogetherOptions = {},
  ): FlowBody<Finalised> {
    const given = new TransactionBuilder()
    const built: unknown = build(given)
    const draft = built instanceof TransactionBuilder ? built : given
    const isShared = (options.sessions?.length ?? 0) + (options.observers?.length ?? 0) > 0
    const decided = (yield* ask({ kind: 'finalise', draft, isShared })) as Finalised | Proposal
    return 'output' in decided ? decided : yield* finaliseTogether(this, decided, options)
  }

  transact(work: TransactWork<TransactionBuilder>, options?: TransactOptions): FlowBody<Finalised>
  transact(
    work: TransactWork<TransactionBuilder | undefined>,
    options?: TransactOptions,
  ): FlowBody<Finalised | undefined>
  transact<A>(work: TransactWork<A>, options?: TransactOptions): FlowBody<A>
  /**
   * Reads states, decides, and finalises what `work` has put into its transaction. When another writer was faster, `work`
   * is run again with fresh states, at once and then with back-off, as often as `retry` says; what `work` itself throws
   * ends it. Gives the recorded transaction where `work` returns its builder; otherwise what `work` returns, and then a
   * builder that nothing was put into is not finalised.
   */
  *transact(work: TransactWork<unknown>, options: TransactOptions = {}): FlowBody<unknown> {
    return yield* transact(this, work, options)
  }

  /** Receives a proposed transaction, checks it, and signs it unless `check` gives a reason to refuse. */
  *signProposal(session: Session, check: SignerCheck): FlowBody<void> {
    yield* signProposal(this, session, check)
  }

  /**
   * Receives a part of a transaction and signs the whole, unless `check` gives a reason to refuse; what an oracle does.
   * It is certain by then that the part belongs to the transaction, that at least one command asks for this party's
   * signature, and that all which do are shown and of the kinds named in `commands`.
   */
  *signTearOff(
    session: Session,
    commands: CommandKind | readonly CommandKind[],
    check: PartCheck,
  ): FlowBody<ShownTransaction> {
    return yield* signTearOff(this, session, commands, check)
  }

  /**
   * Receives a transaction that is final, with its history, and records it. It is the one that this flow has signed in the
   * session; a flow that has signed none there says that it takes any: `{ any: true }`.
   */
  *receiveFinality(session: Session, options: FinalityOptions = {}): FlowBody<Finalised> {
    return yield* receiveFinality(session, options)
  }

  /**
   * Runs another flow as a part of this one, within the same record. Where it refuses, this gives its refusal: return it to
   * refuse, too.
   */
  *subFlow<I, R, F = never>(definition: FlowDefinition<I, R, F>, input: NoInfer<I>): FlowBody<R | RefusalOf<F>> {
    const { stack } = this.#part
    if (stack.length > flowLimits.subFlowDepth)
      throw new CarillonError(
        'flow-too-long',
        `Sub-flow ${definition.name} would be nested ${stack.length} deep; at most ${flowLimits.subFlowDepth} are allowed.`,
        { flow: definition.name },
      )
    // What the codec would leave as it is need not go through it.
    const isPlain = plainForm(definition.input)?.check(input) === true
    if (!isPlain && !definition.input.is(input))
      throw new CarillonError(
        'flow-input-invalid',
        `The input for sub-flow ${definition.name} does not fit its codec ${definition.input.name}.`,
        { flow: definition.name },
      )
    yield* ask({
      kind: 'enter',
      flow: definition.name,
      input: (isPlain ? input : definition.input.encode(input)) as Json,
    })
    stack.push(definition)
    try {
      return (yield* assertBody(definition, definition.run(this, input))) as R | RefusalOf<F>
    } finally {
      stack.pop()
    }
  }

  /**
   * Starts another flow of this node and goes on at once. The child has a record of its own; wait for it with
   * {@link join}. Under the same `id` a flow has one child, however often it asks.
   */
  *start<I, R, F = never>(
    definition: FlowDefinition<I, R, F>,
    input: NoInfer<I>,
    options: ChildOptions = {},
  ): FlowBody<ChildFlow<R>> {
    const { id, whenParentEnds = 'leave' } = options
    if (!['cancel', 'leave'].includes(whenParentEnds) || (id !== undefined && (typeof id !== 'string' || id === '')))
      throw new CarillonError(
        'definition-invalid',
        "A child has an id of text, and whenParentEnds is 'cancel' or 'leave'.",
      )
    // Names that are given and numbers that are counted must not meet.
    const name = id === undefined ? `#${this.#children}` : `=${id}`
    if (id === undefined) this.#children += 1
    const child = flowIdOfChild(this.flowId, name)
    const encoded = encodedInput(definition, input)
    yield* ask({ kind: 'start', child, flow: definition.name, input: encoded, whenParentEnds })
    return { id: child }
  }

  join<R>(child: ChildFlow<R>, options?: Unbounded): FlowBody<R>
  join<R>(child: ChildFlow<R>, options: Within): FlowBody<Option<R>>
  /**
   * Waits for a child and gives what it returned, or throws the error it ended with; for one that has refused, a
   * {@link FlowRefused} with its refusal. With `within` it is an option: none
   * when it has not ended in time; it goes on then.
   */
  *join(child: ChildFlow<unknown>, options?: Timing): FlowBody<unknown> {
    assertChild(child)
    const withinMs = withinMsOf(options)
    const answer = (yield* ask({ kind: 'join', child: child.id, withinMs })) as ChildResult | undefined
    if (answer?.refusal !== undefined) throw new FlowRefused(child.id, answer.refusal)
    if (withinMs === undefined) return answer?.result
    return answer === undefined ? none : some(answer.result)
  }

  /**
   * Ends this flow, and starts another in its place with a record of its own: `return yield* io.continueAs(Poll, next)`.
   * Whoever waits for this flow gets the result of that one; the client id, the children, and the signals that were not
   * taken go over to it. Locks and sessions end here, and nothing after it is run, no `finally` either.
   */
  *continueAs<I, F = never>(definition: FlowDefinition<I, unknown, F>, input: NoInfer<I>): FlowBody<never> {
    yield* ask({ kind: 'continueAs', flow: definition.name, input: encodedInput(definition, input) })
    throw new CarillonError('flow-diverged', 'A flow that has continued as another was run on.')
  }

  /**
   * Opens a session with another party. Its node starts the flow that responds to this one; messages wait for it
   * as long as it is not there.
   */
  *initiate(party: Party): FlowBody<Session> {
    const { stack, sessions } = this.#part
    const { name, version } = stack.at(-1) ?? { name: '', version: 1 }
    const nonce = sessionNonce(this.flowId, this.#sessions)
    const session = sessionIdOf(this.me.key, nonce)
    this.#sessions += 1
    sessions.push(session)
    yield* ask({ kind: 'initiate', session, nonce, party, flow: name, version })
    return new Session(session, party, 'initiator')
  }

  /** Says where the flow is, for whoever watches it. */
  *progress(label: string): FlowBody<void> {
    if (typeof label !== 'string') throw new CarillonError('definition-invalid', 'Progress is told as a text.')
    yield* ask({ kind: 'progress', label })
  }

  all<P extends NamedParts>(parts: P): FlowBody<PartResults<P>>
  all<R>(parts: readonly PartEntry<R>[]): FlowBody<readonly R[]>
  /**
   * Runs parts side by side and goes on when all have returned, with their results: by name, or, for a list of names and
   * parts, as a list in its order. When one throws, the others are cancelled, and `all` throws that error as soon as they
   * have come to their end.
   */
  *all(parts: NamedParts | readonly PartEntry<unknown>[]): FlowBody<unknown> {
    const entries = partEntries('all', parts, this.#part.depth, this.#openParts)
    const results = (yield* ask({ kind: 'all', parts: entries })) as readonly unknown[]
    return Array.isArray(parts) ? results : Object.fromEntries(entries.map(([name], index) => [name, results[index]]))
  }

  race<P extends NamedParts>(parts: P): FlowBody<RaceWinner<P>>
  race<R>(parts: readonly PartEntry<R>[]): FlowBody<{ readonly winner: string; readonly value: R }>
  /**
   * Runs parts side by side until the first of them returns, and gives its name and what it returned. The others are
   * cancelled: `flow-cancelled` is thrown into each where it waits, the signal of its step is aborted, its sessions are
   * closed. The race goes on as soon as they have come to their end. When a part throws, the race throws that error.
   */
  *race(parts: NamedParts | readonly PartEntry<unknown>[]): FlowBody<unknown> {
    const entries = partEntries('race', parts, this.#part.depth, this.#openParts)
    const [index, value] = (yield* ask({ kind: 'race', parts: entries })) as readonly [number, unknown]
    return { winner: entries[index]?.[0], value }
  }

  /** @internal What belongs to the part whose code is running. */
  static contextOf(io: FlowIo): PartContext {
    return io.#part
  }

  /** @internal The code of this part runs next. */
  static enter(io: FlowIo, context: PartContext): void {
    io.#part = context
  }

  /** @internal For a part that begins within another. */
  static contextWithin(io: FlowIo, { stack, depth }: PartContext): PartContext {
    io.#openParts += 1
    return { stack: [...stack], depth: depth + 1, sessions: [] }
  }

  /** @internal A part has come to its end. */
  static leave(io: FlowIo): void {
    io.#openParts -= 1
  }

  /**
   * Runs a part of the flow and gives its failure as a value instead of throwing it. That it was cancelled is thrown all
   * the same.
   */
  *attempt<R>(part: FlowBody<R>): FlowBody<Either<CarillonError, R>> {
    try {
      return right(yield* part)
    } catch (error) {
      if (error instanceof CarillonError && !(error instanceof Cancellation)) return left(error)
      throw error
    }
  }
}
