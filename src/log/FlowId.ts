/**
 * The id of a flow: 32 hex digits. A scheduled flow's id follows from what started it, so the same start can
 * never make two flows.
 */
import * as t from 'io-ts'
import { sha256 } from '../encoding/hash.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import type { Instant } from '../time/Instant.js'

export interface FlowIdBrand {
  readonly FlowId: unique symbol
}

const pattern = /^[0-9a-f]{32}$/

/** Codec of a flow id. */
export const FlowIdC = t.brand(t.string, (text): text is t.Branded<string, FlowIdBrand> => pattern.test(text), 'FlowId')
/** The id of one flow: 32 hex digits. */
export type FlowId = t.TypeOf<typeof FlowIdC>

const shorten = (text: string): FlowId => sha256(text).slice(0, 32) as FlowId

export const flowIdOfOccurrence = (ref: StateRef, due: Instant, attempt: number): FlowId =>
  shorten(`occurrence\n${showRef(ref)}\n${due}\n${attempt}`)

export const flowIdOfClientId = (clientId: string): FlowId => shorten(`client\n${clientId}`)
