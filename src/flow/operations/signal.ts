/**
 * Waits for a signal. The oldest one of its name that the flow has not taken yet is taken, once.
 */
import type { Json } from '../../encoding/canonical.js'
import { instantFromMillis } from '../../time/Instant.js'
import { factsAnswer } from '../Answer.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'
import { bytesOfValue } from '../recordedBytes.js'
import { untilAfter } from '../waiting.js'

export type WaitForSignal = {
  readonly kind: 'signal'
  readonly signal: string
  readonly withinMs: number | undefined
}

export const signal = defineOperation<WaitForSignal, FlowReads>({
  kind: 'signal',
  statesFacts: true,
  identity: ({ signal: name, withinMs }) => ({ signal: name, withinMs }),
  label: ({ signal: name }) => `wait for signal ${name}`,
  decide: (reads, { signal: name, withinMs }, flow) => {
    reads.registry.requireSignal(name)
    const { flows, signals } = reads.views
    const kept = signals.next(flows.locate(flow) ?? 0, name)
    if (kept === undefined) return { kind: 'signal', signal: name, untilMs: untilAfter(reads.nowMs, withinMs) }
    const { seq, data, by, atMs } = kept
    const value = { data: JSON.parse(data) as Json, by, at: instantFromMillis(atMs) }
    return factsAnswer([{ type: 'SignalTaken', flow, seq }], value, value)
  },
  revive: (_reads, _operation, { result }) => result ?? undefined,
  recordedBytes: (_operation, result) => bytesOfValue(result),
})
