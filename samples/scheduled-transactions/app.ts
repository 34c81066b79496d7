/**
 * The app of a network: the operations every network has, those that an app adds, and the flows that take them.
 */
import { defineApp, type AnyFlowDefinition, type AnyStateDefinition } from 'carillon'
import type { NetworkRules } from './Books.js'
import { callFlow, Clear, expireFlow } from './flows/dueFlows.js'
import { OpenNetwork, SetParameters } from './flows/govern.js'
import { GetCapacity, GetRecord, ScheduleGetHistory, ScheduleGetInfo } from './flows/queries.js'
import { scheduleCreateFlow } from './flows/ScheduleCreate.js'
import { ScheduleDelete, scheduleSignFlow, submitFlow } from './flows/transactions.js'
import { hashIdentity, type HashIdentity } from './model/Identity.js'
import { builtIn } from './operations/builtIn.js'
import { operationsOf, type Operation } from './operations/Operation.js'
import { states } from './states.js'

export type NetworkOptions = {
  /** Operations of the app's own. They can be scheduled once the whitelist names them. */
  readonly operations?: readonly Operation[]
  /** Flows that operations call; see schedulableFlow. */
  readonly flows?: readonly AnyFlowDefinition[]
  /** States of the app's own. */
  readonly states?: readonly AnyStateDefinition[]
  /** Where identities are filed. Two that are filed under one hash are still told apart. */
  readonly hash?: HashIdentity
}

export const scheduledTransactions = ({ operations = [], flows = [], ...options }: NetworkOptions = {}) => {
  const rules: NetworkRules = {
    operations: operationsOf([...builtIn, ...operations]),
    hash: options.hash ?? hashIdentity,
  }
  const ScheduleCreate = scheduleCreateFlow(rules)
  const ScheduleSign = scheduleSignFlow(rules)
  const Submit = submitFlow(rules)
  const app = defineApp({
    name: 'scheduled-transactions',
    version: '1.0.0',
    states: [...states, ...(options.states ?? [])],
    flows: [
      ...[OpenNetwork, SetParameters, ScheduleCreate, ScheduleSign, ScheduleDelete, Submit],
      ...[ScheduleGetInfo, ScheduleGetHistory, GetRecord, GetCapacity],
      ...[expireFlow(rules), Clear, callFlow(flows), ...flows],
    ],
  })
  return { app, flows: { ScheduleCreate, ScheduleSign, Submit } }
}

/** The app, and those of its flows that know its operations. */
export type NetworkApp = ReturnType<typeof scheduledTransactions>
