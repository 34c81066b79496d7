/**
 * What must be true of every vault, whoever is a member of the network: keys belong to one state, and nothing is recorded
 * that nobody here has asked for.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalText, Encoded, type Json } from '../../../encoding/canonical.js'
import { showRef } from '../../../ledger/StateRef.js'
import { dependenciesOf, sealBody, type TransactionBody } from '../../../ledger/Transaction.js'
import { FinalityC, HistoryC } from '../../../finality/protocol.js'
import type { EventOf } from '../../../log/events.js'
import { otherRole } from '../../../log/Message.js'
import { faultOfKey } from '../falseKeys.js'
import type { Invariant, PartyAtEnd, World } from '../World.js'
import { refusedSessions } from './refusedSessions.js'

const bodyOf = ({ body }: EventOf<'TransactionRecorded'>): TransactionBody =>
  body instanceof Encoded ? (JSON.parse(body.text) as TransactionBody) : body

/** At most one unconsumed state of a type is found under a key, and it concerns the party. */
export const oneStateAKey: Invariant = {
  name: 'a key belongs to one state that concerns the party',
  violations: ({ parties }) =>
    parties.flatMap(({ name, inspect }) => {
      const holders = new Map<string, string>()
      return inspect.vault({ includeIrrelevant: true, limit: 1_000 }).items.flatMap(({ type, key, ref, relevant }) => {
        if (key === undefined) return []
        if (!relevant) return [`${name} knows state ${showRef(ref)} by "${key}", and it does not concern it`]
        const before = holders.get(`${type} ${key}`)
        holders.set(`${type} ${key}`, showRef(ref))
        return before === undefined ? [] : [`${name} knows both ${before} and ${showRef(ref)} by "${key}"`]
      })
    }),
}

/** Decided here by itself, and not by the code that is judged. */
const isCanonical = (signature: string): boolean => Buffer.from(signature, 'base64').toString('base64') === signature

const payloadOf = (event: EventOf<'MessageSent' | 'MessageReceived'>): Readonly<Record<string, Json>> => {
  const payload: unknown = event.message.kind === 'data' ? event.message.payload : undefined
  const value: unknown = payload instanceof Encoded ? JSON.parse(payload.text) : payload
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, Json>>) : {}
}

/** The transactions that a party has asked for as history, with all that they build on. */
const askedFor = ({ log }: PartyAtEnd, bodies: ReadonlyMap<string, TransactionBody>): ReadonlySet<string> => {
  const found = new Set<string>()
  const open = log.flatMap(({ event }) => {
    if (event.type !== 'MessageSent') return []
    const { type, ids } = payloadOf(event)
    return type === 'fetch' && Array.isArray(ids) ? (ids as readonly string[]) : []
  })
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const body = bodies.get(id)
    if (found.has(id) || body === undefined) continue
    found.add(id)
    open.push(...dependenciesOf(body))
  }
  return found
}

/** Everything that is recorded anywhere, and what a party was sent as history: some of it may have been refused. */
const bodiesIn = ({ parties }: World): ReadonlyMap<string, TransactionBody> => {
  const found = new Map<string, TransactionBody>()
  for (const { log } of parties)
    for (const { event } of log) {
      if (event.type === 'TransactionRecorded') found.set(event.id, bodyOf(event))
      if (event.type !== 'MessageReceived') continue
      const page = HistoryC.decode(payloadOf(event))
      if (!isLeft(page)) for (const { body } of page.right.transactions) found.set(sealBody(body).id, body)
    }
  return found
}

/** The transaction that a message says to be final. */
const finalIn = (event: EventOf<'MessageReceived'>): readonly string[] => {
  const final = FinalityC.decode(payloadOf(event))
  return isLeft(final) ? [] : [sealBody(final.right.transaction.body).id]
}

