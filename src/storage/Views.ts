/**
 * All views of a node, folded from its log. Folding calls no app code and depends on nothing but the events,
 * so the same log always gives the same rows.
 */
import { TokenTable, tokensSchema } from './TokenTable.js'
import { HeadTable, headsSchema } from './HeadTable.js'
import { foldFlow } from '../flow/foldFlows.js'
import { FlowTable, flowsSchema } from '../flow/FlowTable.js'
import { TroubleTable, troublesSchema } from '../flow/TroubleTable.js'
import type { FoldableEvent } from '../log/FoldableEvent.js'
import type { Head } from '../log/Tick.js'
import { foldAgenda } from '../agenda/foldAgenda.js'
import { UnstartedTable, unstartedSchema } from '../agenda/UnstartedTable.js'
import { SpentTable, spentSchema } from '../notary/SpentTable.js'
import { foldSession } from '../session/foldSessions.js'
import { SessionTable, sessionsSchema } from '../session/SessionTable.js'
import { foldTransaction } from '../vault/foldVault.js'
import { ClockSteps, clockStepsSchema } from '../vault/ClockSteps.js'
import { Kinds, kindsSchema } from '../vault/Kinds.js'
import { queryStates } from '../vault/query/queryStates.js'
import type { Page, VaultQuery } from '../vault/query/VaultQuery.js'
import { foldLocks, SoftLocks, softLocksSchema } from '../vault/SoftLocks.js'
import { StateIndex, stateIndexSchema } from '../vault/StateIndex.js'
import type { StateRow } from '../vault/StateRow.js'
import { PastAssessmentTable, pastAssessmentsSchema } from '../vault/PastAssessmentTable.js'
import { statesSchema } from '../vault/stateColumns.js'
import { StateTable } from '../vault/StateTable.js'
import { partsOf } from '../vault/TransactionParts.js'
import { TransactionTable, transactionsSchema } from '../vault/TransactionTable.js'
import type { Database } from './Database.js'
import { MapTable, mapsSchema } from './MapTable.js'
import { NodeFacts, nodeFactsSchema } from './NodeFacts.js'

export const viewsSchema = [
  nodeFactsSchema,
  mapsSchema,
  kindsSchema,
  transactionsSchema,
  statesSchema,
  stateIndexSchema,
  clockStepsSchema,
  softLocksSchema,
  pastAssessmentsSchema,
  flowsSchema,
  troublesSchema,
  unstartedSchema,
  sessionsSchema,
  spentSchema,
  tokensSchema,
  headsSchema,
].join('\n')

/** The tables of the views, in the order a digest takes them. */
export const viewTables = [
  'node_facts',
  'network_maps',
  'changed_keys',
  'kinds',
  'transactions',
  'states',
  'indexed_fields',
  'indexed_values',
  'known_parties',
  'state_parties',
  'clock_steps',
  'soft_locks',
  'past_assessments',
  'flows',
  'flow_records',
  'flow_troubles',
  'unstarted',
  'sessions',
  'inbox',
  'outbox',
  'notarised',
  'spent',
  'tokens',
  'kept_checkpoints',
  'peers',
  'continued',
] as const

export class Views {
  readonly facts: NodeFacts
  readonly maps: MapTable
  readonly kinds: Kinds
  readonly transactions: TransactionTable
  readonly states: StateTable
  /** The same rows, as the agenda sees them. */
  get activities(): StateTable {
    return this.states
  }
  readonly stateIndex: StateIndex
  readonly clockSteps: ClockSteps
  readonly softLocks: SoftLocks
  readonly pastAssessments: PastAssessmentTable
  readonly flows: FlowTable
  readonly troubles: TroubleTable
  readonly unstarted: UnstartedTable
  readonly sessions: SessionTable
  readonly spent: SpentTable
  readonly #db: Database
  readonly tokens: TokenTable
  readonly heads: HeadTable

  constructor(db: Database) {
    this.#db = db
    this.facts = new NodeFacts(db)
    this.maps = new MapTable(db)
    this.kinds = new Kinds(db)
    this.transactions = new TransactionTable(db)
    this.states = new StateTable(db, this.kinds, this.transactions)
    this.stateIndex = new StateIndex(db)
    this.clockSteps = new ClockSteps(db)
    this.softLocks = new SoftLocks(db)
    this.pastAssessments = new PastAssessmentTable(db)
    this.flows = new FlowTable(db)
    this.troubles = new TroubleTable(db)
    this.unstarted = new UnstartedTable(db)
    this.sessions = new SessionTable(db)
    this.spent = new SpentTable(db)
    this.tokens = new TokenTable(db)
    this.heads = new HeadTable(db)
  }

