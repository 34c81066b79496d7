/**
 * A tick while it is being decided: it gathers events, folds them into the views as they come, and holds back
 * everything that may only happen once they are durable.
 */
import { Encoded } from '../encoding/canonical.js'
import { longText } from '../encoding/hash.js'
import type { Registry } from '../app/Registry.js'
import { textToSign } from '../identity/NetworkId.js'
import type { Signing } from '../identity/Signing.js'
import type { Random } from '../identity/Random.js'
import { assertInvariant, CarillonError } from '../errors/CarillonError.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { Party } from '../identity/Party.js'
import type { TickLimits } from './limits.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { assertFits, encodeEvent } from '../log/encodeEvent.js'
import type { DomainEvent } from '../log/events.js'
import type { LineBuffer } from '../log/LineBuffer.js'
import { signTick, type TickSigner } from '../log/TickSigner.js'
import { rememberLines, tickAfter, type EncodedTick, type Head } from '../log/Tick.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import type { SignedTransactionReader } from './readSignedTransaction.js'
import type { ActiveTick } from './ActiveTick.js'
import { Committed } from './Committed.js'
import { readsClock } from './watchReads.js'
import type { RecentMoves } from './RecentMoves.js'
import type { Views } from './Views.js'

export type NodeParts = {
  readonly me: Party
  readonly key: KeyPair
  readonly registry: Registry
  readonly network: NetworkMap
  readonly random: Random
  readonly development: boolean
  readonly limits: TickLimits
  readonly signedTransactions: SignedTransactionReader
  /** In which the lines of the tick are put together. */
  readonly lines: LineBuffer
  readonly waitMs: () => number
  readonly moves: RecentMoves
  /** Whether the disk has nothing to do; then a tick need not grow any further. */
  readonly isWriterIdle: () => boolean
}

export class OpenTick implements ActiveTick {
  readonly now: Instant
  readonly nowMs: number
  readonly me: Party
  readonly #key: KeyPair
  readonly registry: Registry
  readonly network: NetworkMap
  readonly views: Views
  readonly random: Random
  readonly development: boolean
  readonly waitMs: () => number
  readonly limits: TickLimits
  readonly moves: RecentMoves
  /** Events of the tick as they were decided, for whoever follows the node. */
  readonly events: DomainEvent[] = []
  readonly releases: (() => void)[] = []
  readonly #head: Head
  /** What this tick is signed with; undefined for the first one, which says so itself. */
  readonly #signer: TickSigner | undefined
  readonly #isWriterIdle: () => boolean
  readonly #signedTransactions: NodeParts['signedTransactions']
  readonly #lines: string[] = []
  /** The same lines put together. */
  readonly #buffer: LineBuffer
  readonly #unsigned: TransactionId[] = []
  #bytes = 0
  #recorded = false
  #sealed: EncodedTick | undefined

  constructor(parts: NodeParts, views: Views, head: Head, nowMs: number) {
    this.me = parts.me
    this.registry = parts.registry
    this.network = parts.network
    this.random = parts.random
    this.development = parts.development
    this.#key = parts.key
    this.waitMs = parts.waitMs
    this.limits = parts.limits
    this.moves = parts.moves
    this.#isWriterIdle = parts.isWriterIdle
    this.#signedTransactions = parts.signedTransactions
    this.#buffer = parts.lines
    this.#buffer.clear()
    this.views = views
    this.#head = head
    this.#signer = views.facts.signer
    this.nowMs = nowMs
    this.now = instantFromMillis(nowMs)
  }

  // Members, not closures of the constructor: those kept the data of every tick of a burst through minor collections.
  readonly signedTransaction: ActiveTick['signedTransaction'] = (id) => {
    const row = this.views.transactions.find(id)
    if (row === undefined)
      throw new CarillonError('state-unknown', `This node holds no transaction ${id}.`, { transaction: id })
    return this.#signedTransactions.read(id, row.tick)
  }

  readonly transactionBody: ActiveTick['transactionBody'] = (id) => {
    const made = this.events.find((event) => event.type === 'TransactionRecorded' && event.id === id)
    if (made?.type !== 'TransactionRecorded') return this.signedTransaction(id).body
    return made.body instanceof Encoded ? (JSON.parse(made.body.text) as TransactionBody) : made.body
  }

  readonly emit = (event: DomainEvent): void => {
    const line = encodeEvent(event)
    const bytes = this.#buffer.write(line)
    assertFits(event.type, bytes)
    this.views.fold(event, this.#head.revision + 1 + this.#lines.length, this.nowMs)
    this.#buffer.keep(bytes)
    this.#lines.push(line)
    this.events.push(event)
    this.#bytes += bytes
    if (event.type !== 'TransactionRecorded') return
    this.#recorded = true
    if (event.signatures === undefined) this.#unsigned.push(event.id)
  }

  readonly sign: Signing['sign'] = (tag, text) => ({
    by: this.#key.publicKey,
    signature: this.#key.sign(textToSign(tag, this.network.id, text)),
  })

  readonly readsClock = readsClock

  readonly isFull = (): boolean =>
    this.#bytes >= this.limits.engine.tickBytes ||
    (this.#bytes >= this.limits.engine.idleTickBytes && this.#isWriterIdle())

  readonly hasRecorded = (): boolean => this.#recorded

  readonly release = (action: () => void): void => {
    this.releases.push(action)
  }

  /** The tick as followers see it, once it is durable. */
  committed(): Committed {
    assertInvariant(this.#sealed !== undefined, 'a tick was about to be told of before it was sealed')
    return new Committed(this.#sealed, this.nowMs, this.events)
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  get firstRevision(): number {
    return this.#head.revision + 1
  }

  /** Closes the tick: its running hash and its transactions are signed, all with one signature. */
  seal(): EncodedTick {
    const signer = this.#signer ?? this.views.facts.signer
    assertInvariant(
      signer === undefined || signer.key === this.#key.publicKey,
      'a tick was about to be signed with another key than the log names',
    )
    const network = signer?.network ?? this.network.id
    if (this.#bytes >= longText) rememberLines(this.#lines, this.#buffer.copy())
    this.#sealed = tickAfter(this.#head, this.now, this.#lines, (hash) =>
      signTick(this.#key, network, hash, this.#unsigned),
    )
    return this.#sealed
  }
}
