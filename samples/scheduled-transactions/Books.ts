/**
 * The whole ledger of the network as one flow works in it. A transaction reads and changes it freely; at the end
 * everything is written in one commit, or nothing is.
 */
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { canonicalText, KeyedStates, type FlowBody, type FlowIo, type TransactionBuilder } from 'carillon'
import { commands, type Purpose } from './commands.js'
import type { Account as AccountData } from './model/Account.js'
import type { Consensus as ConsensusData } from './model/Consensus.js'
import { numberOf, type AccountID } from './model/EntityId.js'
import type { Lookup } from './model/Needs.js'
import { feeCollector, type Settings } from './model/Settings.js'
import { timestampOf, type Timestamp } from './model/Timestamp.js'
import type { SignedTransaction } from './model/TransactionBody.js'
import type { AccountAmount } from './model/TransactionRecord.js'
import {
  Account,
  Call,
  Consensus,
  ExpirySecond,
  IdentityEntry,
  Network,
  PastSchedule,
  Record,
  Schedule,
  Signatories,
  theConsensus,
  theNetwork,
  Topic,
} from './states.js'

/** A map of states that is staged along with the books. */
type Attached = Pick<KeyedStates<unknown>, 'known' | 'mark' | 'hasChanged' | 'stage' | 'refer'>

/** A transaction of the ledger holds a thousand of each; a few are for what every commit writes besides. */
const mostStates = 960
/** A fact of the log is no longer than 256 KiB. */
const mostBytes = 248 * 1_024
/** What goes with a state that is consumed and produced: its ref, its type, its contract, what it asks for. */
const frameBytes = 400

const notOpen = 'The network has not been opened; run scheduled-transactions/OpenNetwork first.'

export class Books {
  readonly network = new KeyedStates(Network)
  readonly sequence = new KeyedStates(Consensus)
  readonly accounts = new KeyedStates(Account)
  readonly topics = new KeyedStates(Topic)
  readonly schedules = new KeyedStates(Schedule)
  readonly signatories = new KeyedStates(Signatories)
  readonly past = new KeyedStates(PastSchedule)
  readonly identities = new KeyedStates(IdentityEntry)
  readonly seconds = new KeyedStates(ExpirySecond)
  readonly records = new KeyedStates(Record)
  readonly calls = new KeyedStates(Call)
  readonly #all: Attached[] = [
    ...[this.network, this.sequence, this.accounts, this.topics, this.schedules, this.signatories],
    ...[this.past, this.identities, this.seconds, this.records, this.calls],
  ]

  #reserved = 0

  constructor(
    readonly io: FlowIo,
    /** The time of the tick, as the network counts it. */
    readonly now: Timestamp,
  ) {}

  /** Lets an app's own states be part of the same commit. */
  attach<A>(map: KeyedStates<A>): KeyedStates<A> {
    this.#all.push(map)
    return map
  }

  *settings(): FlowBody<Settings> {
    const network = yield* this.network.get(this.io, theNetwork)
    if (network === undefined) throw new Error(notOpen)
    return network.settings
  }

  *consensus(): FlowBody<ConsensusData> {
    const consensus = yield* this.sequence.get(this.io, theConsensus)
    if (consensus === undefined) throw new Error(notOpen)
    return consensus
  }

  *setConsensus(consensus: ConsensusData): FlowBody<void> {
    yield* this.sequence.put(this.io, theConsensus, consensus)
  }

  *account(id: AccountID): FlowBody<AccountData | undefined> {
    return yield* this.accounts.get(this.io, id)
  }

  *setAccount(account: AccountData): FlowBody<void> {
    yield* this.accounts.put(this.io, account.accountID, account)
  }

  /** Takes a fee from an account that has been found able to pay it. */
  *collect(from: AccountData, fee: number): FlowBody<void> {
    if (fee === 0) return
    yield* this.setAccount({ ...from, balance: from.balance - fee })
    const collector = yield* this.account(feeCollector)
    if (collector === undefined) throw new Error(notOpen)
    yield* this.setAccount({ ...collector, balance: collector.balance + fee })
  }

  /** What has been read so far, for pure functions that look things up. */
  get lookup(): Lookup {
    return { account: (id) => this.accounts.peek(id), topic: (id) => this.topics.peek(id) }
  }

  /** Remembers how everything stands; calling the result puts it back. */
  mark(): () => void {
    const marks = this.#all.map((map) => ({ map, putBack: map.mark() }))
    return () => {
      for (const { putBack } of marks) putBack()
    }
  }

  /** Whether more has been read and changed than one commit can hold. */
  get isTooLarge(): boolean {
    let states = 0
    let bytes = this.#reserved
    for (const map of this.#all)
      for (const { before, now } of map.known()) {
        states += 1
        if (now !== before) bytes += frameBytes + (now === undefined ? 0 : Buffer.byteLength(canonicalText(now)))
      }
    return states > mostStates || bytes > mostBytes
  }

  /** Keeps room for what will be written besides the states: what was submitted, and what is about to end. */
  reserve(bytes: number): void {
    this.#reserved += bytes
  }

  /** The balances as they stand now; what is read later stands as it was on the ledger. */
  balances(): () => readonly AccountAmount[] {
    const then = new Map([...this.accounts.known()].map(({ key, now }) => [key, now?.balance ?? 0]))
    return () =>
      [...this.accounts.known()]
        .map(({ key, before, now }) => ({
          accountID: key,
          amount: (now?.balance ?? 0) - (then.get(key) ?? before?.balance ?? 0),
        }))
        .filter(({ amount }) => amount !== 0)
        .sort((a, b) => numberOf(a.accountID) - numberOf(b.accountID))
  }

  /** Puts everything into one transaction; books without a change put nothing there. */
  stage(transaction: TransactionBuilder, purpose: Purpose, submitted: SignedTransaction<unknown> | null): void {
    if (!this.#all.some((map) => map.hasChanged)) return
    // What was only read is named as well, since the contract looks up whose keys are needed.
    for (const map of this.#all) {
      map.stage(transaction)
      map.refer(transaction)
    }
    transaction.command(commands[purpose], [this.io.me], { submitted })
  }
}

/**
 * Works in the books and writes them; work that is refused leaves them untouched. Two flows may have read the same page;
 * the later one reads again.
 */
export const inBooks = <L, A>(
  io: FlowIo,
  purpose: Purpose,
  submitted: SignedTransaction<unknown> | null,
  work: (books: Books) => FlowBody<Either<L, A>>,
): FlowBody<Either<L, A>> =>
  io.transact(function* (transaction): FlowBody<Either<L, A>> {
    const books = new Books(io, timestampOf(yield* io.now()))
    const worked = yield* work(books)
    if (isRight(worked)) books.stage(transaction, purpose, submitted)
    return worked
  })
