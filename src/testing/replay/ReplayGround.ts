/**
 * What everything in a replay stands on: the views that grow with the log, the registry of today's code, and whatever
 * else a decision looks at, as the log shows it. Nothing here states a fact.
 */
import type { App } from '../../app/App.js'
import { Registry } from '../../app/Registry.js'
import type { ActiveTick } from '../../engine/ActiveTick.js'
import { RecentMoves } from '../../engine/RecentMoves.js'
import { textToSign } from '../../identity/NetworkId.js'
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError, messageOf, NodeFault } from '../../errors/CarillonError.js'
import type { KeyPair } from '../../identity/KeyPair.js'
import type { NetworkMap } from '../../identity/NetworkMap.js'
import type { Party } from '../../identity/Party.js'
import { SqliteTicks } from '../../storage/SqliteTicks.js'
import { headAfter, type EncodedTick } from '../../log/Tick.js'
import { builtInFlows } from '../../node/builtInFlows.js'
import { tickLimits } from '../../engine/limits.js'
import { SignedTransactionReader } from '../../engine/readSignedTransaction.js'
import { instantFromMillis, toMillis } from '../../time/Instant.js'
import type { Database } from '../../storage/Database.js'
import { StoredViews } from '../../storage/StoredViews.js'
import { FlowTrace, traceFlows } from '../traceFlows.js'
import { asRecorded } from '../../finality/asRecorded.js'
import type { TransactionBody } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { DomainEvent, EventOf } from '../../log/events.js'
import { bodyOf } from './describeFact.js'
import { PartiesOfLog } from './PartiesOfLog.js'
import { giveBackScratch, takeScratch } from '../../storage/sqlite/scratchDatabase.js'
import { SignaturesOfLog } from './SignaturesOfLog.js'

/** What a replay needs beside the log. */
export type ReplayOptions = {
  /** The app whose code is to agree with the log. */
  readonly app: App
  /** The network the node was in. Default: the notaries that the log names. */
  readonly network?: NetworkMap
}

const nobody = { name: 'nobody', key: `ed25519:${'0'.repeat(64)}` as KeyPair['publicKey'] }

/** The log says when a state was made, so in a replay no version of a contract is retired. */
const withoutRetirement = (app: App): App => {
  const contracts = new Map(
    app.states
      .filter(({ contract }) => contract.retired.size > 0)
      .map(({ contract }) => [contract, { ...contract, retired: new Map() }]),
  )
  if (contracts.size === 0) return app
  return {
    ...app,
    states: app.states.map((state) => ({ ...state, contract: contracts.get(state.contract) ?? state.contract })),
  }
}

export class ReplayGround {
  readonly db: Database
  readonly views: StoredViews
  readonly registry: Registry
  readonly trace = new FlowTrace()
  readonly parties = new PartiesOfLog()
  readonly #ticks: SqliteTicks
  readonly #network: NetworkMap | undefined
  readonly #signatures = new SignaturesOfLog()
  readonly #reader: SignedTransactionReader
  /** The transactions of the tick that is being replayed. */
  readonly #recordedNow = new Map<TransactionId, TransactionBody>()
  /** Whose log it is. */
  me: Party = nobody
  /** The time of the tick that is being replayed. */
  atMs = 0

  constructor({ app, network }: ReplayOptions) {
    this.registry = new Registry(traceFlows(withoutRetirement(app), this.trace), builtInFlows(app))
    this.#network = network
    this.db = takeScratch()
    this.views = new StoredViews(this.db)
    this.#ticks = new SqliteTicks(this.db)
    this.#reader = new SignedTransactionReader(
      (number) => this.#ticks.page(number, 1)[0],
      (number) => this.views.facts.signerOf(number)?.key,
    )
  }

  close(): void {
    giveBackScratch(this.db)
  }

  /** Before the events of a tick: what its text tells about keys and parties. */
  open({ at, events }: EncodedTick): void {
    this.atMs = toMillis(at)
    this.#recordedNow.clear()
    for (const line of events) {
      this.#signatures.learn(line)
      this.parties.learnMessage(line)
    }
  }

  /** A transaction of the tick that is being replayed, which cannot be read from the log yet. */
  learnTransaction(event: EventOf<'TransactionRecorded'>): void {
    this.#recordedNow.set(event.id, bodyOf(event))
  }

  /** After the events of a tick are folded. */
  settle(tick: EncodedTick): void {
    this.views.closeTick(headAfter(tick), this.atMs)
    this.views.committed()
    const { signer } = this.views.facts
    if (signer !== undefined) this.parties.learnNetwork(signer.network)
    this.#ticks.insert(tick)
  }

  /** What a decision of then looked at; `emit` is given the facts that today's code would state. */
  tick(
    emit: ActiveTick['emit'],
    random: ActiveTick['random'],
    recorded: () => DomainEvent | undefined = () => undefined,
  ): ActiveTick {
    const { views } = this
    const network = this.#network ?? this.parties.mapFor(recorded)
    const key = this.#signatures.keyOf(this.me.key)
    const signedTransaction: ActiveTick['signedTransaction'] = (id) => {
      const row = views.transactions.find(id)
      if (row === undefined) throw new CarillonError('state-unknown', `This log holds no transaction ${id}.`)
      const read = this.tried(() => this.#reader.read(id, row.tick), true)
      // In a log that was altered it may be missing, which is a problem of the log.
      if (isLeft(read)) throw new CarillonError('state-unknown', messageOf(read.left), { transaction: id })
      return read.right
    }
    return {
      now: instantFromMillis(this.atMs),
      nowMs: this.atMs,
      me: this.me,
      sign: (tag, text) => ({ by: key.publicKey, signature: key.sign(textToSign(tag, network.id, text)) }),
      registry: this.registry,
      network,
      views,
      random,
      development: false,
      readsClock: () => undefined,
      signedTransaction,
      transactionBody: (id) => this.#recordedNow.get(id) ?? signedTransaction(id).body,
      asRecorded: (draft) => {
        const event = recorded()
        return event?.type === 'TransactionRecorded' ? asRecorded(draft, bodyOf(event)) : draft
      },
      emit,
      isFull: () => false,
      hasRecorded: () => false,
      release: () => undefined,
      waitMs: () => 0,
      moves: new RecentMoves(tickLimits.engine),
      limits: tickLimits,
    }
  }

  /** For looking only: states no fact. */
  get looking(): ActiveTick {
    return this.tick(
      () => {
        throw new NodeFault('invariant-broken', 'A replay states no facts of its own.')
      },
      { hex: (bytes) => '0'.repeat(bytes * 2) },
    )
  }

  /** What app code answers, or the error it throws; `withFaults`: also where that would stop a node. */
  tried<A>(look: () => A, withFaults = false): Either<CarillonError, A> {
    try {
      return { _tag: 'Right', right: look() }
    } catch (error) {
      if (error instanceof NodeFault && !withFaults) throw error
      return {
        _tag: 'Left',
        left: error instanceof CarillonError ? error : new CarillonError('flow-threw', messageOf(error), {}, error),
      }
    }
  }
}