/** A node records what its party signed, what its flows ask for, and what these build on. */
export const nothingUnasked: Invariant = {
  name: 'nothing is recorded that nobody asked for',
  violations: (world) => {
    const bodies = bodiesIn(world)
    return world.parties.flatMap((party) => {
      const asked = askedFor(party, bodies)
      const flows = new Map(
        party.log.flatMap(({ event }) => (event.type === 'FlowStarted' ? [[event.flow, event] as const] : [])),
      )
      const signed = new Set(
        party.log.flatMap(({ event }) => (event.type === 'TransactionSigned' ? [String(event.id)] : [])),
      )
      const told = new Set(party.log.flatMap(({ event }) => (event.type === 'MessageReceived' ? finalIn(event) : [])))
      return party.log.flatMap(({ event }) => {
        if (event.type !== 'TransactionRecorded') return []
        const what = `${party.name} has recorded transaction ${event.id}`
        if (event.ancestor === true) {
          const isInert = event.assessments.every(
            (one) => !one.relevant && one.key === undefined && one.activity === undefined,
          )
          if (!isInert) return [`${what} as an ancestor, and something in it concerns it`]
          return asked.has(event.id) ? [] : [`${what} as an ancestor, which nothing builds on that it asked for`]
        }
        const flow = flows.get(event.flow ?? '')
        if (flow?.origin.kind !== 'session' || signed.has(event.id)) return []
        if (!told.has(event.id)) return [`${what} as its own concern, and was not told that it is final`]
        if (flow.name !== 'carillon/ReceiveBroadcast') return []
        return world.app.agreesTo.observe === undefined
          ? [`${what} because somebody sent it, and has neither signed it nor agreed to observe it`]
          : []
      })
    })
  },
}

/** A flow that has signed something in answer to another party takes that for final, and nothing else. */
export const finalIsSigned: Invariant = {
  name: 'what is received as final is what was signed',
  violations: ({ parties }) =>
    parties.flatMap(({ name, log }) => {
      const responders = new Set<string>()
      const signed = new Map<string, Set<string>>()
      return log.flatMap(({ event }) => {
        if (event.type === 'FlowStarted' && event.origin.kind === 'session') responders.add(event.flow)
        if (event.type === 'TransactionSigned')
          signed.set(event.flow, (signed.get(event.flow) ?? new Set<string>()).add(event.id))
        if (event.type !== 'TransactionRecorded' || event.ancestor === true || event.flow === undefined) return []
        const own = responders.has(event.flow) ? signed.get(event.flow) : undefined
        return own === undefined || own.has(event.id)
          ? []
          : [`${name} has signed ${[...own].join(' and ')} in flow ${event.flow}, and recorded ${event.id}`]
      })
    }),
}

/** What a party has heard in a session with an honest one is what that one has said, or that it has refused the session and so has none. */
export const heardIsSaid: Invariant = {
  name: 'what is heard in a session was said by its other end',
  violations: ({ parties, hostile }) => {
    const said = new Set<string>()
    const refused = refusedSessions(parties)
    const place = ({ session, role, seq, message }: EventOf<'MessageSent' | 'MessageReceived'>): string =>
      canonicalText({ session, role, seq, message })
    for (const { log } of parties) for (const { event } of log) if (event.type === 'MessageSent') said.add(place(event))
    return parties.flatMap(({ name, log }) => {
      const others = new Map<string, string>()
      return log.flatMap(({ event }) => {
        if (event.type === 'SessionOpened') others.set(`${event.session} ${event.role}`, event.party)
        if (event.type !== 'MessageReceived' || hostile.has(others.get(`${event.session} ${event.role}`) ?? ''))
          return []
        return said.has(place({ ...event, role: otherRole(event.role) })) || refused.has(event.session)
          ? []
          : [`${name} has heard message ${event.seq} of session ${event.session}, which its other end never sent`]
      })
    })
  },
}

/** No output of a recorded transaction names an older version of a contract than what it consumes. */
export const contractsGoOn: Invariant = {
  name: 'no contract falls back behind what is consumed',
  violations: (world) => {
    const bodies = bodiesIn(world)
    return world.parties.flatMap(({ name, log }) =>
      log.flatMap(({ event }) => {
        if (event.type !== 'TransactionRecorded') return []
        const { inputs, outputs } = bodyOf(event)
        const consumed = inputs.flatMap(
          ({ transaction, index }) => bodies.get(transaction)?.outputs[index]?.contract ?? [],
        )
        return outputs
          .filter(({ contract }) =>
            consumed.some((one) => one.name === contract.name && one.version > contract.version),
          )
          .map(({ contract }) => `${name} has recorded ${event.id}, which falls back to version ${contract.version}`)
      }),
    )
  },
}

