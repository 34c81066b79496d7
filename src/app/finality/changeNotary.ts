/**
 * Putting states under another notary: everyone who takes part signs, the notary they stood under lets them go, and
 * all record it. A state notarised by its owner needs this before another party accepts what consumes it.
 */
import * as t from 'io-ts'
import { left, right } from 'fp-ts/lib/Either.js'
import { defineFlow, type FlowBody } from '../FlowDefinition.js'
import { defineResponder } from '../Responder.js'
import type { Session } from '../Session.js'
import { PartyC } from '../../identity/Party.js'
import { StateRefC, type StateRef } from '../../ledger/StateRef.js'
import type { Proposal } from '../../finality/decideTransaction.js'
import { finaliseTogether } from './finaliseTogether.js'
import { perform } from './history.js'
import { receiveFinality, signProposal } from './respond.js'

/** Puts states under another notary. Gives their new refs, in the same order; nothing else about them changes. */
export const ChangeNotary = defineFlow({
  name: 'carillon/ChangeNotary',
  input: t.strict({ states: t.readonlyArray(StateRefC), notary: PartyC }),
  *run(io, { states, notary }): FlowBody<readonly StateRef[]> {
    const proposal = (yield* perform({ kind: 'changeNotary', refs: states, notary })) as Proposal
    const sessions: Session[] = []
    for (const party of proposal.participants) if (party.key !== io.me.key) sessions.push(yield* io.initiate(party))
    const { outputs } = yield* finaliseTogether(io, proposal, { sessions })
    return outputs
  },
})

/** Every node agrees to a change that leads to a notary it trusts: it changes nothing else, which is checked. */
export const ChangeNotaryResponder = defineResponder({
  name: 'carillon/ChangeNotaryResponder',
  respondsTo: ChangeNotary.name,
  *run(io, session): FlowBody<string> {
    yield* signProposal(io, session, ({ newNotary }) =>
      // Whatever else is proposed in this session is for an app to judge, and not to be signed unseen.
      newNotary === undefined ? left('It is not a change of notary.') : right(undefined),
    )
    return (yield* receiveFinality(session)).id
  },
})