  /** Applies one event. */
  fold(event: FoldableEvent, revision: number, atMs: number): void {
    switch (event.type) {
      case 'TransactionRecorded':
        foldTransaction(this, event, partsOf(event), revision, this.facts.now.head.tick + 1, atMs)
        return
      case 'NodeStarted': {
        const { now } = this.facts
        now.partyName = event.party.name
        now.partyKey = event.party.key
        now.app = event.app
        now.appVersion = event.appVersion
        now.term = event.term
        now.running = true
        this.facts.began(event.party.key, event.network)
        if (event.map !== undefined) this.maps.use(event.map)
        return
      }
      case 'NetworkJoined':
        this.facts.changeSigner({ network: event.network })
        return
      case 'KeyChanged':
        this.maps.changedKey(event.change, revision)
        if (event.change.party === this.facts.now.partyKey) this.facts.changeSigner({ key: event.change.to })
        return
      case 'NetworkMapChanged':
        this.maps.use(event.map)
        return
      case 'NodeStopped':
        this.facts.now.running = false
        return
      case 'DrainingStarted':
        this.facts.now.draining = true
        return
      case 'DrainingEnded':
        this.facts.now.draining = false
        return
      case 'TokenIssued':
      case 'TokenRevoked':
        this.tokens.fold(event, atMs)
        return
      case 'SessionOpened':
        this.heads.met(event.party, revision)
        foldSession(this, event, revision, atMs)
        return
      case 'MessageSent':
      case 'MessageReceived':
      case 'MessageAcknowledged':
        foldSession(this, event, revision, atMs)
        return
      case 'TransactionNotarised':
        this.spent.insert(event.id, event.inputs, event.caller, revision)
        return
      case 'StatesLocked':
      case 'StatesUnlocked':
        foldLocks(this, event)
        return
      case 'LeaseRenewed':
        // It says only that the leader lives, to those who follow as it is written.
        return
      case 'CheckpointReceived':
        this.heads.keep(event.party, event.checkpoint, atMs)
        return
      case 'RestoreAccepted':
        // Compared with what others have seen, it is the same log; told to go on regardless, it may be another one.
        if (event.checkpoints === 0) this.heads.continueFromCopy(atMs)
        return
      case 'FlowStarted':
      case 'FlowAdvanced':
      case 'FlowEnded':
      case 'FlowParked':
      case 'FlowRetried':
      case 'FlowPaused':
      case 'FlowResumed':
        foldFlow(this, event, revision, atMs)
        return
      default:
        foldAgenda(this, event, revision, atMs)
    }
  }

  /** A page of the vault as it stands within the tick; `flowSeq` is the flow that asks. */
  query(query: VaultQuery, flowSeq: number | undefined): Page<StateRow, string> {
    this.states.flush()
    this.stateIndex.flush()
    const page = queryStates(
      {
        db: this.#db,
        kinds: this.kinds,
        me: this.facts.now.partyKey,
        ...(flowSeq === undefined ? {} : { flowSeq }),
      },
      query,
    )
    return { items: page.items.map((seq) => this.states.get(seq)), next: page.next }
  }

  /** Writes everything the tick has changed; the last thing before the commit. */
  closeTick(head: Head, atMs: number): void {
    this.facts.advanceTo(head, atMs)
    this.write()
  }

  /** Writes what has gathered. Whoever folds a log may let ticks follow one another before, and advance the facts for each. */
  write(): void {
    this.transactions.closeTick()
    this.states.flush()
    this.stateIndex.flush()
    this.flows.closeTick()
    this.sessions.closeTick()
    this.spent.closeTick()
    this.heads.flush()
    this.facts.flush()
  }

  committed(): void {
    this.transactions.committed()
    this.states.committed()
    this.flows.committed()
    this.sessions.committed()
    this.spent.committed()
  }

  /** As {@link committed}, when more of a log is to be folded: rows that were new are soon changed, and stay. */
  committedFold(): void {
    this.transactions.committedFold()
    this.states.committedFold()
    this.flows.committedFold()
    this.sessions.committed()
    this.spent.committed()
  }

  rolledBack(): void {
    this.facts.rolledBack()
    this.kinds.reload()
    this.transactions.rolledBack()
    this.states.rolledBack()
    this.stateIndex.rolledBack()
    this.clockSteps.rolledBack()
    this.softLocks.rolledBack()
    this.flows.rolledBack()
    this.sessions.rolledBack()
    this.spent.rolledBack()
    this.heads.rolledBack()
  }

  /** Reads everything again: ticks that were taken to stand do not. */
  reload(): void {
    this.rolledBack()
    this.transactions.reload()
    this.flows.reload()
    this.sessions.reload()
    this.spent.reload()
  }
}
