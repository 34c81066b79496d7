/**
 * All views of a node, folded from its log. Folding calls no app code and depends on nothing but the events,
 * so the same log always gives the same rows.
 */
import { TokenTable, tokensSchema } from './tables/TokenTable.js'
import { HeadTable, headsSchema } from './tables/HeadTable.js'
import { FlowTable, flowsSchema } from './tables/FlowTable.js'
import { FlowAttentionTable, flowAttentionSchema } from './tables/FlowAttentionTable.js'
import { CallerTable, callersSchema } from './tables/CallerTable.js'
import { TroubleTable, troublesSchema } from './tables/TroubleTable.js'
import { ChildTable, childrenSchema } from './tables/ChildTable.js'
import { SignalTable, signalsSchema } from './tables/SignalTable.js'
import { WaitTable, waitsSchema } from './tables/WaitTable.js'
import type { FoldableEvent } from '../log/FoldableEvent.js'
import type { Head } from '../log/Tick.js'
import { UnconsumedTable, unconsumedSchema } from './tables/UnconsumedTable.js'
import { UnstartedTable, unstartedSchema } from './tables/UnstartedTable.js'
import { SpentTable, spentSchema } from './tables/SpentTable.js'
import { SessionTable, sessionsSchema } from './tables/SessionTable.js'
import { ClockStepTable, clockStepsSchema } from './tables/ClockStepTable.js'
import { StateTypeTable, kindsSchema } from './tables/StateTypeTable.js'
import { findStateNumbers } from './queries/findStateNumbers.js'
import type { Page, VaultQuery } from '../vault/query/VaultQuery.js'
import { SoftLockTable, softLocksSchema } from './tables/SoftLockTable.js'
import { ProposalTable, proposalsSchema } from './tables/ProposalTable.js'
import { StateIndexTable, stateIndexSchema } from './tables/StateIndexTable.js'
import type { StateRow } from '../vault/StateRow.js'
import { PastAssessmentTable, pastAssessmentsSchema } from './tables/PastAssessmentTable.js'
import { statesSchema } from './tables/stateColumns.js'
import { StateTable } from './tables/StateTable.js'
import { evolve, type Tables } from '../engine/evolve.js'
import type { Views } from '../engine/Views.js'
import type { FlowId } from '../log/FlowId.js'
import { TransactionTable, transactionsSchema } from './tables/TransactionTable.js'
import type { Database } from './Database.js'
import { storageLimits, type StorageLimits } from './limits.js'
import { UnitOfWork } from './UnitOfWork.js'
import { MapTable, mapsSchema } from './tables/MapTable.js'
import { NodeFactTable, nodeFactsSchema } from './tables/NodeFactTable.js'

export const viewsSchema = [
  nodeFactsSchema,
  mapsSchema,
  kindsSchema,
  transactionsSchema,
  statesSchema,
  stateIndexSchema,
  clockStepsSchema,
  softLocksSchema,
  proposalsSchema,
  pastAssessmentsSchema,
  flowsSchema,
  troublesSchema,
  flowAttentionSchema,
  waitsSchema,
  signalsSchema,
  callersSchema,
  childrenSchema,
  unstartedSchema,
  unconsumedSchema,
  sessionsSchema,
  spentSchema,
  tokensSchema,
  headsSchema,
].join('\n')

