/**
 * A running node, as apps and tools see it: start flows, ask the views, act as an operator. Every method that
 * changes something resolves once the change is durable.
 */
import type { App } from '../app/App.js'
import type { NewToken } from '../operator/operateTokens.js'
import { decideOperatorRequest } from '../operator/decideOperatorRequest.js'
import { operateFlows, type FlowsMatching, type OperatedFlows } from './operateFlows.js'
import {
  done,
  OperatorRequestC,
  type Done,
  type FlowAction,
  type OperatorRequest,
} from '../operator/OperatorRequest.js'
import { listTokens } from '../storage/queries/readTokens.js'
import type { Token, TokenId } from '../operator/Token.js'
import type { ActiveTick } from '../engine/ActiveTick.js'
import type { Logger } from '../engine/Logger.js'
import type { AnyProjection, ValueProjection } from '../app/Projection.js'
import type { ProjectionReader } from '../projection/ProjectionReader.js'
import type { ProjectionStatus } from '../projection/ProjectionRunner.js'
import type { Projections } from '../projection/Projections.js'
import type { EventFeed } from '../subscription/EventFeed.js'
import { deliver, subscribe } from '../subscription/subscribe.js'
import { subscriber, type Subscribe } from '../subscription/subscriber.js'
import { CarillonError, concernsNode, messageOf } from '../errors/CarillonError.js'
import { orThrow } from '../errors/Decision.js'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { readRefusal, Refusal, type RefusalOf } from '../flow/Refusal.js'
import { outcomeOfEnd, resultOfOutcome, type RunOutcome } from '../flow/FlowEnd.js'
import type { StepRequest } from '../flow/StepRunner.js'
import { findFlow, listFlows, resolveFlowId } from '../storage/queries/readFlows.js'
import type { FlowDetails, FlowQuery, FlowSummary } from '../flow/FlowSummary.js'
import type { FlowDefinition } from '../app/FlowDefinition.js'
import { encodedData, encodedInput } from '../app/encodedFor.js'
import type { FlowEngine } from '../engine/FlowEngine.js'
import type { FlowId } from '../log/FlowId.js'
import { decideStart } from '../operator/operateFlow.js'
import type { SignalTarget } from '../flow/decideSignal.js'
import type { SignalDefinition } from '../app/SignalDefinition.js'
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { MapsAtHand } from '../network/followMap.js'
import type { Party } from '../identity/Party.js'
import { decodeState } from '../ledger/decodeState.js'
import type { StateAndRef } from '../ledger/StateAndRef.js'
import type { AnyStateDefinition, StateDefinition } from '../ledger/StateDefinition.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import type { EncodedTick, Head } from '../log/Tick.js'
import { readAgenda } from '../storage/queries/readAgenda.js'
import { attemptsOf } from '../storage/queries/readOccurrences.js'
import type { AgendaEntry, AgendaQuery, Attempt } from '../agenda/AgendaEntry.js'
import { reassessStates } from '../engine/reassessStates.js'
import type { Why } from '../agenda/why.js'
import { explainState } from '../storage/queries/explainState.js'
import { assertFields } from '../vault/query/assertFields.js'
import type { Aggregate, VaultAggregate } from '../vault/query/VaultAggregate.js'
import type { Page, VaultQuery } from '../vault/query/VaultQuery.js'
import { aggregateVault, findState, findStateRow, queryVault } from '../storage/queries/readVault.js'
import type { VaultEntry } from '../vault/VaultEntry.js'
import { digestViews } from '../storage/digest.js'
import type { Database } from '../storage/Database.js'
import type { Locate } from '../storage/tables/HashIndex.js'
import type { Clock } from '../time/Clock.js'
import { assertAsked, type AskedOfNode } from './assertAsked.js'
import type { AsyncStepRunner, HangingStep } from '../engine/AsyncStepRunner.js'
import { copyOf, refusedStart } from './askedStart.js'
import type { FlowHandle } from './FlowHandle.js'
import { FlowOutcomes } from './FlowOutcomes.js'
import { flowProgress } from './flowProgress.js'
import type { Committed } from '../engine/Committed.js'
import type { Loop } from '../engine/Loop.js'
import { atOneMoment } from '../storage/atOneMoment.js'
import { readKeptCheckpoints } from '../storage/tables/HeadTable.js'
import type { KeptCheckpoint } from '../log/NodeTables.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { StepWatch } from '../engine/StepWatch.js'
import type { TickStore } from '../storage/TickStore.js'
import { trackVault, type Tracking, type VaultUpdate } from './trackVault.js'

