/**
 * The definition of a responder: the flow that a party runs when another party's flow opens a session with it.
 */
import { rememberPlace } from '../errors/codePlace.js'
import { SessionInputC, type SessionInput } from '../session/SessionInput.js'
import { assertBody, assertRun } from './assertBody.js'
import { defineFlow, type FlowBody, type FlowDefinition, type FlowOptions } from './FlowDefinition.js'
import type { FlowIo } from './FlowIo.js'
import { Session } from './Session.js'

/** What an app writes to define a responder. */
export type ResponderOptions<R> = Pick<FlowOptions<SessionInput, R>, 'transient' | 'retry' | 'whenFailing'> & {
  /** A name that stays the same for ever, such as `swap/AcceptOffer`. */
  readonly name: string
  /** Counts up when the behaviour changes. Default 1. */
  readonly version?: number
  /** The flow it answers, by definition or by name. */
  readonly respondsTo: { readonly name: string } | string
  /** The versions of that flow it understands, first and last. Default: only version 1. */
  readonly versions?: readonly [first: number, last: number]
  readonly run: (io: FlowIo, session: Session, version: number) => FlowBody<R>
}

/** Defines the flow that answers when another party's flow opens a session. */
export const defineResponder = <R>(options: ResponderOptions<R>): FlowDefinition<SessionInput, R> => {
  const [fromVersion, toVersion] = options.versions ?? [1, 1]
  const flow = typeof options.respondsTo === 'string' ? options.respondsTo : options.respondsTo.name
  assertRun(rememberPlace({ name: options.name, run: options.run }, defineResponder))
  const definition: FlowDefinition<SessionInput, R> = defineFlow({
    name: options.name,
    ...(options.version === undefined ? {} : { version: options.version }),
    ...(options.transient === undefined ? {} : { transient: options.transient }),
    ...(options.retry === undefined ? {} : { retry: options.retry }),
    ...(options.whenFailing === undefined ? {} : { whenFailing: options.whenFailing }),
    input: SessionInputC,
    clients: false,
    *run(io, { session, party, version }): FlowBody<R> {
      const body = options.run(io, new Session(session, party, 'responder'), version)
      return yield* assertBody(definition, body)
    },
  })
  return Object.freeze(rememberPlace({ ...definition, respondsTo: { flow, fromVersion, toVersion } }, defineResponder))
}
