/** A flow can use only its own sessions, whatever ids it has heard of. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, defineResponder, JsonC, PartyC, type FlowBody, type Json } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { Session } from '../../src/app/Session.js'
import type { Operation } from '../../src/app/Operation.js'
import type { SessionId } from '../../src/log/SessionId.js'
import { SessionIdC } from '../../src/log/SessionId.js'

/** Opens a session and waits for one message in it. */
const Ask = defineFlow({
  name: 'own/Ask',
  input: t.strict({ of: PartyC }),
  *run(io, { of }): FlowBody<Json> {
    const session = yield* io.initiate(of)
    yield* io.progress(session.id)
    return yield* session.receive(JsonC)
  },
})
const Answer = defineResponder({
  name: 'own/Answer',
  respondsTo: Ask,
  *run(io, session): FlowBody<void> {
    yield* io.sleep({ hours: 1 })
    yield* session.send('the answer')
  },
})

const RoleC = t.keyof({ initiator: null, responder: null })

/** Does one thing in a session it was told of. */
const Meddle = defineFlow({
  name: 'own/Meddle',
  input: t.strict({ session: SessionIdC, party: PartyC, role: RoleC, operation: t.string }),
  *run(io, { session: id, party, role, operation }): FlowBody<string> {
    const session = new Session(id, party, role)
    const end = { session: id, role }
    const place = { ...end, party: party.name, seq: 0 }
    const part = function* (): FlowBody<unknown> {
      switch (operation) {
        case 'send':
          return yield* session.send('meddling')
        case 'receive':
          return yield* session.receive(JsonC)
        case 'close':
          return yield* session.close()
        case 'vend':
          return yield { kind: 'vend', ...end, ids: [] } as never
        case 'traceHistory':
          return yield { kind: 'traceHistory', ...place, wanted: [] } as never
        default:
          return yield { kind: operation, ...place }
      }
    }
    const done = yield* io.attempt(part())
    return done._tag === 'Left' ? done.left.code : 'done'
  },
})

const app = defineApp({ name: 'own', states: [], flows: [Ask, Answer, Meddle] })

type InSession = Exclude<Extract<Operation, { readonly session: SessionId }>['kind'], 'initiate'>

/** Every kind of operation that names a session which was opened before; the compiler knows when one is missing. */
const inSessions: Readonly<Record<InSession, null>> = {
  send: null,
  receive: null,
  close: null,
  vend: null,
  takeHistory: null,
  traceHistory: null,
  recordHistory: null,
}

describe('The sessions of a flow', () => {
  it('are of no use to another flow, at either end and by any operation', async () => {
    const network = await VirtualNetwork.start({ parties: { Alice: { app }, Bob: { app } } })
    const asking = await network.node('Alice').start(Ask, { of: network.party('Bob') })
    await network.advanceBy({ seconds: 1 })
    const session = (await network.node('Alice').flow(asking.id))?.progress
    if (!SessionIdC.is(session)) throw new Error('the session was not told')
    for (const operation of Object.keys(inSessions))
      for (const [me, other, role] of [
        ['Alice', 'Bob', 'initiator'],
        ['Bob', 'Alice', 'responder'],
      ] as const) {
        const meddling = await network.node(me).start(Meddle, { session, party: network.party(other), role, operation })
        await network.advanceBy({ seconds: 1 })
        const { status, result } = (await network.node(me).flow(meddling.id))!
        expect([status, result], `${operation} as ${role}`).to.deep.equal(['completed', 'session-ended'])
      }
    await network.advanceBy({ hours: 2 })
    expect(await asking.result()).to.equal('the answer')
  })
})
