/**
 * Runs a log again, tick by tick: folds it into fresh views, and on the way asks today's code what it said then. The
 * views always follow the log; whatever the code says differently is a problem, and the replay goes on.
 */
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app/App.js'
import { Registry } from '../../app/Registry.js'
import type { Decision } from '../../decision/Decision.js'
import { canonicalText } from '../../encoding/canonical.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError, messageOf, NodeFault, recordError } from '../../errors/CarillonError.js'
import { FlowEngine } from '../../flow/FlowEngine.js'
import type { FlowId } from '../../flow/FlowId.js'
import { hasEnded, type FlowRow } from '../../flow/FlowRow.js'
import { replayFlow, type Replayed } from '../../flow/replayFlow.js'
import type { KeyPair } from '../../identity/KeyPair.js'
import type { NetworkMap } from '../../identity/NetworkMap.js'
import { showRef } from '../../ledger/StateRef.js'
import type { LedgerTransaction } from '../../ledger/LedgerTransaction.js'
import { verifyTransaction } from '../../ledger/verifyTransaction.js'
import type { Assessment, DomainEvent, EventOf, Waiting } from '../../log/events.js'
import { SqliteTicks } from '../../log/sqlite/SqliteTicks.js'
import { headAfter, type EncodedTick } from '../../log/Tick.js'
import { builtInFlows } from '../../node/builtInFlows.js'
import { LogChecker } from '../../node/logTools/LogChecker.js'
import { SignedTransactionReader } from '../../node/readSignedTransaction.js'
import { askState } from '../../scheduler/assess.js'
import { instantFromMillis, toMillis } from '../../time/Instant.js'
import { resolveBody } from '../../vault/resolveBody.js'
import type { Database } from '../../views/Database.js'
import { digestViews } from '../../views/digest.js'
import { Views } from '../../views/Views.js'
import { FlowTrace, traceFlows, type SourcePlace } from '../traceFlows.js'
import { compareAssessments } from './compareAssessments.js'
import { bodyOf, canonicalOrNothing, compareFacts, describeFact, describeStop, placeOfStop } from './describeFact.js'
import { digestAnswers } from './digestAnswers.js'
import { PartiesOfLog } from './PartiesOfLog.js'
import type { ReplayProblem, ReplayReport } from './ReplayReport.js'
import { giveBackScratch, takeScratch } from './scratchDatabase.js'
import { SignaturesOfLog } from './SignaturesOfLog.js'

/** What a replay needs beside the log. */
export type ReplayOptions = {
  /** The app whose code is to agree with the log. */
  readonly app: App
  /** The network the node was in. Default: the notaries that the log names. */
  readonly network?: NetworkMap
}

/** Thrown where a flow, run again, states another fact than the recorded one; it is of the node, so no flow catches it. */
class Departure extends NodeFault {
  readonly coded: DomainEvent

  constructor(coded: DomainEvent) {
    super('flow-diverged', 'The flow departs from its record.')
    this.coded = coded
  }
}

const nobody = { name: 'nobody', key: `ed25519:${'0'.repeat(64)}` as KeyPair['publicKey'] }

const waitingOf = (row: FlowRow): Waiting | undefined =>
  row.waiting === null ? undefined : (JSON.parse(row.waiting) as Waiting)

const differencePattern = /^operation (\d+) was recorded as ([\s\S]*); the code now ([\s\S]*)$/

/** Replays one log. Give it the ticks in order with {@link take}, then ask for the report. */
export class LogReplay {
  readonly #db: Database
  readonly #views: Views
  readonly #ticks: SqliteTicks
  readonly #registry: Registry
  readonly #network: NetworkMap | undefined
  readonly #trace = new FlowTrace()
  readonly #checker = new LogChecker({ decode: true })
  readonly #signatures = new SignaturesOfLog()
  readonly #parties = new PartiesOfLog()
  readonly #reader: SignedTransactionReader
  readonly #problems: ReplayProblem[] = []
  /** What a state said differently, by ref; taken back when the log says that it was asked again. */
  readonly #reassessed = new Map<string, ReplayProblem>()
  /** Flows whose transaction was refused: that they went another way follows from it. */
  readonly #refused = new Set<string>()
  #me = nobody
  #flows = 0
  #unjudged = 0
  #atMs = 0

