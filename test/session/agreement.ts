/** What the apps of these specs share: to settle a transaction with all of its parties, and to agree to what others propose. */
import { right } from 'fp-ts/lib/Either.js'
import {
  defineResponder,
  type FlowBody,
  type FlowIo,
  type Party,
  type StateRef,
  type TransactionBuilder,
} from 'carillon'

/** Settles a transaction with all of the parties, and gives its first output. */
export const settle = function* (
  io: FlowIo,
  parties: readonly Party[],
  build: (draft: TransactionBuilder) => TransactionBuilder,
): FlowBody<StateRef> {
  const sessions = []
  for (const party of parties) if (party.key !== io.me.key) sessions.push(yield* io.initiate(party))
  return (yield* io.finalise(build, { sessions })).output()
}

type Check = Parameters<FlowIo['signProposal']>[1]

/** The responder that signs what a flow of that name proposes, unless the check gives a reason not to, and records it. */
export const agreeTo = (flow: string, check: Check = () => right(undefined), name = flow.replace('/', '/Agree')) =>
  defineResponder({
    name,
    respondsTo: flow,
    *run(io, session): FlowBody<string> {
      yield* io.signProposal(session, check)
      return (yield* io.receiveFinality(session)).id
    },
  })
