/**
 * Looks on while a flow runs on a development node, and finds what a developer overlooks: an operation that was made and
 * never asked for, a clock or a random number that was read. It costs a stack for every operation that the flow makes.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { appPlacesIn, atPlace, codePlaceIn, stackOf } from '../errors/codePlace.js'
import { FlowIo } from '../app/FlowIo.js'
import { Session } from '../app/Session.js'
import { watchReads, type OutsideRead } from './watchReads.js'

/** An operation as `io` made it. */
type Made = { readonly name: string; readonly stack: Error; readonly move: number }

/**
 * A flow that goes on for ever is told of what it forgets while it runs, once it has forgotten something between so many of its
 * operations. How much it makes at once says nothing: it may have many parts.
 */
const mostForgetful = 100

type Method = (...values: readonly unknown[]) => unknown

/** When a flow is run again its clocks are ahead: what depends on them comes out different, however soon that is. */
const againAheadMs = 400 * 86_400_000 + 5 * 3_600_000 + 7 * 60_000 + 11_013

const isGenerator = (value: unknown): value is Generator =>
  typeof value === 'object' && value !== null && 'next' in value && 'throw' in value && Symbol.iterator in value

const instead: Readonly<Record<OutsideRead['kind'], string>> = {
  clock: 'Use yield* io.now(), which is recorded and gives the same time when the flow is run again',
  random: 'Use yield* io.newId() or a step, which are recorded and give the same value when the flow is run again',
}

/** Whether code of the app itself made a call, and not a package it uses: a package may read a clock and not need it. */
const isByApp = ({ stack }: OutsideRead): boolean => {
  const [caller] = appPlacesIn(stackOf(stack) ?? '')
  return caller !== undefined && !/[\\/]node_modules[\\/]/.test(caller.file)
}

export class FlowWatch {
  readonly #flow: string
  /** Operations that were made and not begun. */
  readonly #unasked = new Map<unknown, Made>()
  /** How often its code has gone on. */
  #move = 0
  /** The last time at which it was asked whether it forgets too much. */
  #askedAt = 0
  #read: OutsideRead | undefined
  #aheadMs = 0

  constructor(flow: string) {
    this.#flow = flow
  }

  /** The flow is being run again over its record. */
  beginAgain(): void {
    this.#aheadMs = againAheadMs
  }

  /** The flow has come to where its record ends, and goes on from there. */
  endAgain(): void {
    this.#aheadMs = 0
  }

  /** The same io, whose operations are noticed when they are made and when they are begun. */
  watched(io: FlowIo): FlowIo {
    this.#notice(io, FlowIo.prototype, 'io')
    return io
  }

  /** Runs code of the flow. A clock that the app itself reads is refused where it is read. */
  run<A>(move: () => A): A {
    this.#move += 1
    const opened = Session.opened
    Session.opened = (session) => {
      this.#notice(session, Session.prototype, 'session')
    }
    try {
      return watchReads(
        move,
        (read) => {
          this.#read ??= read
          if (read.kind === 'clock' && isByApp(read)) throw this.#clockRead(read)
        },
        { aheadMs: this.#aheadMs },
      )
    } finally {
      Session.opened = opened
    }
  }

  #clockRead(read: OutsideRead): CarillonError {
    const error = new CarillonError(
      'flow-reads-clock',
      `Flow ${this.#flow} reads the clock with ${read.what}${atPlace(codePlaceIn(read.stack))}. ${instead.clock}.`,
      { flow: this.#flow, read: read.what },
    )
    error.stack = stackOf(read.stack)?.replace(/^Error:/, 'CarillonError:') ?? ''
    return error
  }

  /** Why a flow, run again, differs from what it did before: it has read something from outside. */
  explain(difference: string): CarillonError | undefined {
    if (this.#read === undefined) return undefined
    if (this.#read.kind === 'clock') return this.#clockRead(this.#read)
    const { what, stack } = this.#read
    return new CarillonError(
      'flow-diverged',
      `Flow ${this.#flow} gives something else each time it is run, since it calls ${what}${atPlace(codePlaceIn(stack))}: ${difference}. ${instead.random}.`,
      { flow: this.#flow, difference },
    )
  }

  /** What is wrong with a flow that has come to its end; undefined when nothing is. `thrown` is what it threw, if it did. */
  judge(thrown?: { readonly error: unknown }): CarillonError | undefined {
    // An error that the flow states itself says more than what it left undone.
    if (thrown?.error instanceof CarillonError) return undefined
    const [made] = this.#unasked.values()
    if (made === undefined) return undefined
    const then = thrown === undefined ? '' : ` Then it threw: ${messageOf(thrown.error)}`
    return new CarillonError(
      'operation-not-yielded',
      `Flow ${this.#flow} calls ${made.name}${atPlace(codePlaceIn(made.stack))} without yield*, so it was never done. Write: yield* ${made.name}(…).${then}`,
      { flow: this.#flow, operation: made.name },
      thrown?.error,
    )
  }

  #notice(object: object, prototype: object, called: string): void {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const member: unknown = Reflect.get(prototype, name, object)
      if (name === 'constructor' || typeof member !== 'function') continue
      const method = member as Method
      const noticed = (...values: readonly unknown[]): unknown => {
        for (const value of values) this.#handedOver(value)
        const made = method.apply(object, [...values])
        if (isGenerator(made)) this.#made(made, `${called}.${name}`, noticed)
        return made
      }
      Object.defineProperty(object, name, { value: noticed, configurable: true })
    }
  }

  #made(operation: Generator, name: string, by: Method): void {
    const stack = new Error(name)
    Error.captureStackTrace(stack, by)
    this.#unasked.set(operation, { name, stack, move: this.#move })
    const fault = this.#forgetsTooMuch() ? this.judge() : undefined
    if (fault !== undefined) throw fault
    const next = operation.next.bind(operation)
    operation.next = (...values) => {
      operation.next = next
      this.#unasked.delete(operation)
      return next(...values)
    }
  }

  #forgetsTooMuch(): boolean {
    if (this.#unasked.size <= mostForgetful || this.#askedAt === this.#move) return false
    this.#askedAt = this.#move
    return new Set([...this.#unasked.values()].map(({ move }) => move)).size > mostForgetful
  }

  /** What is given to another operation is for that one to begin. */
  #handedOver(value: unknown): void {
    if (this.#unasked.size === 0 || typeof value !== 'object' || value === null) return
    this.#unasked.delete(value)
    // Parts come by name, or in a list of pairs.
    for (const inner of Object.values(value))
      if (Array.isArray(inner)) for (const each of inner) this.#unasked.delete(each)
      else this.#unasked.delete(inner)
  }
}
