/**
 * Sends a signal to another flow of this node, in the name of the flow that sends it.
 */
import type { Json } from '../../encoding/canonical.js'
import { answerTo, factsAnswer } from '../Answer.js'
import { decideSignal, showTarget, type SignalTarget } from '../decideSignal.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'

export type SendSignal = {
  readonly kind: 'sendSignal'
  readonly to: SignalTarget
  readonly signal: string
  readonly data: Json
}

export const sendSignal = defineOperation<SendSignal, FlowReads>({
  kind: 'sendSignal',
  statesFacts: true,
  identity: ({ to, signal, data }) => ({ to, signal, data }),
  label: ({ to, signal }) => `send signal ${signal} to flow ${showTarget(to)}`,
  decide: (reads, { to, signal, data }, flow) =>
    answerTo(decideSignal(reads, { to, signal, data }, `flow:${flow}`), (events) => factsAnswer(events)),
})
