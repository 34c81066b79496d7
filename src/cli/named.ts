/**
 * Flows and states by what people type: the whole id, or its first digits, which the node or its store completes; a flow
 * also by its caller and its client id.
 */
import { FlowDetailsC, VaultEntryC } from '../http/answers.js'
import { FlowTextC, RefTextC } from '../http/codecs.js'
import { parseRef, type StateRef } from '../ledger/StateRef.js'
import { FlowIdC, namedByClient, type FlowId } from '../log/FlowId.js'
import { noFlowId } from '../storage/queries/readFlows.js'
import { noStateRef } from '../storage/queries/resolveRef.js'
import { NodeApi, type NodePlace } from './NodeApi.js'

/** The path of a flow in the API. */
export const flowPath = (text: string): string => {
  const given = namedByClient(text) === undefined ? text.trim().toLowerCase() : text
  if (!FlowTextC.is(given)) throw noFlowId(text)
  return `/flows/${encodeURIComponent(given)}`
}

/** The path of a state in the API. */
export const statePath = (text: string): string => {
  const given = text.trim().toLowerCase()
  if (!RefTextC.is(given)) throw noStateRef(text)
  return `/states/${given}`
}

export const flowNamed = async (place: NodePlace, text: string): Promise<FlowId> =>
  FlowIdC.is(text) ? text : (await NodeApi.at(place).get(flowPath(text), { story: 'false' }, FlowDetailsC)).id

export const stateNamed = async (place: NodePlace, text: string): Promise<StateRef> =>
  /^[0-9a-f]{64}:\d+$/.test(text) ? parseRef(text) : (await NodeApi.at(place).get(statePath(text), {}, VaultEntryC)).ref