/** Who asks; recorded with the action. */
export type By = { readonly by?: string }
/** How a flow is started. */
export type StartOptions = By & {
  /** With it the same request can be sent again: it finds the flow it started before. Default: each request starts a flow. */
  readonly clientId?: string
  /** The id of the token for which it is started: client ids are the caller's own. Default: the local owner. */
  readonly caller?: string
}
/** Who asks, and a remark of theirs. */
export type ByWithNote = By & { readonly note?: string }

export type NodeInternals = {
  readonly feed: EventFeed
  readonly projections: Projections
  readonly logger: Logger
  readonly party: Party
  readonly key: KeyPair
  readonly loop: Loop
  readonly engine: FlowEngine
  readonly steps: AsyncStepRunner
  readonly store: TickStore
  /** The file of the committed views, where a thread may read them beside the loop. */
  readonly viewsFile: string | undefined
  /** The map in use; a newer one may replace it between two ticks. */
  readonly network: () => NetworkMap
  /** The map of its folder, and one that waits for an operator's decision. */
  readonly maps: () => MapsAtHand
  readonly app: App
  /** How long the last commit took, in milliseconds. */
  readonly lastCommitMs: () => number
  /** Messages that were refused because a budget was spent, by this node and by others. */
  readonly refusals: () => { readonly byMe: number; readonly byOthers: number }
  readonly clock: Clock
  readonly development: boolean
  /** Ends what goes on beside the loop: steps and the post. */
  readonly stopOutside: () => void
  /** Gives back what the node holds beyond its store, such as the lock on its folder. */
  readonly releaseHold: () => Promise<void>
}

const defaultOperator = 'api'

const byOf = (by: string | undefined): By => (by === undefined ? {} : { by })

/** What an operator's request names, to be looked at before it reaches the loop. */
const namedIn = (request: OperatorRequest): AskedOfNode => {
  if (request.on === 'flow') return { flow: request.flow }
  if (request.on !== 'activity') return {}
  return { ref: request.ref, ...(request.note === undefined ? {} : { note: request.note }) }
}

/** A running node. Make one with {@link startNode}. */
export class Node {
  readonly party: Party
  /**
   * Public events from a revision on, or from the start, or from now on: each once and in order, at the pace of whoever takes
   * them. Without `on` they are an async iterator; with it they are called back with, one after the other.
   */
  readonly subscribe: Subscribe
  readonly #internals: NodeInternals
  // Reads happen between two ticks, when the indexes in memory hold what is committed; of a tick on its way to the disk
  // they may name what the reader does not find yet.
  readonly #transactions: Locate
  readonly #flows: Locate
  readonly #outcomes: FlowOutcomes
  readonly #beside: { readonly close: () => Promise<void> }[] = []
  #stopped: CarillonError | undefined
  #stopping: Promise<void> | undefined