  constructor({ app, network }: ReplayOptions) {
    this.#registry = new Registry(traceFlows(app, this.#trace), builtInFlows)
    this.#network = network
    this.#db = takeScratch()
    this.#views = new Views(this.#db)
    this.#ticks = new SqliteTicks(this.#db)
    this.#reader = new SignedTransactionReader((number) => this.#ticks.page(number, 1)[0])
  }

  close(): void {
    giveBackScratch(this.#db)
  }

  /** The next tick of the log. */
  take(tick: EncodedTick): void {
    const { events, problems } = this.#checker.check(tick)
    for (const { revision, what } of problems) this.#problems.push({ kind: 'log', revision, what: `${what}.` })
    this.#atMs = toMillis(tick.at)
    for (const line of tick.events) {
      this.#signatures.learn(line)
      this.#parties.learnMessage(line)
    }
    for (let index = 0; index < events.length;) {
      const event = events[index]
      if (event?.type === 'FlowStarted' && endsAtOnce(events, index)) index = this.#runAgain(tick, events, index)
      else {
        if (event !== undefined) this.#accept(event, tick.firstRevision + index)
        index += 1
      }
    }
    this.#views.closeTick(headAfter(tick), this.#atMs)
    this.#views.committed()
    this.#ticks.insert(tick)
  }

  /** Everything that was found, once the log has ended. */
  report(): ReplayReport {
    this.#checkOpenFlows()
    const { ticks, events, transactions } = this.#checker.counts
    return {
      ticks,
      events,
      transactions,
      flows: this.#flows,
      flowsUnjudged: this.#unjudged,
      head: this.#checker.head,
      viewsDigest: digestViews(this.#db),
      answersDigest: digestAnswers(this.#db),
      problems: [
        ...this.#problems.filter(({ kind, flow }) => kind !== 'flow' || !this.#refused.has(flow?.id ?? '')),
        ...this.#reassessed.values(),
      ].sort((a, b) => a.revision - b.revision),
    }
  }

  /** Takes a fact as recorded into the views, after asking today's code about it. */
  #accept(event: DomainEvent, revision: number): void {
    if (event.type === 'NodeStarted') this.#me = event.party
    if (event.type === 'TransactionRecorded') this.#checkTransaction(event, revision)
    if (event.type === 'FlowEnded') this.#checkEnd(event, revision)
    if (event.type === 'StateReassessed') this.#checkReassessment(event, revision)
    if (event.type === 'ActivityMoved' || event.type === 'ActivityRemoved') this.#reassessed.delete(showRef(event.ref))
    this.#views.fold(event, revision, this.#atMs)
  }

  #decision(emit: Decision['emit'], random: Decision['random']): Decision {
    const views = this.#views
    return {
      now: instantFromMillis(this.#atMs),
      nowMs: this.#atMs,
      me: this.#me,
      key: this.#signatures.keyOf(this.#me.key),
      registry: this.#registry,
      network: this.#network ?? this.#parties.map,
      views,
      random,
      development: false,
      readsClock: () => false,
      signedTransaction: (id) => {
        const row = views.transactions.find(id)
        if (row === undefined) throw new CarillonError('state-unknown', `This log holds no transaction ${id}.`)
        return this.#reader.read(id, row.tick)
      },
      emit,
      isFull: () => false,
      hasRecorded: () => false,
      release: () => undefined,
      waitMs: () => 0,
      notaryWaitMs: Number.MAX_SAFE_INTEGER,
    }
  }

  /** For looking only: states no fact. */
  get #looking(): Decision {
    return this.#decision(
      () => {
        throw new NodeFault('invariant-broken', 'A replay states no facts of its own.')
      },
      { hex: (bytes) => '0'.repeat(bytes * 2) },
    )
  }

  // --- transactions and what states ask for