/** A signature has one text: a transaction that could be recorded in two forms could not be told from itself. */
export const signaturesCanonical: Invariant = {
  name: 'a signature is recorded in its one canonical text',
  violations: ({ parties }) =>
    parties.flatMap(({ name, log }) =>
      log.flatMap(({ event }) =>
        event.type === 'TransactionRecorded' &&
        event.signatures?.some(({ signature }) => !isCanonical(signature)) === true
          ? [`${name} has recorded a signature of transaction ${event.id} in another text`]
          : [],
      ),
    ),
}

/** Whoever must sign a recorded transaction holds a key, and its signature counts once. */
export const keysCount: Invariant = {
  name: 'who must sign holds a key, and counts once',
  violations: ({ parties }) =>
    parties.flatMap(({ name, log }) =>
      log.flatMap(({ event }) => {
        if (event.type !== 'TransactionRecorded') return []
        const fault = bodyOf(event)
          .signers.flat()
          .flatMap((key) => faultOfKey(key) ?? [])[0]
        return fault === undefined ? [] : [`${name} has recorded ${event.id}, and of a key that must sign it: ${fault}`]
      }),
    ),
}

/** The history of what is final is asked for by those alone who have signed it, asked for it, or may observe it. */
export const historyIsWanted: Invariant = {
  name: 'no history is asked for of what nobody wants',
  violations: ({ app, parties }) => {
    if (app.agreesTo.observe !== undefined) return []
    return parties.flatMap(({ name, log }) => {
      const own = new Set<string>()
      const unasked = new Set<string>()
      const told = new Map<string, string>()
      for (const { event } of log) {
        if (event.type === 'TransactionSigned') own.add(event.id)
        if (event.type === 'TransactionRecorded' && event.ancestor !== true) own.add(event.id)
        if (event.type === 'FlowStarted' && event.name === 'carillon/ReceiveBroadcast')
          if (event.origin.kind === 'session') unasked.add(event.origin.session)
        if (event.type === 'MessageReceived') for (const id of finalIn(event)) told.set(event.session, id)
      }
      return log.flatMap(({ event }) => {
        if (event.type !== 'MessageSent' || !unasked.has(event.session)) return []
        const id = payloadOf(event)['type'] === 'fetch' ? told.get(event.session) : undefined
        return id === undefined || own.has(id)
          ? []
          : [`${name} has asked for the history of ${id}, which it has neither signed nor agreed to observe`]
      })
    })
  },
}

/** Who is shown a part signs for commands that it sees and means, and no notary lets go what nobody could record. */
export const nothingGranted: Invariant = {
  name: 'nobody signs what must not be signed',
  violations: ({ granted }) => granted,
}

/** A change of notary is signed only for a party that takes part in all of its states. */
export const changesAreShared: Invariant = {
  name: 'nobody signs a change of notary for a stranger',
  violations: ({ parties }) => {
    const participants = new Map<string, readonly string[]>()
    for (const { log } of parties)
      for (const { event } of log)
        if (event.type === 'TransactionRecorded')
          event.assessments.forEach((one, index) => participants.set(`${event.id}:${index}`, one.participants))
    return parties.flatMap(({ name, log }) => {
      const asking = new Map<string, string>()
      return log.flatMap(({ event }) => {
        if (event.type === 'FlowStarted' && event.origin.kind === 'session') asking.set(event.flow, event.origin.party)
        const by = event.type === 'TransactionSigned' ? asking.get(event.flow) : undefined
        if (event.type !== 'TransactionSigned' || event.proposal === undefined || by === undefined) return []
        const isShared = event.proposal.body.inputs.every(
          (ref) => participants.get(showRef(ref))?.includes(by) === true,
        )
        return isShared ? [] : [`${name} has signed the change of notary ${event.id} for ${by}, who takes no part`]
      })
    })
  },
}
