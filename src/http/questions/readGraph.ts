/**
 * The neighbourhood of a state on the ledger: the transactions that led to it and those that followed, with their
 * inputs and outputs. Forwards the vault knows the way; backwards the transactions themselves name their inputs.
 */
import { httpLimits } from '../limits.js'
import type { StateRef } from '../../ledger/StateRef.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { decodeEvent } from '../../log/decodeEvent.js'
import type { Graph } from '../answers.js'
import type { ReadableNode } from '../Route.js'
import { findState, findTransaction } from '../../storage/queries/readVault.js'
import type { VaultEntry } from '../../vault/VaultEntry.js'

type GraphTransaction = Graph['transactions'][number]
type GraphState = Graph['states'][number]

/** What a transaction says of itself, read from the log. */
const bodyAt = async (
  node: ReadableNode,
  revision: number,
): Promise<{ readonly inputs: readonly StateRef[]; readonly commands: readonly string[] }> => {
  for await (const tick of node.readLog(revision)) {
    const event = decodeEvent(tick.events[revision - tick.firstRevision] ?? '', revision)
    if (event.type !== 'TransactionRecorded' || !('inputs' in event.body)) break
    return { inputs: event.body.inputs, commands: event.body.commands.map(({ type }) => type) }
  }
  return { inputs: [], commands: [] }
}

const stateOf = ({ ref, type, consumedBy }: VaultEntry): GraphState => ({
  ref,
  type,
  consumed: consumedBy !== undefined,
  ...(consumedBy === undefined ? {} : { consumedBy }),
})

export const readGraph = async (node: ReadableNode, from: StateRef, depth: number): Promise<Graph> => {
  const transactions = new Map<string, GraphTransaction>()
  const states = new Map<string, GraphState>()
  let partial = false
  const visit = async (id: TransactionId, left: number): Promise<void> => {
    if (transactions.has(id)) return
    if (transactions.size + states.size >= httpLimits.graphNodes) {
      partial = true
      return
    }
    const place = await node.readViews((db) => findTransaction(db, id))
    if (place === undefined) return
    const { inputs, commands } = await bodyAt(node, place.revision)
    transactions.set(id, { id, at: place.at, revision: place.revision, commands })
    const refs = [...inputs, ...Array.from({ length: place.outputs }, (_, index) => ({ transaction: id, index }))]
    for (const ref of refs) {
      const key = `${ref.transaction}:${ref.index}`
      if (states.has(key)) continue
      if (states.size >= httpLimits.graphNodes) {
        partial = true
        break
      }
      const entry = await node.readViews((db) => findState(db, ref))
      if (entry !== undefined) states.set(key, stateOf(entry))
    }
    if (left === 0) {
      partial ||= inputs.length > 0
      return
    }
    for (const { transaction } of inputs) await visit(transaction, left - 1)
    for (let index = 0; index < place.outputs; index += 1) {
      const next = states.get(`${id}:${index}`)?.consumedBy
      if (next !== undefined) await visit(next, left - 1)
    }
  }
  await visit(from.transaction, depth)
  return { transactions: [...transactions.values()], states: [...states.values()], partial }
}
