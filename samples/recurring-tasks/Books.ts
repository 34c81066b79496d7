/**
 * All books of the registry as one flow works in them. A request reads and changes them freely; at the end either
 * everything is written in one transaction, or nothing is.
 */
import type * as t from 'io-ts'
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import {
  defineFlow,
  refuseWith,
  type CommandDefinition,
  type FlowBody,
  type FlowDefinition,
  type FlowIo,
  type RefusalOf,
  type TransactionBuilder,
  type TransactOptions,
} from 'carillon'
import { bytesOf, StateBooks } from '../shared/StateBooks.js'
import { closed } from './model/closed.js'
import type { Registry as RegistryData, Sweeper as SweeperData } from './model/Registry.js'
import { meaningOf, RefusedC, type Answer, type Refusal, type Refused } from './model/Refusal.js'
import type { Limits } from './model/Task.js'
import type { Settings } from './model/Settings.js'
import type { TaskEvent } from './events.js'
import { unixTime, type UnixTime } from './model/slots.js'
import {
  Account,
  Call,
  MissedPage,
  Registry,
  Sweeper,
  Task,
  TaskQueue,
  theRegistry,
  theSweeper,
  TimeSlot,
} from './states.js'

const notOpen = 'The registry has not been opened; run recurring-tasks/Open first.'

export class Books extends StateBooks {
  // In the order in which transactions name them, which recorded logs hold.
  readonly registryMap = this.keep(Registry)
  readonly sweeperMap = this.keep(Sweeper)
  readonly taskMap = this.keep(Task)
  readonly triggerMap = this.keep(TimeSlot)
  readonly taskQueue = this.keep(TaskQueue)
  readonly missedQueue = this.keep(MissedPage)
  readonly accounts = this.keep(Account)
  readonly calls = this.keep(Call)
  readonly events: TaskEvent[] = []

  constructor(
    io: FlowIo,
    readonly now: UnixTime,
  ) {
    super(io)
  }

  registry(): FlowBody<RegistryData> {
    return this.only(this.registryMap, theRegistry, notOpen)
  }

  *settings(): FlowBody<Settings> {
    return (yield* this.registry()).settings
  }

  sweeper(): FlowBody<SweeperData> {
    return this.only(this.sweeperMap, theSweeper, notOpen)
  }

  /** Changes what the sweeper knows. */
  *setSweeper(change: Partial<SweeperData>): FlowBody<void> {
    yield* this.sweeperMap.put(this.io, theSweeper, { ...(yield* this.sweeper()), ...change })
  }

  /** Makes something known, once the books are written. */
  tell(...events: readonly TaskEvent[]): void {
    this.events.push(...events)
  }

  /** When tasks may be scheduled. */
  *limits(): FlowBody<Limits> {
    return { now: this.now, swept: (yield* this.sweeper()).lastTimeSlot, settings: yield* this.settings() }
  }

  /** Takes back what is told, too. */
  override mark(): () => void {
    const undo = super.mark()
    const told = this.events.length
    return () => {
      undo()
      this.events.length = told
    }
  }

  /** About how many bytes the transaction will have. */
  get bytes(): number {
    return this.events.reduce((sum, event) => sum + bytesOf(event), this.size.bytes)
  }

  /** Puts everything into one transaction; books without a change put nothing there. */
  *stage(transaction: TransactionBuilder, purpose: Purpose): FlowBody<void> {
    if (!this.hasChanged) return
    // Asked here, so that every transaction names the registry whose limits it keeps.
    yield* this.registry()
    this.write(transaction)
    this.registryMap.refer(transaction)
    transaction.command(purpose, [this.io.me], { events: this.events })
  }
}

type Purpose = CommandDefinition<{ readonly events: readonly TaskEvent[] }>

/**
 * Works in the books and writes them, or leaves them untouched when the work is refused. Two requests may have read the
 * same page; the later one reads again.
 */
export const inBooks = <A extends object>(
  io: FlowIo,
  purpose: Purpose,
  work: (books: Books) => FlowBody<Either<Refusal, A>>,
  options: TransactOptions = {},
): FlowBody<Answer<A> | RefusalOf<Refused>> =>
  io.transact(function* (transaction): FlowBody<Answer<A> | RefusalOf<Refused>> {
    const books = new Books(io, unixTime(yield* io.now()))
    const worked = yield* work(books)
    if (isLeft(worked)) return refuseWith({ ok: false as const, error: worked.left, why: meaningOf(worked.left) })
    yield* books.stage(transaction, purpose)
    return { ok: true, ...worked.right }
  }, options)

/** A request: a flow that answers, or refuses by the name of the reason. It takes no fields it does not know. */
export const defineRequest = <I, A extends object>(request: {
  readonly name: string
  readonly input: t.Type<I, unknown>
  readonly purpose: Purpose
  readonly work: (books: Books, input: I) => FlowBody<Either<Refusal, A>>
}): FlowDefinition<I, Answer<A>, Refused> =>
  defineFlow({
    name: `recurring-tasks/${request.name}`,
    input: closed(request.input),
    refusals: RefusedC,
    run: (io, input) => inBooks(io, request.purpose, (books) => request.work(books, input)),
  })