  /** @internal */
  constructor(internals: NodeInternals) {
    this.#internals = internals
    this.#transactions = internals.store.views.transactions.locate
    this.#flows = internals.store.views.flows.locate
    this.party = internals.party
    this.subscribe = subscriber({
      events: (options) => subscribe(internals.feed, options),
      deliver: (options, take) => deliver(internals.feed, options, take),
      onFailure: (error) => internals.logger.error(error.message, { code: error.code }),
    })
    this.#outcomes = new FlowOutcomes(internals, { read: (read) => this.#read(read), flows: this.#flows })
    internals.loop.follow((committed) => this.#outcomes.committed(committed))
    internals.loop.whenStopped((reason) => {
      this.#stopped = reason
      this.#outcomes.stop(reason)
    })
  }

  /** Starts a flow. With a client id the same caller can send the same request again, and finds the flow it started before. */
  async start<I, R, F = never>(
    flow: FlowDefinition<I, R, F>,
    input: NoInfer<I>,
    options: StartOptions = {},
  ): Promise<FlowHandle<R, F>> {
    const handle = await this.startByName(flow.name, encodedInput(flow, input), options)
    const outcome = async (): Promise<RunOutcome<unknown, F>> => {
      const given = await handle.outcome()
      return given.kind === 'returned' ? given : { ...given, refusal: readRefusal(flow.refusals, given.refusal) }
    }
    return { ...handle, outcome } as FlowHandle<R, F>
  }

  /** Starts a flow and waits for what it returns. When it refuses, this rejects with a {@link FlowRefused}. */
  async run<I, R, F = never>(flow: FlowDefinition<I, R, F>, input: NoInfer<I>, options: StartOptions = {}): Promise<R> {
    return (await this.start(flow, input, options)).result()
  }

  /**
   * As {@link run}, as a value: the flow is started when the task is called, and the task never rejects. Whatever goes
   * wrong is a typed error in the left; so is a refusal, as a {@link Refusal} and no error.
   */
  tryRun<I, R, F = never>(
    flow: FlowDefinition<I, R, F>,
    input: NoInfer<I>,
    options: StartOptions = {},
  ): TaskEither<CarillonError | RefusalOf<F>, R> {
    return async () => {
      try {
        const given = await (await this.start(flow, input, options)).outcome()
        return given.kind === 'returned' ? right(given.result) : left(new Refusal(given.refusal) as RefusalOf<F>)
      } catch (error) {
        if (error instanceof CarillonError) return left(error)
        // Nothing else can throw something of its own here than the codec of the input.
        const why = `The input for flow ${flow.name} cannot be encoded: ${messageOf(error)}`
        return left(new CarillonError('flow-input-invalid', why, { flow: flow.name }, error))
      }
    }
  }

  /** As {@link start}, for whoever has only the flow's name and its input as JSON. */
  async startByName(name: string, input: Json, options: StartOptions = {}): Promise<FlowHandle<unknown, Json>> {
    const { engine } = this.#internals
    // A stack for every start is too much where many flows are started.
    const asker = this.#internals.development ? new Error('asked here') : undefined
    const { by = defaultOperator, clientId, caller } = options
    const asked = {
      name,
      by,
      ...(clientId === undefined ? {} : { clientId }),
      ...(caller === undefined ? {} : { caller }),
    }
    const request = { ...asked, input: copyOf(input) }
    try {
      const { id, ...end } = await this.#submit(asked, (tick) => {
        const decided = orThrow(decideStart(tick, request))
        // Many flows end in the tick they start in: then their end is known once that tick is durable.
        const { id, status, result, error } = decided.kind === 'known' ? decided.row : engine.start(tick, decided.start)
        return { id, status, result, error }
      })
      const outcome = async (): Promise<RunOutcome<unknown, Json>> => outcomeOfEnd(id, end) ?? this.outcomeOf(id)
      const result = async (): Promise<unknown> => resultOfOutcome(id, await outcome())
      return { id, result, outcome, progress: () => this.progressOf(id) }
    } catch (error) {
      throw refusedStart(error, asker)
    }
  }

  /**
   * What a flow returned, waiting for its end if need be; rejects with the error it ended with, and with a
   * {@link FlowRefused} when it has refused. Whoever no longer waits says so by the signal, and is answered with
   * `wait-aborted`; the flow goes on.
   */
  async resultOf(id: FlowId, options: { readonly signal?: AbortSignal } = {}): Promise<unknown> {
    return resultOfOutcome(id, await this.outcomeOf(id, options))
  }

  /** As {@link resultOf}, with a refusal as a value: the JSON that was recorded. */
  async outcomeOf(id: FlowId, { signal }: { readonly signal?: AbortSignal } = {}): Promise<RunOutcome<unknown, Json>> {
    assertAsked({ flow: id })
    return this.#outcomes.outcomeOf(id, signal)
  }

  /** How many callers wait for the end of a flow. */
  get waitingCallers(): number {
    return this.#outcomes.waitingCallers
  }

  /** Where a flow is, now and whenever that changes, until it has ended. Who is slow to ask is given the newest only. */
  progressOf(id: FlowId): AsyncGenerator<FlowDetails> {
    return flowProgress(
      {
        flow: (flow) => this.flow(flow),
        watchFlow: (flow, callback) => this.watchFlow(flow, callback),
        whenStopped: (callback) => this.#internals.loop.whenStopped(callback),
      },
      id,
    )
  }

  // --- the vault

  /** The states of one kind, decoded, oldest first: one page of them; the unconsumed ones unless `status` says otherwise. */
  async states<A>(
    definition: StateDefinition<A>,
    options: Pick<VaultQuery, 'limit' | 'after' | 'status' | 'includeIrrelevant'> = {},
  ): Promise<readonly StateAndRef<A>[]> {
    const page = await this.queryVault({ ...options, type: definition.type })
    return page.items.map((entry) => this.#decode(definition, entry))
  }

  /** One state, decoded, consumed or not. */
  async state<A>(definition: StateDefinition<A>, ref: StateRef): Promise<StateAndRef<A> | undefined> {
    assertAsked({ ref })
    const entry = await this.#read((db) => findState(db, ref, this.#transactions))
    return entry?.type === definition.type ? this.#decode(definition, entry) : undefined
  }

  /** The unconsumed state of one kind that is known by a key, decoded. */
  async find<A>(definition: StateDefinition<A>, key: string): Promise<StateAndRef<A> | undefined> {
    const [entry] = (await this.queryVault({ type: definition.type, key, limit: 1 })).items
    return entry === undefined ? undefined : this.#decode(definition, entry)
  }

  /** States of one kind, decoded: those that fulfil what is asked, in the order asked for, one page of them. */
  async query<A>(
    definition: StateDefinition<A>,
    query: Omit<VaultQuery, 'type'> = {},
  ): Promise<Page<StateAndRef<A>, string>> {
    assertFields(definition, query)
    const { items, next } = await this.queryVault({ ...query, type: definition.type })
    return { items: items.map((entry) => this.#decode(definition, entry)), next }
  }

  /** A page of the vault, as recorded. */
  queryVault(query: VaultQuery = {}): Promise<Page<VaultEntry, string>> {
    return this.#read((db) => queryVault(db, query))
  }

  /** Counts and sums over states, for each value of a field where `by` names one. */
  aggregate(aggregate: VaultAggregate = {}): Promise<readonly Aggregate[]> {
    return this.#read((db) => aggregateVault(db, aggregate))
  }

  /** A snapshot of what a query means, and a call for every later change to it, with nothing missed in between. */
  track(query: VaultQuery, onUpdate: (update: VaultUpdate) => void): Promise<Tracking> {
    const { loop, store } = this.#internals
    return trackVault(
      {
        reader: store.reader,
        locate: this.#transactions,
        follow: (follower) => loop.follow(follower),
        read: (read) => this.#read(read),
      },
      query,
      onUpdate,
    )
  }

  // --- activities

  /** What is to come, in order; or what needs attention. */
  agenda(query: AgendaQuery = {}): Promise<Page<AgendaEntry, string>> {
    return this.#read((db) => readAgenda(db, query, this.nowMs))
  }

  /** Every attempt at a state's activity, with its outcome. */
  async occurrences(ref: StateRef): Promise<readonly Attempt[]> {
    assertAsked({ ref })
    return this.#read((db) => {
      const row = findStateRow(db, ref, this.#transactions)
      return row === undefined ? [] : attemptsOf(db, row.seq)
    })
  }

  /** Why a state's activity has run, has not run, or will run. */
  async why(ref: StateRef): Promise<Why> {
    assertAsked({ ref })
    const why = await this.#read((db) => explainState(db, ref, this.#transactions))
    if (why === undefined)
      throw new CarillonError('state-unknown', `This node holds no state ${showRef(ref)}.`, { ref: showRef(ref) })
    return why
  }

  /** Runs an activity now. */
  trigger(ref: StateRef, by?: By): Promise<void> {
    return this.#operate({ on: 'activity', action: 'trigger', ref }, by)
  }

  /** Tries an activity again that needs an operator. */
  retry(ref: StateRef, by?: By): Promise<void> {
    return this.#operate({ on: 'activity', action: 'retry', ref }, by)
  }

  /** Closes an activity: it will not be started again. */
  dismiss(ref: StateRef, { by, ...note }: ByWithNote = {}): Promise<void> {
    return this.#operate({ on: 'activity', action: 'dismiss', ref, ...note }, byOf(by))
  }

  /** Holds an activity back until it is resumed. */
  pause(ref: StateRef, { by, ...note }: ByWithNote = {}): Promise<void> {
    return this.#operate({ on: 'activity', action: 'pause', ref, ...note }, byOf(by))
  }

  /** Puts a paused activity back on the agenda. */
  resume(ref: StateRef, by?: By): Promise<void> {
    return this.#operate({ on: 'activity', action: 'resume', ref }, by)
  }

  /** Asks the app again about all unconsumed states of a kind, after its rules have changed. */
  async reassess(
    definition: Pick<AnyStateDefinition, 'type'>,
  ): Promise<{ readonly asked: number; readonly changed: number }> {
    let asked = 0
    let changed = 0
    let after: number | undefined = 0
    while (after !== undefined) {
      const from: number = after
      const part = await this.#submit({ name: definition.type }, (tick) =>
        reassessStates(tick, this.#internals.engine.code, definition.type, from),
      )
      asked += part.asked
      changed += part.changed
      after = part.next
    }
    return { asked, changed }
  }

  // --- flows

  /** A page of flows, newest first. */
  flows(query: FlowQuery = {}): Promise<Page<FlowSummary>> {
    return this.#read((db) => listFlows(db, query))
  }

  /** One flow with its record. */
  async flow(id: FlowId): Promise<FlowDetails | undefined> {
    assertAsked({ flow: id })
    return this.#read((db) => findFlow(db, id, this.#flows))
  }

  /** The whole id of a flow, from its first digits, or from its caller and its client id, as in `local:order-17`. */
  flowId(text: string): Promise<FlowId> {
    return this.#read((db) => resolveFlowId(db, text))
  }

  /** Calls back whenever the flow has come further, until it ends or the returned function is called. */
  watchFlow(id: FlowId, callback: (flow: FlowDetails) => void): () => void {
    const unfollow = this.#internals.loop.follow((committed) => {
      if (!committed.concernsFlow(id)) return
      // Followers are called between two ticks, when the views may be read.
      const flow = findFlow(this.#internals.store.reader, id, this.#flows)
      if (flow === undefined) return
      if (flow.endedAt !== undefined) unfollow()
      callback(flow)
    })
    return unfollow
  }

  /** Ends a flow at once. What it has recorded on the ledger stays. */
  killFlow(flow: FlowId, by?: By): Promise<void> {
    return this.#operate({ on: 'flow', action: 'kill', flow }, by)
  }

  /**
   * Cancels a flow: `flow-cancelled` is thrown into it where it waits, and into its parts, so that it can undo what it has
   * done. It is killed when it has not come to its end `withinMs` later (default: an hour), or when it is cancelled again.
   */
  async cancelFlow(flow: FlowId, { withinMs, by }: By & { readonly withinMs?: number } = {}): Promise<void> {
    const request = { on: 'flow', action: 'cancel', flow } as const
    await this.operate(withinMs === undefined ? request : { ...request, withinMs }, byOf(by))
  }

  /**
   * Does to all flows that match a query what an operator may do to one. Without a status in the query these are the flows that
   * the action is for: those that are parked to retry them, paused to resume them, and so on. Each is asked for by itself, so
   * flows that refuse it stop nothing; a flow that is being cancelled is not cancelled again.
   */
  operateFlows(
    action: FlowAction,
    matching: FlowsMatching = {},
    { withinMs, by }: By & { readonly withinMs?: number } = {},
  ): Promise<OperatedFlows> {
    return operateFlows(
      action,
      matching,
      (query) => this.flows(query),
      (request) => this.operate(request, byOf(by)),
      withinMs,
    )
  }

  /** Lets a parked flow go on from its record. */
  retryFlow(flow: FlowId, by?: By): Promise<void> {
    return this.#operate({ on: 'flow', action: 'retry', flow }, by)
  }

  /**
   * Sends a signal to a flow, by its id or by the client id it was started with. It is recorded when this resolves, and kept
   * until the flow takes it. With an id the same signal can be sent again, and counts once.
   */
  async signal<A>(
    to: SignalTarget,
    definition: SignalDefinition<A>,
    data: NoInfer<A>,
    { by, id }: By & { readonly id?: string } = {},
  ): Promise<void> {
    const encoded = encodedData(definition, data)
    const request = { on: 'signal', to, signal: definition.name, data: encoded } as const
    await this.operate(id === undefined ? request : { ...request, id }, byOf(by))
  }

  /** Holds a running flow where it is. */
  pauseFlow(flow: FlowId, by?: By): Promise<void> {
    return this.#operate({ on: 'flow', action: 'pause', flow }, by)
  }

  /** Lets a paused flow go on. */
  resumeFlow(flow: FlowId, by?: By): Promise<void> {
    return this.#operate({ on: 'flow', action: 'resume', flow }, by)
  }

  /** Takes a flow that was superseded after it had begun a step off the list of what needs attention. */
  dismissFlow(flow: FlowId, by?: By): Promise<void> {
    return this.#operate({ on: 'flow', action: 'dismiss', flow }, by)
  }

  // --- the node

  /** What the node runs. */
  get app(): App {
    return this.#internals.app
  }

  /** Whom the node knows at this moment: a node in a network folder takes up newer maps while it runs. */
  get network(): NetworkMap {
    return this.#internals.network()
  }

  /** @internal The network map the node goes by, and one in its folder that contradicts it and waits for an operator's decision. */
  get maps(): MapsAtHand {
    return this.#internals.maps()
  }

  /** What time it is for the node, in epoch milliseconds. */
  get nowMs(): number {
    return this.#internals.clock.now()
  }

  /** Messages refused since the start because a budget was spent: those of others by this node, and its own by others. */
  get refusedMessages(): { readonly byMe: number; readonly byOthers: number } {
    return this.#internals.refusals()
  }

  /** @internal How long the last commit took, in milliseconds. A follower that is just being called may ask for its own tick's. */
  get lastCommitMs(): number {
    return this.#internals.lastCommitMs()
  }

  /** Why the node has stopped, if it has. */
  get stopped(): CarillonError | undefined {
    return this.#stopped
  }

  get isDraining(): boolean {
    return this.#internals.store.views.facts.now.draining
  }

  /** Starts nothing new from now on; what is under way goes on. Lasts over restarts, until {@link endDraining}. */
  drain(by?: By): Promise<void> {
    return this.#operate({ on: 'draining', action: 'start' }, by)
  }

  /** Starts what has become due meanwhile, in order, and goes on as before. */
  endDraining(by?: By): Promise<void> {
    return this.#operate({ on: 'draining', action: 'end' }, by)
  }

  /** Does what an operator asks. Every method that acts as one is a name for such a request. */
  async operate(request: OperatorRequest, { by = defaultOperator }: By = {}): Promise<Done> {
    const decoded = decodeWith(OperatorRequestC, request)
    if (isLeft(decoded))
      throw new CarillonError('request-invalid', `The node cannot do what was asked: ${decoded.left.join('; ')}.`)
    await this.#operate(decoded.right, { by })
    return done
  }

  // --- tokens

  /** Lets whoever holds the secret with this hash use the HTTP API, as far as the permissions go. */
  issueToken(token: NewToken, by?: By): Promise<void> {
    return this.#operate({ on: 'token', action: 'issue', token }, by)
  }

  /** From now on the token is refused. */
  revokeToken(token: TokenId, by?: By): Promise<void> {
    return this.#operate({ on: 'token', action: 'revoke', token }, by)
  }

  /** All tokens ever issued. */
  tokens(): Promise<readonly Token[]> {
    return this.#read(listTokens)
  }

  /** @internal Asks the committed views whatever no other method asks. All questions of one call see the same moment. */
  readViews<A>(read: (db: Database) => A): Promise<A> {
    return this.#read(read)
  }

  /**
   * @internal
   * Opens what reads the file of the committed views beside the loop, such as a thread; it is closed before the store is.
   * Undefined where the loop itself is to answer: in virtual time, with views in memory, and once the node stops.
   */
  openBeside<R extends { readonly close: () => Promise<void> }>(open: (viewsFile: string) => R): R | undefined {
    const { viewsFile } = this.#internals
    if (viewsFile === undefined || this.#stopping !== undefined || this.#stopped !== undefined) return undefined
    const opened = open(viewsFile)
    this.#beside.push(opened)
    return opened
  }

  // --- events and projections

  /** A projection of the app, to read its result. */
  projection<R>(projection: ValueProjection<R>): ProjectionReader<R>
  projection(projection: AnyProjection): ProjectionReader<unknown>
  projection({ name }: AnyProjection): ProjectionReader<unknown> {
    return this.#internals.projections.reader(name)
  }

  /** How each projection of the app stands. */
  get projections(): readonly ProjectionStatus[] {
    return this.#internals.projections.statuses
  }

  /** @internal Calls back with the events of every tick, after they are durable. */
  follow(follower: (committed: Committed) => void): () => void {
    return this.#internals.loop.follow(follower)
  }

  /** @internal Lets someone look on at every step that begins from now on, such as a tracer. */
  watchSteps(watch: StepWatch): () => void {
    return this.#internals.steps.watch(watch)
  }

  /** @internal Whether an input waits to be taken, or what was decided is on its way to the disk. */
  get isBusy(): boolean {
    return this.#internals.loop.isBusy
  }

  /** @internal The steps under way, in the order in which they have begun. */
  get stepsUnderWay(): readonly StepRequest[] {
    return this.#internals.steps.underWay
  }

  /** Steps that have been under way for so long that someone should look at them, oldest first. */
  get hangingSteps(): readonly HangingStep[] {
    return this.#internals.steps.hanging
  }

  /** Why the log cannot be written, or not be checked, at the moment; undefined when all is well. The node goes on by itself. */
  get trouble(): CarillonError | undefined {
    return this.#internals.loop.trouble
  }

  /** Where the log ends. */
  get head(): Head {
    return this.#internals.store.head()
  }

  /** The log, tick by tick, from the one that holds a revision. */
  async *readLog(fromRevision = 0): AsyncGenerator<EncodedTick, void, undefined> {
    try {
      yield* this.#internals.store.read(fromRevision)
    } catch (error) {
      throw this.#reasonOf(error)
    }
  }

  /** The checkpoints that the node keeps: the newest of each party it talks with. */
  keptCheckpoints(): Promise<readonly KeptCheckpoint[]> {
    return this.#read(readKeptCheckpoints)
  }

  /** @internal A digest of everything the views hold. */
  viewsDigest(): Promise<string> {
    return this.#read(digestViews)
  }

  /**
   * Resolves when nothing is left to do before the clock moves on: no input, no step under way, nothing due. With `steps:
   * false` steps may still be under way.
   */
  async idle({ steps: waitsForSteps = true }: { readonly steps?: boolean } = {}): Promise<void> {
    const { loop, steps } = this.#internals
    if (!waitsForSteps) {
      await loop.idle()
      return
    }
    do {
      await steps.idle()
      await loop.idle()
    } while (!steps.isIdle || loop.isBusy)
  }

  /** Stops in good order. Whoever asks again waits for the same stop. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    const { loop } = this.#internals
    this.#internals.stopOutside()
    await loop.stop(new CarillonError('node-stopped', 'The node has stopped.'), () => [{ type: 'NodeStopped' }])
    await this.#internals.projections.stop()
    await Promise.all(this.#beside.map((reader) => reader.close()))
    await this.#internals.releaseHold()
  }

  /** Stops at once, without a word in the log: what a crash looks like to the next start. For tests. */
  async crash(): Promise<void> {
    this.#internals.stopOutside()
    this.#internals.loop.halt(new CarillonError('node-stopped', 'The node has crashed.'))
    this.#internals.projections.abandon()
    await this.#internals.loop.abandonTick()
    await Promise.all(this.#beside.map((reader) => reader.close()))
    await this.#internals.releaseHold()
  }

  async #operate(request: OperatorRequest, { by = defaultOperator }: By = {}): Promise<void> {
    const { engine } = this.#internals
    await this.#submit({ ...namedIn(request), by }, (tick) => {
      const events = orThrow(decideOperatorRequest(tick, request, by))
      if (request.on === 'flow') engine.change(tick, request.flow, events)
      else for (const event of events) tick.emit(event)
    })
  }

  /** Hands a request to the loop, if the loop can make sense of it. */
  async #submit<A>(asked: AskedOfNode, decide: (tick: ActiveTick) => A): Promise<A> {
    assertAsked(asked)
    return this.#internals.loop.submit(decide)
  }

  /**
   * Reads committed views: between two ticks, where reader and writer are the same connection. A tick that waits for a
   * log that is away may be open for hours, and what is known can be asked meanwhile.
   */
  async #read<A>(read: (db: Database) => A): Promise<A> {
    const { loop, store } = this.#internals
    while (loop.isTicking && !(store.readsApart === true && store.trouble?.() !== undefined)) await loop.tickOver()
    try {
      return atOneMoment(store.reader, read)
    } catch (error) {
      throw this.#reasonOf(error)
    }
  }

  /** A store that is closed knows nothing of the node whose stop has closed it. */
  #reasonOf(error: unknown): unknown {
    return this.#stopped !== undefined && concernsNode(error) ? this.#stopped : error
  }

  #decode<A>(definition: StateDefinition<A>, entry: VaultEntry): StateAndRef<A> {
    const decoded = decodeState(definition, entry.version, JSON.stringify(entry.data))
    if (decoded._tag === 'Left') throw decoded.left
    return { ref: entry.ref, type: entry.type, data: decoded.right }
  }
}
