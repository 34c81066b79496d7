/**
 * Notices when a function reads what no record keeps: the clock, or randomness. For the length of one call `Date`,
 * `performance`, `Math` and `crypto` are replaced, so it is used on development nodes, and where something was found wrong.
 */
import { codePlaceIn } from '../errors/codePlace.js'
import type { ClockRead } from '../ledger/assess.js'

/** Something that code has read from outside: how, and where in the code. */
export type OutsideRead = {
  readonly kind: 'clock' | 'random'
  /** What was called, such as `Date.now()`. */
  readonly what: string
  readonly stack: Error
}

type Watch = {
  readonly noticed: (read: OutsideRead) => void
  /** By how much clocks are ahead meanwhile. */
  readonly aheadMs: number
}

let watch: Watch | undefined

const notice = (kind: OutsideRead['kind'], what: string, reader: (...values: never[]) => unknown): void => {
  const stack = new Error(what)
  Error.captureStackTrace(stack, reader)
  watch?.noticed({ kind, what, stack })
}

const aheadMs = (): number => watch?.aheadMs ?? 0

const watchedDate = (RealDate: DateConstructor): DateConstructor => {
  const now = (): number => {
    notice('clock', 'Date.now()', now)
    return RealDate.now() + aheadMs()
  }
  const construct: NonNullable<ProxyHandler<DateConstructor>['construct']> = (target, values, newTarget) => {
    if (values.length > 0) return Reflect.construct(target, values, newTarget) as Date
    notice('clock', 'new Date()', construct)
    return Reflect.construct(target, [RealDate.now() + aheadMs()], newTarget) as Date
  }
  const apply = (): string => {
    notice('clock', 'Date()', apply)
    return new RealDate(RealDate.now() + aheadMs()).toString()
  }
  return new Proxy(RealDate, {
    construct,
    apply,
    get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
  })
}

let dates: { readonly real: DateConstructor; readonly watched: DateConstructor } | undefined

/** Puts a value in the place of a member; gives what puts everything back as it was. */
const replace = (holder: object, name: string, value: unknown): (() => void) => {
  const before = Object.getOwnPropertyDescriptor(holder, name)
  Object.defineProperty(holder, name, { value, configurable: true, writable: true, enumerable: true })
  return () => {
    if (before === undefined) Reflect.deleteProperty(holder, name)
    else Object.defineProperty(holder, name, before)
  }
}

/** Runs a function and tells every read of a clock or of randomness in it, at once. */
export const watchReads = <A>(
  run: () => A,
  noticed: (read: OutsideRead) => void,
  { aheadMs: ahead = 0 }: { readonly aheadMs?: number } = {},
): A => {
  const before = watch
  if (before === undefined && dates?.real !== globalThis.Date)
    dates = { real: globalThis.Date, watched: watchedDate(globalThis.Date) }
  const realNow = performance.now.bind(performance)
  const realRandom = Math.random
  const realId = crypto.randomUUID.bind(crypto)
  const now = (): number => {
    notice('clock', 'performance.now()', now)
    return realNow() + aheadMs()
  }
  const random = (): number => {
    notice('random', 'Math.random()', random)
    return realRandom()
  }
  const randomUUID: typeof crypto.randomUUID = () => {
    notice('random', 'crypto.randomUUID()', randomUUID)
    return realId()
  }
  // What runs within something that is watched already needs no other replacements.
  const restore =
    before === undefined
      ? [
          replace(globalThis, 'Date', dates?.watched),
          replace(performance, 'now', now),
          replace(Math, 'random', random),
          replace(crypto, 'randomUUID', randomUUID),
        ]
      : []
  watch = { noticed, aheadMs: ahead }
  try {
    return run()
  } finally {
    watch = before
    for (const undo of restore) undo()
  }
}

/** How a function reads the clock while it runs; undefined when it does not. */
export const readsClock = (run: () => unknown): ClockRead | undefined => {
  let first: OutsideRead | undefined
  try {
    watchReads(run, (read) => {
      if (read.kind === 'clock') first ??= read
    })
  } catch {
    // Whatever it throws is met again, and reported, when it is asked in earnest.
  }
  return first === undefined ? undefined : { what: first.what, at: codePlaceIn(first.stack) }
}
