/**
 * All books of the registry as one flow works in them. A request reads and changes them freely; at the end either
 * everything is written in one transaction, or nothing is.
 */
import type * as t from 'io-ts'
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import {
  defineFlow,
  KeyedStates,
  refuseWith,
  type CommandDefinition,
  type FlowBody,
  type FlowDefinition,
  type FlowIo,
  type RefusalOf,
  type TransactionBuilder,
  type TransactOptions,
} from 'carillon'
import { closed } from './model/closed.js'
import type { Registry as RegistryData, Sweeper as SweeperData } from './model/Registry.js'
import { meaningOf, RefusedC, type Answer, type Refusal, type Refused } from './model/Refusal.js'
import type { Limits } from './model/Schedule.js'
import type { Settings } from './model/Settings.js'
import type { TaskEvent } from './model/TaskEvent.js'
import { unixTime, type UnixTime } from './model/timeSlots.js'
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

export class Books {
  readonly taskMap = new KeyedStates(Task)
  readonly triggerMap = new KeyedStates(TimeSlot)
  readonly taskQueue = new KeyedStates(TaskQueue)
  readonly missedQueue = new KeyedStates(MissedPage)
  readonly accounts = new KeyedStates(Account)
  readonly calls = new KeyedStates(Call)
  readonly registryMap = new KeyedStates(Registry)
  readonly sweeperMap = new KeyedStates(Sweeper)
  readonly events: TaskEvent[] = []
  readonly #all = [
    ...[this.registryMap, this.sweeperMap, this.taskMap, this.triggerMap],
    ...[this.taskQueue, this.missedQueue, this.accounts, this.calls],
  ]

  constructor(
    readonly io: FlowIo,
    readonly now: UnixTime,
  ) {}

  *registry(): FlowBody<RegistryData> {
    const registry = yield* this.registryMap.get(this.io, theRegistry)
    if (registry === undefined) throw new Error('The registry has not been opened; run recurring-tasks/Open first.')
    return registry
  }

  *settings(): FlowBody<Settings> {
    return (yield* this.registry()).settings
  }

  *sweeper(): FlowBody<SweeperData> {
    const sweeper = yield* this.sweeperMap.get(this.io, theSweeper)
    if (sweeper === undefined) throw new Error('The registry has not been opened; run recurring-tasks/Open first.')
    return sweeper
  }

  /** Makes something known, once the books are written. */
  tell(...events: readonly TaskEvent[]): void {
    this.events.push(...events)
  }

  get hasChanged(): boolean {
    return this.#all.some((map) => map.hasChanged)
  }

  /** When tasks may be scheduled. */
  *limits(): FlowBody<Limits> {
    return { now: this.now, swept: (yield* this.sweeper()).lastTimeSlot, settings: yield* this.settings() }
  }

  /** Remembers how everything stands; calling the result puts it back. */
  mark(): () => void {
    const undo = this.#all.map((map) => map.mark())
    const told = this.events.length
    return () => {
      for (const each of undo) each()
      this.events.length = told
    }
  }

  /** About how many bytes the transaction will have. */
  get bytes(): number {
    let bytes = this.events.reduce((sum, event) => sum + bytesOf(event), 0)
    for (const map of this.#all)
      for (const { before, now } of map.known())
        if (now !== before) bytes += inputOrOutputBytes + (now === undefined ? 0 : bytesOf(now))
    return bytes
  }

  /** Puts everything into one transaction; books without a change put nothing there. */
  *stage(transaction: TransactionBuilder, purpose: Purpose): FlowBody<void> {
    if (!this.hasChanged) return
    // Asked here, so that every transaction names the registry whose limits it keeps.
    yield* this.registryMap.get(this.io, theRegistry)
    for (const map of this.#all) map.stage(transaction)
    this.registryMap.refer(transaction)
    transaction.command(purpose, [this.io.me], { events: this.events })
  }
}

/** What the ledger adds to each state: its type, its contract, what it means to the operator. */
const inputOrOutputBytes = 500
const sizes = new WeakMap<object, number>()

/** Values never change, so each is measured once. */
const bytesOf = (value: object): number => {
  const known = sizes.get(value)
  if (known !== undefined) return known
  const bytes = Buffer.byteLength(JSON.stringify(value))
  sizes.set(value, bytes)
  return bytes
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
