/**
 * The recurring-tasks app. Give it the flows that tasks may call; the registry decides which of them are allowed.
 */
import { defineApp, type AnyFlowDefinition, type AnyStateDefinition, type App } from 'carillon'
import { CancelTask, Endow, Open, Reconfigure, ScheduleTask, StartTasks, StopTasks } from './flows/requests.js'
import { makeCallFlow } from './flows/MakeCall.js'
import { Sweep } from './flows/Sweep.js'
import { states } from './states.js'

export const recurringTasks = (
  also: { readonly flows?: readonly AnyFlowDefinition[]; readonly states?: readonly AnyStateDefinition[] } = {},
): App =>
  defineApp({
    name: 'recurring-tasks',
    version: '1.0.0',
    states: [...states, ...(also.states ?? [])],
    flows: [
      ...[Open, Reconfigure, Endow, ScheduleTask, CancelTask, StopTasks, StartTasks, Sweep],
      makeCallFlow(also.flows ?? []),
      ...(also.flows ?? []),
    ],
  })
