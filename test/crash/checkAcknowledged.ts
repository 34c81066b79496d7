/**
 * Judges what clients were told against the log. An acknowledgement names the head of the log at its moment; that
 * head must still be in the log, and the acknowledged fact at or before it. So something lost and done again after
 * the restart is found out, although it looks the same.
 */
import { canonicalText, Encoded } from '../../src/encoding/canonical.js'
import { flowIdOfClientId } from '../../src/log/FlowId.js'
import type { Evidence } from './Evidence.js'

type Place = { readonly revision: number; readonly result: string; readonly next: string | undefined }

/** The transaction a flow's result speaks of, if it does. */
const transactionIn = (result: unknown): string | undefined => {
  if (typeof result === 'string') return result
  if (typeof result === 'object' && result !== null && 'id' in result && typeof result.id === 'string') return result.id
  return undefined
}

/** The flow that one has come to by continuing as another, again and again. */
const lastOf = (flow: string, ended: ReadonlyMap<string, Place>): string => {
  const next = ended.get(flow)?.next
  return next === undefined ? flow : lastOf(next, ended)
}

export const checkAcknowledged = ({ ticks, events, clients }: Evidence): readonly string[] => {
  const faults: string[] = []
  const heads = new Map(ticks.map(({ number, hash }) => [number, hash as string]))
  const started = new Map<string, number>()
  const ended = new Map<string, Place>()
  const signals = new Map<string, number>()
  const transactions = new Map<string, { readonly revision: number; readonly flow: string | undefined }>()
  for (const { event, revision } of events) {
    if (event.type === 'FlowStarted') started.set(event.flow, revision)
    if (event.type === 'SignalReceived' && event.id !== undefined) signals.set(event.id, revision)
    if (event.type === 'FlowEnded')
      ended.set(event.flow, { revision, result: canonicalText(event.result ?? null), next: event.next })
    if (event.type === 'TransactionRecorded' && !(event.body instanceof Encoded))
      transactions.set(event.id, { revision, flow: event.flow })
  }
  for (const line of clients) {
    if (line.kind === 'sent') continue
    const { kind, clientId, head } = line
    const what = kind === 'told' ? `signal ${line.signal} was taken in` : `flow ${line.flow} had ${kind}`
    const told = `client ${clientId} was told at revision ${head.revision} that ${what}`
    if (heads.get(head.tick) !== head.hash) faults.push(`${told}; that head is no longer in the log`)
    if (kind === 'told') {
      if (!((signals.get(line.signal) ?? Infinity) <= head.revision))
        faults.push(`${told}; it is not on the log by then`)
      continue
    }
    const { flow } = line
    if (flow !== flowIdOfClientId(clientId)) faults.push(`${told}; that is not the flow of its client id`)
    if (!((started.get(flow) ?? Infinity) <= head.revision)) faults.push(`${told}; its start is not on the log by then`)
    if (kind === 'started') continue
    const last = lastOf(flow, ended)
    const end = ended.get(last)
    if (end === undefined || end.revision > head.revision) faults.push(`${told}; its end is not on the log by then`)
    else if (end.result !== canonicalText(line.result))
      faults.push(`${told} with ${canonicalText(line.result)}; the log says ${end.result}`)
    const id = transactionIn(line.result)
    const transaction = id === undefined ? undefined : transactions.get(id)
    if (transaction?.flow !== last || transaction.revision > head.revision)
      faults.push(`${told} with transaction ${id ?? '?'}, which is not on the log by then`)
  }
  return faults
}

/** Every request, acknowledged or not, must have come to an end by the end of a campaign. */
export const checkAnswered = ({ clients }: Evidence): readonly string[] => {
  const answered = new Set(clients.filter(({ kind }) => kind === 'ended').map(({ clientId }) => clientId))
  const asked = new Set(clients.filter(({ kind }) => kind === 'sent').map(({ clientId }) => clientId))
  return [...asked].filter((id) => !answered.has(id)).map((id) => `client ${id} never got its answer`)
}
