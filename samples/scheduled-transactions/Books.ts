/**
 * The whole ledger of the network as one flow works in it. A transaction reads and changes it freely; at the end
 * everything is written in one commit, or nothing is.
 */
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody, FlowIo, TransactionBuilder } from 'carillon'
import { StateBooks } from '../shared/StateBooks.js'
import { commands, type Purpose } from './kinds.js'
import type { Account as AccountData, Lookup } from './model/Account.js'
import { nextTime, type Consensus as ConsensusData } from './model/Consensus.js'
import { entityOf, numberOf, showTransactionID, timestampOf } from './model/ids.js'
import type { AccountID, ScheduleID, Timestamp } from './model/ids.js'
import { hashIdentity, type HashIdentity } from './model/Identity.js'
import type { Signatories as SignatoriesData } from './model/Schedule.js'
import { feeCollector, type Settings } from './model/Settings.js'
import type { SignedTransaction } from './model/TransactionBody.js'
import type { AccountAmount, TransactionRecord } from './model/TransactionRecord.js'
import type { Operations } from './operations/Operation.js'
import * as states from './states.js'

/** A transaction of the ledger holds a thousand of each; a few are for what every commit writes besides. */
const mostStates = 960
/** A fact of the log is no longer than 256 KiB. */
const mostBytes = 248 * 1_024

const notOpen = 'The network has not been opened; run scheduled-transactions/OpenNetwork first.'

/** What an app has said about its network. */
export type NetworkRules = {
  readonly operations: Operations
  /** Where identities are filed. Two that are filed under one hash are still told apart. */
  readonly hash: HashIdentity
}
const noRules: NetworkRules = { operations: new Map(), hash: hashIdentity }

export class Books extends StateBooks {
  // In the order in which transactions name them, which recorded logs hold.
  readonly network = this.keep(states.Network)
  readonly sequence = this.keep(states.Consensus)
  readonly accounts = this.keep(states.Account)
  readonly topics = this.keep(states.Topic)
  readonly schedules = this.keep(states.Schedule)
  readonly signatories = this.keep(states.Signatories)
  readonly past = this.keep(states.PastSchedule)
  readonly identities = this.keep(states.IdentityEntry)
  readonly seconds = this.keep(states.ExpirySecond)
  readonly records = this.keep(states.Record)
  readonly calls = this.keep(states.Call)
  #reserved = 0

  private constructor(
    io: FlowIo,
    /** The time of the tick, as the network counts it. */
    readonly now: Timestamp,
    readonly rules: NetworkRules,
  ) {
    super(io)
  }

  /** The books as they are at this moment of a flow. */
  static *open(io: FlowIo, rules = noRules): FlowBody<Books> {
    const books = new Books(io, timestampOf(yield* io.now()), rules)
    yield* books.network.get(states.theNetwork)
    return books
  }

  get settings(): Settings {
    const network = this.network.states.peek(states.theNetwork)
    if (network === undefined) throw new Error(notOpen)
    return network.settings
  }

  /** Whether an identical create joins the schedule that is there; otherwise it is refused. */
  get isMerging(): boolean {
    return this.settings.onIdentical === 'merge'
  }

  consensus(): FlowBody<ConsensusData> {
    return this.sequence.must(states.theConsensus, notOpen)
  }

  *setConsensus(change: Partial<ConsensusData>): FlowBody<void> {
    yield* this.sequence.put({ ...(yield* this.consensus()), ...change })
  }

  /** The next consensus time, which is given out once. */
  *nextTime(): FlowBody<Timestamp> {
    const last = nextTime(yield* this.consensus(), this.now)
    yield* this.setConsensus({ last })
    return last
  }

  /** The next number of an account, a topic or a schedule, which is given out once. */
  *nextEntity(): FlowBody<string> {
    const { nextEntity } = yield* this.consensus()
    yield* this.setConsensus({ nextEntity: nextEntity + 1 })
    return entityOf(nextEntity)
  }

  /** Who has signed a schedule so far. */
  *signers(id: ScheduleID): FlowBody<SignatoriesData['keys']> {
    return (yield* this.signatories.get(id))?.keys ?? []
  }

  setSigners(schedule: ScheduleID, keys: SignatoriesData['keys']): FlowBody<void> {
    return this.signatories.put({ operator: this.io.me, schedule, keys })
  }

  putRecord(record: TransactionRecord): FlowBody<void> {
    return this.records.put({ operator: this.io.me, id: showTransactionID(record.transactionID), record })
  }

  /** Takes a fee from an account that has been found able to pay it. */
  *collect(from: AccountData, fee: number): FlowBody<void> {
    if (fee === 0) return
    yield* this.accounts.put({ ...from, balance: from.balance - fee })
    const collector = yield* this.accounts.must(feeCollector, notOpen)
    yield* this.accounts.put({ ...collector, balance: collector.balance + fee })
  }

  /** What has been read so far, for pure functions that look things up. */
  get lookup(): Lookup {
    return { account: (id) => this.accounts.states.peek(id), topic: (id) => this.topics.states.peek(id) }
  }

  /** Whether more has been read and changed than one commit can hold. */
  get isTooLarge(): boolean {
    const { states: read, bytes } = this.size
    return read > mostStates || bytes + this.#reserved > mostBytes
  }

  /** Keeps room for what will be written besides the states: what was submitted, and what is about to end. */
  reserve(bytes: number): void {
    this.#reserved += bytes
  }

  /** The balances as they stand now; calling the result tells who has more since, and who less. */
  balances(): () => readonly AccountAmount[] {
    const { states: accounts } = this.accounts
    const then = new Map<AccountID, number>([...accounts.known()].map(({ key, now }) => [key, now?.balance ?? 0]))
    return () =>
      [...accounts.known()]
        .map(({ key, before, now }) => ({
          accountID: key,
          // What was read later stood as it was on the ledger.
          amount: (now?.balance ?? 0) - (then.get(key) ?? before?.balance ?? 0),
        }))
        .filter(({ amount }) => amount !== 0)
        .sort((a, b) => numberOf(a.accountID) - numberOf(b.accountID))
  }

  /** Puts everything into one transaction; books without a change put nothing there. */
  stage(transaction: TransactionBuilder, purpose: Purpose, submitted: SignedTransaction<unknown> | null): void {
    if (!this.hasChanged) return
    // What was only read is named as well, since the contract looks up whose keys are needed.
    this.write(transaction, { refer: true })
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
  rules?: NetworkRules,
): FlowBody<Either<L, A>> =>
  io.transact(function* (transaction): FlowBody<Either<L, A>> {
    const books = yield* Books.open(io, rules)
    const worked = yield* work(books)
    if (isRight(worked)) books.stage(transaction, purpose, submitted)
    return worked
  })
