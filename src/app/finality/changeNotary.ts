/**
 * Putting states under another notary: everyone who takes part signs, the notary they stood under lets them go, and
 * all record it. A state notarised by its owner needs this before another party accepts what consumes it.
 */
import * as t from 'io-ts'
import { left, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, type AnyFlowDefinition, type FlowBody } from '../FlowDefinition.js'
import type { FlowIo } from '../FlowIo.js'
import { defineResponder } from '../Responder.js'
import type { Session } from '../Session.js'
import { PartyC, type Party } from '../../identity/Party.js'
import type { Consent } from '../../ledger/Consents.js'
import type { LedgerTransaction } from '../../ledger/LedgerTransaction.js'
import { StateRefC, type StateRef } from '../../ledger/StateRef.js'
import { TransactionIdC } from '../../ledger/TransactionId.js'
import type { Proposal } from '../../finality/decideTransaction.js'
import type { SignedProposal } from '../../finality/operations/notaryChangeSigned.js'
import { finaliseTogether } from './finaliseTogether.js'
import { ask } from '../ask.js'
import { receiveFinality, signProposal } from './respond.js'

const sessionsWith = function* (io: FlowIo, parties: readonly Party[]): FlowBody<readonly Session[]> {
  const sessions: Session[] = []
  for (const party of parties) if (party.key !== io.me.key) sessions.push(yield* io.initiate(party))
  return sessions
}

/** Puts states under another notary. Gives their new refs, in the same order; nothing else about them changes. */
export const ChangeNotary = defineFlow({
  name: 'carillon/ChangeNotary',
  input: t.strict({ states: t.readonlyArray(StateRefC), notary: PartyC }),
  *run(io, { states, notary }): FlowBody<readonly StateRef[]> {
    const proposal = (yield* ask({ kind: 'changeNotary', refs: states, notary })) as Proposal
    const sessions = yield* sessionsWith(io, proposal.participants)
    const { outputs } = yield* finaliseTogether(io, proposal, { sessions })
    return outputs
  },
})

/**
 * Completes a change of notary that this party has signed and whose finality never came: the notary may have let the
 * states go without anyone here having heard of it. What is needed for that is in this node's own log.
 */
export const CompleteNotaryChange = defineFlow({
  name: 'carillon/CompleteNotaryChange',
  input: t.strict({ transaction: TransactionIdC }),
  *run(io, { transaction }): FlowBody<readonly StateRef[]> {
    const { proposal, signatures } = (yield* ask({ kind: 'notaryChangeSigned', id: transaction })) as SignedProposal
    const signed = new Set<string>(signatures.map(({ by }) => io.network.identityOf(by)))
    // Who has not signed yet is asked; who has is told when it is final.
    const unsigned = proposal.participants.filter(({ key }) => !signed.has(key))
    const sessions = yield* sessionsWith(io, unsigned)
    const { outputs } = yield* finaliseTogether(io, proposal, { sessions, signatures, isEnoughHere: true })
    return outputs
  },
})

/** Why a party may not ask for a change at all, whatever the app thinks of it. */
const faultOf = ({ newNotary, inputs }: LedgerTransaction, from: Party): string | undefined => {
  // Whatever else is proposed in this session is for an app to judge, and not to be signed unseen.
  if (newNotary === undefined) return 'It is not a change of notary.'
  const takesPart = inputs.every(({ definition, data }) =>
    definition.participants(data).some(({ key }) => key === from.key),
  )
  return takesPart ? undefined : `${from.name} does not take part in all of the states.`
}

/** A node agrees to a change when the party that asks takes part in all states, and its own app agrees. */
const respondTo = (name: string, respondsTo: { readonly name: string }, consent: Consent | undefined) =>
  defineResponder({
    name,
    respondsTo,
    *run(io, session): FlowBody<string> {
      yield* signProposal(io, session, (transaction): Either<string, void> => {
        const fault = faultOf(transaction, session.party)
        if (fault !== undefined) return left(fault)
        if (consent === undefined) return left(`The app of ${io.me.name} agrees to no change of notary.`)
        return consent(transaction, session.party)
      })
      return (yield* receiveFinality(session)).id
    },
  })

/** The responders of a node to changes of notary, as its app agrees to them. */
export const notaryChangeResponders = (consent: Consent | undefined): readonly AnyFlowDefinition[] => [
  respondTo('carillon/ChangeNotaryResponder', ChangeNotary, consent),
  respondTo('carillon/CompleteNotaryChangeResponder', CompleteNotaryChange, consent),
]
