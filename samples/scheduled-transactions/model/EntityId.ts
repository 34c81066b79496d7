/**
 * What accounts, topics and schedules are known by: shard, realm and number, of which only the number counts here.
 */
import * as t from 'io-ts'

const pattern = /^0\.0\.(0|[1-9]\d{0,14})$/

const entityId = (name: string): t.Type<string> => t.refinement(t.string, (text) => pattern.test(text), name)

export const AccountIDC = entityId('AccountID')
export type AccountID = string
export const TopicIDC = entityId('TopicID')
export type TopicID = string
export const ScheduleIDC = entityId('ScheduleID')
export type ScheduleID = string

/** A network, told from all others. It is part of whatever is signed, so that a signature is good on one of them. */
export const LedgerIDC = t.refinement(t.string, (text) => /^[0-9a-f]{64}$/.test(text), 'LedgerID')
export type LedgerID = t.TypeOf<typeof LedgerIDC>

export const entityOf = (number: number): string => `0.0.${number}`
export const numberOf = (id: string): number => Number(id.slice('0.0.'.length))
