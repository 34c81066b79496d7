/**
 * The definition of a signal: something that people, programs and other flows may tell a flow while it runs.
 */
import type * as t from 'io-ts'
import { CarillonError } from '../errors/CarillonError.js'
import { assertName } from '../ledger/assertName.js'
import type { Instant } from '../time/Instant.js'

/** A kind of signal. Make one with {@link defineSignal}. */
export type SignalDefinition<A> = {
  readonly name: string
  readonly data: t.Type<A, unknown>
}

/** A definition whose data is of no interest, as registries hold it. */
// oxlint-disable-next-line typescript/no-explicit-any -- definitions are invariant in their data; `any` is the only type all of them fit
export type AnySignalDefinition = SignalDefinition<any>

/** What an app writes to define a signal. */
export type SignalOptions<A> = {
  /** A name that stays the same for ever, such as `orders/Approve`. */
  readonly name: string
  /** The io-ts codec of what it says. */
  readonly data: t.Type<A, unknown>
}

/** A signal as the flow gets it. */
export type ReceivedSignal<A> = {
  readonly data: A
  /** Who sent it, as recorded: an operator, a token, or `flow:` and the id of a flow. */
  readonly by: string
  /** When it was recorded. */
  readonly at: Instant
}

/** Defines a signal. List it in the app's `signals`, so that whoever sends one is told what it takes. */
export const defineSignal = <A>(options: SignalOptions<A>): SignalDefinition<A> => {
  assertName('signal', options.name)
  if (typeof (options.data as unknown as { readonly decode?: unknown } | undefined)?.decode !== 'function')
    throw new CarillonError('definition-invalid', `Signal ${options.name} needs a codec: data: t.strict({ … }).`, {
      signal: options.name,
    })
  return Object.freeze({ name: options.name, data: options.data })
}