  #checkTransaction(event: EventOf<'TransactionRecorded'>, revision: number): void {
    const body = bodyOf(event)
    this.#parties.learnNotary(body.notary)
    const resolved = this.#tried(() => resolveBody(this.#looking, event.id, body))
    const refuse = (error: CarillonError): void => {
      if (event.flow !== undefined) this.#refused.add(event.flow)
      const violations = error.details['violations']
      this.#problems.push({
        kind: 'contract',
        revision,
        what: `Transaction ${event.id} was accepted when it was recorded; today's code refuses it (${error.code}): ${Array.isArray(violations) ? violations.join('; ') : error.message}`,
      })
    }
    if (isLeft(resolved)) {
      refuse(resolved.left)
      return
    }
    const verified = verifyTransaction(resolved.right, this.#registry.contract)
    if (isLeft(verified)) refuse(verified.left)
    this.#checkAssessments(resolved.right, event.assessments, revision)
  }

  #checkAssessments(transaction: LedgerTransaction, recorded: readonly Assessment[], revision: number): void {
    transaction.outputs.forEach(({ definition, data, ref }, index) => {
      const said = recorded[index]
      if (said === undefined) return
      const asked = this.#tried(() => askState(this.#looking, definition, data, ref))
      const problem = compareAssessments(definition.type, ref, said, asked, revision)
      if (problem !== undefined) this.#reassessed.set(showRef(ref), problem)
    })
  }

  #checkReassessment({ ref, assessment }: EventOf<'StateReassessed'>, revision: number): void {
    this.#reassessed.delete(showRef(ref))
    const row = this.#views.states.find(ref)
    if (row === undefined) return
    const asked = this.#tried(() => {
      const definition = this.#registry.requireState(row.kind.type)
      const decoded = decodeWith(definition.data, JSON.parse(row.text))
      if (isLeft(decoded)) throw new CarillonError('state-data-invalid', decoded.left.join('; '))
      return askState(this.#looking, definition, decoded.right, ref)
    })
    const problem = compareAssessments(row.kind.type, ref, assessment, asked, revision)
    if (problem !== undefined) this.#reassessed.set(showRef(ref), problem)
  }

  #tried<A>(look: () => A): Either<CarillonError, A> {
    try {
      return { _tag: 'Right', right: look() }
    } catch (error) {
      if (error instanceof NodeFault) throw error
      return {
        _tag: 'Left',
        left: error instanceof CarillonError ? error : new CarillonError('flow-threw', messageOf(error), {}, error),
      }
    }
  }

  // --- flows

  #flowProblem(
    { id, name }: Pick<FlowRow, 'id' | 'name'>,
    revision: number,
    difference: { readonly operation?: number; readonly recorded: string; readonly coded: string },
    source: SourcePlace | undefined = this.#trace.place,
  ): void {
    const { operation, recorded, coded } = difference
    this.#problems.push({
      kind: 'flow',
      revision,
      what: `Flow ${name} (${id}) no longer agrees with its record${operation === undefined ? '' : ` at operation ${operation}`}: recorded was ${recorded}; the code now gives ${coded}.`,
      flow: { id, name },
      ...(operation === undefined ? {} : { operation }),
      recorded,
      coded,
      ...(source === undefined ? {} : { source }),
    })
  }

  /**
   * A flow that ended in the tick it began in has no record but the facts it stated: it is run again by the engine
   * itself, and must state the very same ones. Gives the place in the tick to go on from.
   */
  #runAgain(tick: EncodedTick, events: readonly (DomainEvent | undefined)[], start: number): number {
    const started = events[start]
    if (started?.type !== 'FlowStarted') return start
    const id = started.flow as FlowId
    const definition = this.#registry.flow(started.name)
    const input = definition === undefined ? undefined : decodeWith(definition.input, started.input)
    let cursor = start
    const accept = (): void => {
      const event = events[cursor]
      if (event !== undefined) this.#accept(event, tick.firstRevision + cursor)
      cursor += 1
    }
    if (definition === undefined || input === undefined || isLeft(input)) {
      const what =
        input === undefined
          ? 'the app has no flow of this name'
          : `its codec refuses the input: ${isLeft(input) ? input.left.join('; ') : ''}`
      this.#flowProblem(
        { id, name: started.name },
        tick.firstRevision + start,
        { recorded: 'its start', coded: what },
        undefined,
      )
      accept()
      return cursor
    }
    const decision = this.#decision(
      (event) => {
        const recorded = events[cursor]
        const same =
          event.type === 'TransactionRecorded'
            ? recorded?.type === event.type && recorded.id === event.id
            : tick.events[cursor] === canonicalText(event)
        if (!same) throw new Departure(event)
        accept()
      },
      {
        // The salt of the recorded transaction, so that the same transaction gets the same id.
        hex: (bytes) => {
          const next = events.slice(cursor).find((event) => event?.type === 'TransactionRecorded')
          const salt = next?.type === 'TransactionRecorded' ? bodyOf(next).salt : ''
          return salt.padEnd(bytes * 2, '0').slice(0, bytes * 2)
        },
      },
    )
    this.#trace.begin()
    this.#flows += 1
    try {
      new FlowEngine({ start: () => undefined }).start(
        decision,
        {
          id,
          definition: { ...definition, version: started.version },
          input: input.right,
          encodedInput: started.input,
          origin: started.origin,
        },
        () => {
          // What opened a session is recorded before the flow that answers it moves.
          while (isOpening(events[cursor], id)) accept()
        },
      )
    } catch (error) {
      if (!(error instanceof Departure)) throw error
      if (this.#trace.calls.includes('newId')) this.#unjudged += 1
      else
        this.#flowProblem({ id, name: started.name }, tick.firstRevision + cursor, {
          operation: Math.max(0, this.#trace.calls.length - 1),
          ...compareFacts(events[cursor], error.coded),
        })
    }
    return cursor
  }

  /** A flow that was suspended is run again over its record, just before the log says that it has ended. */
  #checkEnd(event: EventOf<'FlowEnded'>, revision: number): void {
    const row = this.#views.flows.find(event.flow as FlowId)
    if (row === undefined || row.waiting === null || hasEnded(row)) return
    const replayed = this.#replay(row, revision, event.outcome === 'killed' ? waitingOf(row) : undefined)
    if (replayed === undefined || event.outcome === 'killed') return
    const { stop } = replayed
    const position = row.recorded
    if (event.outcome === 'completed') {
      const ended = stop.kind === 'returned' ? canonicalOrNothing(stop.result) : undefined
      if (stop.kind !== 'returned' || ended !== canonicalOrNothing(event.result))
        this.#flowProblem(
          row,
          revision,
          { operation: position, recorded: describeFact(event), coded: describeStop(stop) },
          placeOfStop(stop),
        )
      return
    }
    const message = stop.kind === 'threw' ? recordError(stop.error, 'flow-threw').message : undefined
    if (stop.kind === 'returned' || (message !== undefined && message !== event.error?.message))
      this.#flowProblem(
        row,
        revision,
        { operation: position, recorded: describeFact(event), coded: describeStop(stop) },
        placeOfStop(stop),
      )
  }

  #checkOpenFlows(): void {
    const rows = this.#db
      .prepare('SELECT id FROM flows WHERE until_revision IS NULL AND waiting IS NOT NULL ORDER BY seq')
      .all()
    for (const { id } of rows) {
      const row = this.#views.flows.find(String(id) as FlowId)
      // What waits for a hand has been reported when it was parked.
      if (row !== undefined && row.status !== 'parked') this.#replay(row, this.#checker.head.revision, waitingOf(row))
    }
  }

  #replay(row: FlowRow, revision: number, waiting: Waiting | undefined): Replayed | undefined {
    this.#trace.begin()
    this.#flows += 1
    const replayed = replayFlow(this.#looking, row, this.#views.flows.record(row), waiting)
    if (!isLeft(replayed)) return replayed.right
    const { details, message } = replayed.left
    const [, operation, recorded, coded] = differencePattern.exec(String(details['difference'] ?? '')) ?? []
    if (recorded === undefined || coded === undefined)
      this.#flowProblem(row, revision, { recorded: 'a flow that could be run', coded: message })
    else
      this.#flowProblem(row, revision, {
        operation: Number(operation),
        recorded,
        coded: coded.replace(/^asks for /, ''),
      })
    return undefined
  }
}

/** Whether the flow that starts here ends within the same tick, without having been suspended or parked. */
const endsAtOnce = (events: readonly (DomainEvent | undefined)[], start: number): boolean => {
  const started = events[start]
  if (started?.type !== 'FlowStarted') return false
  for (const event of events.slice(start + 1)) {
    if (event === undefined) return false
    if (event.type === 'FlowEnded' && event.flow === started.flow) return event.outcome !== 'killed'
    if ((event.type === 'FlowAdvanced' || event.type === 'FlowParked') && event.flow === started.flow) return false
  }
  return false
}

const isOpening = (event: DomainEvent | undefined, flow: FlowId): boolean =>
  (event?.type === 'SessionOpened' && event.role === 'responder' && event.flow === flow) ||
  (event?.type === 'MessageReceived' && event.role === 'responder' && event.seq === 0)
