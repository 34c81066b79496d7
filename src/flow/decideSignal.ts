/**
 * Decides on a signal to a flow: it is recorded for it with who sent it, or refused. Whoever gives it an id may send it
 * again, and it counts once.
 */
import { deciding } from '../errors/Decision.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText, utf8Length, type Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { DomainEvent } from '../log/events.js'
import { FlowIdC, flowIdOfClientId, localCaller, type FlowId } from '../log/FlowId.js'
import { lastOf } from './family.js'
import type { FlowReads } from './FlowReads.js'
import { hasEnded, type FlowRow } from './FlowRow.js'
import { flowLimits } from './limits.js'

/**
 * Which flow is meant: by its id, or by the client id it was started with, and by whom where that is given. Client ids are
 * their caller's own, so `caller` names the token, or `local` the local owner. Without it the flow is one of the local owner, or
 * over HTTP of the token that asks.
 */
export const SignalTargetC = t.union([
  FlowIdC,
  t.intersection([t.strict({ clientId: t.string }), t.exact(t.partial({ by: t.string, caller: t.string }))]),
])
/** The flow that a signal is for: its id, or the client id it was started with, and with which token or by whom. */
export type SignalTarget = t.TypeOf<typeof SignalTargetC>

export type SignalRequest = {
  readonly to: SignalTarget
  readonly signal: string
  /** In encoded form. */
  readonly data: Json
  readonly id?: string | undefined
}

export const showTarget = (to: SignalTarget): string =>
  typeof to === 'string'
    ? to
    : `"${to.clientId}"${to.caller === undefined ? '' : ` of token ${to.caller}`}${to.by === undefined ? '' : ` of ${to.by}`}`

const idOfCallers = ({ clientId, caller }: Exclude<SignalTarget, string>): FlowId =>
  flowIdOfClientId(clientId, caller === localCaller ? undefined : caller)

/** The flow that is meant, whether it has ended or not. */
const targetOf = ({ views }: FlowReads, to: SignalTarget): FlowRow => {
  const first = views.flows.find(typeof to === 'string' ? to : idOfCallers(to))
  const row = first === undefined ? undefined : lastOf(views, first)
  const isMeant = typeof to === 'string' || to.by === undefined || row?.startedBy === to.by
  if (row === undefined || !isMeant)
    throw new CarillonError('flow-not-found', `There is no flow ${showTarget(to)} to signal.`, {
      flow: showTarget(to),
    })
  return row
}

const endedAlready = ({ id, status }: FlowRow): CarillonError =>
  new CarillonError('flow-ended', `Flow ${id} has already ended: ${status}. It takes no signal.`, { flow: id, status })

const invalid = (signal: string, why: string): CarillonError =>
  new CarillonError('signal-data-invalid', `The data of signal ${signal} ${why}`, { signal })

export const decideSignal = deciding((reads: FlowReads, request: SignalRequest, by: string): readonly DomainEvent[] => {
  const { to, signal, id } = request
  const { data: codec } = reads.registry.requireSignal(signal)
  const decoded = decodeWith(codec, request.data)
  if (isLeft(decoded)) throw invalid(signal, `does not fit its codec: ${decoded.left.join('; ')}`)
  const bytes = utf8Length(canonicalText(request.data))
  if (bytes > flowLimits.signalBytes)
    throw invalid(
      signal,
      `takes ${bytes} bytes; at most ${flowLimits.signalBytes} are allowed. Send a reference instead.`,
    )
  const row = targetOf(reads, to)
  const { signals } = reads.views
  if (id !== undefined && signals.wasSent(row.seq, id)) return []
  if (hasEnded(row)) throw endedAlready(row)
  if (signals.countKept(row.seq, flowLimits.signalsKept) >= flowLimits.signalsKept)
    throw new CarillonError(
      'signals-full',
      `Flow ${row.id} has ${flowLimits.signalsKept} signals that it has not taken yet, and takes no more until it has. Send it again later.`,
      { flow: row.id },
    )
  const seq = signals.lastSeq(row.seq) + 1
  const data = request.data
  return [{ type: 'SignalReceived', flow: row.id, seq, signal, data, by, ...(id === undefined ? {} : { id }) }]
})
