/**
 * A little ledger that the specs of flows and bad input share: notes that belong to the node's party, and ways to
 * look at what a node has recorded.
 */
import { expect } from 'chai'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  IntegerC,
  NoInputC,
  PartyC,
  type AnyFlowDefinition,
  type AnyStateDefinition,
  type App,
  type FlowBody,
  type FlowDefinition,
  type FlowId,
  type FlowIo,
  type Node,
  type StateRef,
} from '../../src/index.js'
import { decodeEvent, type DomainEvent } from '../../src/entries/logs.js'
import type { ErrorCode } from '../../src/entries/types.js'
import { VirtualNode, type VirtualNodeOptions } from '../../src/testing/index.js'

export const Note = defineState({
  type: 'notes/Note',
  data: t.strict({ owner: PartyC, text: t.string, n: IntegerC }),
  participants: ({ owner }) => [owner],
})

export const Write = defineCommand({ type: 'notes/Write' })

/** Puts one note on the ledger, from within a flow. */
export const writeNote = function* (io: FlowIo, text: string, n = 0): FlowBody<StateRef> {
  const written = yield* io.finalise((tx) => tx.produce(Note, { owner: io.me, text, n }).command(Write, [io.me]))
  return written.output()
}

/** Puts a note on the ledger; the flow that specs use to see whether others still go on. */
export const WriteNote = defineFlow({
  name: 'notes/WriteNote',
  input: t.strict({ text: t.string }),
  *run(io, { text }): FlowBody<StateRef> {
    return yield* writeNote(io, text)
  },
})

/** A flow without input. */
export const flowOf = <R>(
  run: (io: FlowIo) => FlowBody<R>,
  name = 'notes/Tested',
): FlowDefinition<Record<string, never>, R> => defineFlow({ name, input: NoInputC, run })

export const appOf = (flows: readonly AnyFlowDefinition[], states: readonly AnyStateDefinition[] = []): App =>
  defineApp({ name: 'notes', states: [Note, ...states], flows: [WriteNote, ...flows] })

/** Starts a node for the length of one test. */
export const startVirtual = (app: App, options: Omit<VirtualNodeOptions, 'app'> = {}): Promise<VirtualNode> =>
  VirtualNode.start({ app, ...options })

/** As if the process had been killed and started again, perhaps with another version of the app. */
export const crashAndRestart = async (virtual: VirtualNode, app?: App): Promise<Node> => {
  await virtual.crash()
  return virtual.restart(app === undefined ? {} : { app })
}

/** Everything in the log, decoded: what cannot be decoded fails the test that recorded it. */
export const eventsOf = async (node: Node, fromRevision = 0): Promise<readonly DomainEvent[]> => {
  const events: DomainEvent[] = []
  for await (const tick of node.readLog(fromRevision))
    tick.events.forEach((line, index) => {
      if (tick.firstRevision + index >= fromRevision) events.push(decodeEvent(line, tick.firstRevision + index))
    })
  return events
}

export const eventTypes = async (node: Node, fromRevision = 0): Promise<readonly string[]> =>
  (await eventsOf(node, fromRevision)).map(({ type }) => type)

export const textsOf = async (node: Node): Promise<readonly string[]> =>
  (await node.states(Note, { limit: 1_000 })).map(({ data }) => data.text)

/** The error a promise is rejected with; fails when it is not, or with something else than a CarillonError. */
export const refusal = async (promise: Promise<unknown>, code?: ErrorCode): Promise<CarillonError> => {
  let answer: unknown
  try {
    answer = await promise
  } catch (error) {
    if (!(error instanceof CarillonError)) throw error
    if (code !== undefined) expect(error.code, error.message).to.equal(code)
    return error
  }
  throw new Error(`It was expected to be refused, but was answered with ${JSON.stringify(answer)}`)
}

/** The status of a flow and its error, without its story. */
export const statusOf = async (node: Node, id: FlowId): Promise<string> => {
  const flow = await node.flow(id)
  return flow === undefined ? 'unknown' : flow.error === undefined ? flow.status : `${flow.status}: ${flow.error.code}`
}

/** That a node still works: it takes a note and shows it. */
export const expectAlive = async (virtual: VirtualNode): Promise<void> => {
  const text = `still here at revision ${virtual.node.head.revision}`
  await virtual.node.run(WriteNote, { text })
  expect(await textsOf(virtual.node)).to.include(text)
}
