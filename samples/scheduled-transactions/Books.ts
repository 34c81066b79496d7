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
import { entityOf, numberOf, timestampOf, type AccountID, type ScheduleID, type Timestamp } from './model/ids.js'
import type { Signatories as SignatoriesData } from './model/Schedule.js'
import { feeCollector, type Settings } from './model/Settings.js'
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

/** A transaction of the ledger holds a thousand of each; a few are for what every commit writes besides. */
const mostStates = 960
/** A fact of the log is no longer than 256 KiB. */
const mostBytes = 248 * 1_024

const notOpen = 'The network has not been opened; run scheduled-transactions/OpenNetwork first.'

export class Books extends StateBooks {
  readonly network = this.keep(Network)
  readonly sequence = this.keep(Consensus)
  readonly accounts = this.keep(Account)
  readonly topics = this.keep(Topic)
  readonly schedules = this.keep(Schedule)
  readonly signatories = this.keep(Signatories)
  readonly past = this.keep(PastSchedule)
  readonly identities = this.keep(IdentityEntry)
  readonly seconds = this.keep(ExpirySecond)
  readonly records = this.keep(Record)
  readonly calls = this.keep(Call)
  #reserved = 0

  constructor(
    io: FlowIo,
    /** The time of the tick, as the network counts it. */
    readonly now: Timestamp,
  ) {
    super(io)
  }

  /** The books as they are at this moment of a flow. */
  static *open(io: FlowIo): FlowBody<Books> {
    return new Books(io, timestampOf(yield* io.now()))
  }

  *settings(): FlowBody<Settings> {
    return (yield* this.only(this.network, theNetwork, notOpen)).settings
  }

  consensus(): FlowBody<ConsensusData> {
    return this.only(this.sequence, theConsensus, notOpen)
  }

  setConsensus(consensus: ConsensusData): FlowBody<void> {
    return this.sequence.put(this.io, theConsensus, consensus)
  }

  /** The next consensus time, which is given out once. */
  *nextTime(): FlowBody<Timestamp> {
    const consensus = yield* this.consensus()
    const last = nextTime(consensus, this.now)
    yield* this.setConsensus({ ...consensus, last })
    return last
  }

  /** The next number of an account, a topic or a schedule, which is given out once. */
  *nextEntity(): FlowBody<string> {
    const consensus = yield* this.consensus()
    yield* this.setConsensus({ ...consensus, nextEntity: consensus.nextEntity + 1 })
    return entityOf(consensus.nextEntity)
  }

  account(id: AccountID): FlowBody<AccountData | undefined> {
    return this.accounts.get(this.io, id)
  }

  setAccount(account: AccountData): FlowBody<void> {
    return this.accounts.put(this.io, account.accountID, account)
  }

  /** Who has signed a schedule so far. */
  *signers(id: ScheduleID): FlowBody<SignatoriesData['keys']> {
    return (yield* this.signatories.get(this.io, id))?.keys ?? []
  }

  setSigners(schedule: ScheduleID, keys: SignatoriesData['keys']): FlowBody<void> {
    return this.signatories.put(this.io, schedule, { operator: this.io.me, schedule, keys })
  }

  /** Takes a fee from an account that has been found able to pay it. */
  *collect(from: AccountData, fee: number): FlowBody<void> {
    if (fee === 0) return
    yield* this.setAccount({ ...from, balance: from.balance - fee })
    const collector = yield* this.only(this.accounts, feeCollector, notOpen)
    yield* this.setAccount({ ...collector, balance: collector.balance + fee })
  }

  /** What has been read so far, for pure functions that look things up. */
  get lookup(): Lookup {
    return { account: (id) => this.accounts.peek(id), topic: (id) => this.topics.peek(id) }
  }

  /** Whether more has been read and changed than one commit can hold. */
  get isTooLarge(): boolean {
    const { states, bytes } = this.size
    return states > mostStates || bytes + this.#reserved > mostBytes
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
): FlowBody<Either<L, A>> =>
  io.transact(function* (transaction): FlowBody<Either<L, A>> {
    const books = yield* Books.open(io)
    const worked = yield* work(books)
    if (isRight(worked)) books.stage(transaction, purpose, submitted)
    return worked
  })