/** The tables of the views, in the order a digest takes them. */
export const viewTables = [
  'node_facts',
  'network_maps',
  'map_anchor',
  'accepted_maps',
  'changed_keys',
  'kinds',
  'transactions',
  'ancestors',
  'states',
  'indexed_fields',
  'indexed_values',
  'known_parties',
  'state_parties',
  'clock_steps',
  'soft_locks',
  'reserved_keys',
  'signed_transactions',
  'past_assessments',
  'flows',
  'flow_records',
  'flow_troubles',
  'flow_attention',
  'flow_waits',
  'flow_signals',
  'flow_callers',
  'flow_children',
  'flow_continuations',
  'unstarted',
  'unconsumed',
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

export class StoredViews implements Views, Tables {
  readonly facts: NodeFactTable
  readonly maps: MapTable
  readonly kinds: StateTypeTable
  readonly transactions: TransactionTable
  readonly states: StateTable
  /** The same table: a state and its activity are one row. */
  readonly activities: StateTable
  readonly stateIndex: StateIndexTable
  readonly clockSteps: ClockStepTable
  readonly softLocks: SoftLockTable
  readonly proposals: ProposalTable
  readonly pastAssessments: PastAssessmentTable
  readonly flows: FlowTable
  readonly troubles: TroubleTable
  readonly flowAttention: FlowAttentionTable
  readonly waits: WaitTable
  readonly signals: SignalTable
  readonly callers: CallerTable
  readonly children: ChildTable
  readonly unstarted: UnstartedTable
  readonly unconsumed: UnconsumedTable
  readonly sessions: SessionTable
  readonly spent: SpentTable
  readonly #db: Database
  readonly limits: StorageLimits
  readonly #unit: UnitOfWork
  /** Whether an event was folded since the last commit. */
  #isChanged = false
  readonly tokens: TokenTable
  readonly heads: HeadTable

  constructor(db: Database, limits: StorageLimits = storageLimits) {
    this.#db = db
    this.limits = limits
    this.#unit = new UnitOfWork(limits)
    this.facts = new NodeFactTable(db, this.#unit)
    this.maps = new MapTable(db)
    this.kinds = new StateTypeTable(db, this.#unit)
    this.transactions = new TransactionTable(db, this.#unit)
    this.states = new StateTable(
      db,
      this.#unit,
      this.kinds,
      this.transactions,
      (flow) => this.flows.find(flow)?.stateSeq ?? undefined,
    )
    this.activities = this.states
    this.stateIndex = new StateIndexTable(db, this.#unit)
    this.clockSteps = new ClockStepTable(db, this.#unit)
    this.pastAssessments = new PastAssessmentTable(db)
    this.flows = new FlowTable(
      db,
      this.#unit,
      (session, role) => this.sessions.find(session, role)?.flowSeq ?? undefined,
    )
    this.softLocks = new SoftLockTable(db, this.#unit, this.flows)
    this.proposals = new ProposalTable(db, this.#unit, this.flows)
    this.troubles = new TroubleTable(db)
    this.flowAttention = new FlowAttentionTable(db)
    this.waits = new WaitTable(db, this.#unit)
    this.callers = new CallerTable(db)
    this.children = new ChildTable(db, this.#unit)
    this.signals = new SignalTable(db, this.#unit, this.children)
    this.unstarted = new UnstartedTable(db)
    this.unconsumed = new UnconsumedTable(db, this.#unit)
    this.sessions = new SessionTable(db, this.#unit)
    this.spent = new SpentTable(db, this.#unit)
    this.tokens = new TokenTable(db)
    this.heads = new HeadTable(db, this.#unit)
  }

  /** How often rows were evicted from memory since the views were opened. */
  get evictions(): number {
    return this.#unit.evictions
  }

  fold(event: FoldableEvent, revision: number, atMs: number): void {
    this.#isChanged = true
    evolve(this, event, revision, atMs)
  }

  query(query: VaultQuery, flow: FlowId | undefined): Page<StateRow, string> {
    this.states.flush()
    this.stateIndex.flush()
    const flowSeq = flow === undefined ? undefined : this.flows.locate(flow)
    const page = findStateNumbers(
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
    this.#unit.write()
  }

  committed(): void {
    this.#isChanged = false
    this.#unit.committed(false)
  }

  /** As {@link committed}, when more of a log is to be folded: rows that were new are soon changed, and stay. */
  committedFold(): void {
    this.#isChanged = false
    this.#unit.committed(true)
  }

  rolledBack(): void {
    this.#isChanged = false
    this.#unit.rolledBack()
  }

  /**
   * As {@link rolledBack}, for a tick that was folded. One that states nothing has changed nothing, so only what it read beyond
   * what is kept is evicted: otherwise a member could fill the memory with messages that come to nothing.
   */
  tickRolledBack(): void {
    if (this.#isChanged) this.rolledBack()
    else this.#unit.committed(false)
  }

  /** Reads everything again: ticks that were taken to stand do not. */
  reload(): void {
    this.#isChanged = false
    this.#unit.reload()
  }
}
