/** Flows that do nothing but talk, and an envelope that anyone may put on the wire. */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import {
  allOf,
  defineApp,
  defineContract,
  defineFlow,
  defineResponder,
  defineState,
  IntegerC,
  JsonC,
  parkFlow,
  PartyC,
  type App,
  type FlowBody,
  type Json,
} from 'carillon'

/** Sends what it is given, message by message, and returns the answers; `repeat` reads once more after the end. */
export const Tell = defineFlow({
  name: 'talk/Tell',
  input: t.strict({ to: t.readonlyArray(PartyC), says: t.readonlyArray(JsonC) }),
  *run(io, { to, says }): FlowBody<Json> {
    const sessions = []
    for (const party of to) sessions.push(yield* io.initiate(party))
    const heard: Json[] = []
    for (const word of says) for (const session of sessions) heard.push(yield* session.sendAndReceive(word, JsonC))
    for (const session of sessions) yield* session.close()
    return heard
  },
})

const NoState = defineState({
  type: 'talk/Nothing',
  data: t.strict({}),
  contract: defineContract({ name: 'talk/Nothing', verify: () => allOf([]) }),
  participants: () => [],
})

const WordC = t.union([IntegerC, t.keyof({ fail: null, throw: null, park: null, leave: null, late: null })])

/** Answers numbers with their double; told to, it fails in one way or another. */
export const Listen = defineResponder({
  name: 'talk/Listen',
  respondsTo: Tell,
  *run(io, session): FlowBody<number> {
    for (let count = 0; ; count++) {
      const word = yield* io.attempt(session.receive(WordC))
      if (isLeft(word)) {
        if (word.left.code === 'session-ended') return count
        throw word.left
      }
      switch (word.right) {
        case 'fail':
          yield* io.load(NoState, { transaction: '0'.repeat(64) as never, index: 0 })
          break
        case 'throw':
          throw new Error('a secret of this node')
        case 'park':
          throw parkFlow('a person must look')
        case 'leave':
          return count
        case 'late':
          yield* io.sleep({ hours: 1 })
          yield* session.send('late')
          break
        default:
          yield* session.send(word.right * 2)
      }
    }
  },
})

/** Reads on although the other side has left. */
export const Deaf = defineFlow({
  name: 'talk/Deaf',
  input: t.strict({ to: PartyC }),
  *run(io, { to }): FlowBody<string[]> {
    const session = yield* io.initiate(to)
    yield* session.send('leave')
    const codes: string[] = []
    for (let tries = 0; tries < 3; tries++) {
      const heard = yield* io.attempt(session.receive(JsonC))
      codes.push(isLeft(heard) ? heard.left.code : 'data')
    }
    return codes
  },
})

export const Leave = defineResponder({
  name: 'talk/Leave',
  respondsTo: Deaf,
  *run(_io, session): FlowBody<void> {
    yield* session.receive(JsonC)
  },
})

/** A flow that nobody answers. */
export const Unheard = defineFlow({
  name: 'talk/Unheard',
  input: t.strict({ to: PartyC }),
  *run(io, { to }): FlowBody<Json> {
    const session = yield* io.initiate(to)
    return yield* session.receive(JsonC)
  },
})

/** Version 3 of a flow whose responder understands versions 1 and 2. */
export const Modern = defineFlow({
  name: 'talk/Modern',
  version: 3,
  input: t.strict({ to: PartyC }),
  *run(io, { to }): FlowBody<Json> {
    const session = yield* io.initiate(to)
    return yield* session.receive(JsonC)
  },
})

export const Ancient = defineResponder({
  name: 'talk/Ancient',
  respondsTo: 'talk/Modern',
  versions: [1, 2],
  *run(_io, session): FlowBody<void> {
    yield* session.send('hello')
  },
})

/** Speaks first of all to one party and then keeps quiet, so that its session stays open. */
export const Wait = defineFlow({
  name: 'talk/Wait',
  input: t.strict({ to: PartyC }),
  *run(io, { to }): FlowBody<Json> {
    const session = yield* io.initiate(to)
    yield* session.send('late')
    return yield* session.receive(JsonC)
  },
})

export const Linger = defineResponder({
  name: 'talk/Linger',
  respondsTo: Wait,
  *run(io, session): FlowBody<void> {
    yield* session.receive(JsonC)
    yield* io.sleep({ hours: 1 })
    yield* session.send('late')
  },
})

export const app: App = defineApp({
  name: 'talk',
  states: [NoState],
  flows: [Tell, Listen, Deaf, Leave, Unheard, Modern, Ancient, Wait, Linger],
})
