/**
 * All books of the registry as one flow works in them. A request reads and changes them freely; at the end either
 * everything is written in one transaction, or nothing is.
 */
import type * as t from 'io-ts'
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, refuseWith, type CommandDefinition, type FlowBody, type FlowDefinition } from 'carillon'
import type { FlowIo, RefusalOf, TransactionBuilder, TransactOptions } from 'carillon'
import { bytesOf, StateBooks } from '../shared/StateBooks.js'
import { closed } from './model/closed.js'
import type { Sweeper as SweeperData } from './model/Registry.js'
import { meaningOf, RefusedC, type Answer, type Refusal, type Refused } from './model/Refusal.js'
import type { Limits, Task as TaskData } from './model/Task.js'
import type { Settings } from './model/Settings.js'
import type { TaskEvent } from './events.js'
import { unixTime, type UnixTime } from './model/slots.js'
import { Account, Call, MissedPage, Registry, Sweeper, Task, TaskQueue, TimeSlot } from './states.js'
import { theRegistry, theSweeper } from './states.js'

const notOpen = 'The registry has not been opened; run recurring-tasks/Open first.'

export class Books extends StateBooks {
  // In the order in which transactions name them, which recorded logs hold.
  readonly registries = this.keep(Registry)
  readonly sweepers = this.keep(Sweeper)
  readonly tasks = this.keep(Task)
  readonly slots = this.keep(TimeSlot)
  readonly queues = this.keep(TaskQueue)
  readonly missed = this.keep(MissedPage)
  readonly accounts = this.keep(Account)
  readonly calls = this.keep(Call)
  readonly events: TaskEvent[] = []

  constructor(
    io: FlowIo,
    readonly now: UnixTime,
  ) {
    super(io)
  }

  registry() {
    return this.registries.must(theRegistry, notOpen)
  }

  sweeper() {
    return this.sweepers.must(theSweeper, notOpen)
  }

  *settings(): FlowBody<Settings> {
    return (yield* this.registry()).settings
  }

  /** Changes what the sweeper knows. */
  *setSweeper(change: Partial<SweeperData>): FlowBody<void> {
    yield* this.sweepers.put({ ...(yield* this.sweeper()), ...change })
  }

  /** Makes something known, of a task or of the registry, once the books are written. */
  tell(event: TaskEvent, about?: Pick<TaskData, 'id' | 'owner'>): void {
    this.events.push(about === undefined ? event : { ...event, id: about.id, who: about.owner })
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
    this.registries.states.refer(transaction)
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
export const defineRequest = <I, A extends object>(
  name: string,
  purpose: Purpose,
  input: t.Type<I, unknown>,
  work: (books: Books, input: I) => FlowBody<Either<Refusal, A>>,
): FlowDefinition<I, Answer<A>, Refused> =>
  defineFlow({
    name: `recurring-tasks/${name}`,
    input: closed(input),
    refusals: RefusedC,
    run: (io, asked) => inBooks(io, purpose, (books) => work(books, asked)),
  })
