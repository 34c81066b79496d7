/**
 * Rows of the views as lines of text, for the messages of failed assertions.
 */
import type { FlowSummary } from '../../flow/FlowSummary.js'
import type { StateAndRef } from '../../ledger/StateAndRef.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import type { Waiting } from '../../log/events.js'
import type { AgendaEntry, Attempt } from '../../agenda/AgendaEntry.js'

const shortRef = (ref: StateRef): string => `${ref.transaction.slice(0, 8)}:${ref.index}`

const joined = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('  ')

export const describeActivity = ({ due, flow, type, ref, standing, attempts, error }: AgendaEntry): string =>
  joined([
    due ?? 'no instant',
    standing,
    flow,
    `of ${type} ${shortRef(ref)}`,
    attempts === 0 ? undefined : `attempts: ${attempts}`,
    error === undefined ? undefined : `${error.code}: ${error.message}`,
  ])

export const describeAttempt = ({ due, attempt, outcome, latenessMs, flowName, error }: Attempt): string =>
  joined([
    due ?? 'no instant',
    `attempt ${attempt}`,
    outcome,
    latenessMs === 0 ? 'on time' : `${latenessMs} ms late`,
    flowName,
    error === undefined ? undefined : `${error.code}: ${error.message}`,
  ])

const describeWait = (waiting: Waiting): string =>
  waiting.for === 'turn' ? 'its turn' : (waiting.label ?? waiting.kind)

export const describeFlow = ({ id, name, status, waiting, result, error }: FlowSummary): string =>
  joined([
    id.slice(0, 8),
    name,
    status,
    waiting === undefined ? undefined : `waits for ${waiting.map(describeWait).join(' or ')}`,
    result === undefined ? undefined : `returned ${JSON.stringify(result)}`,
    error === undefined ? undefined : `${error.code}: ${error.message}`,
  ])

export const describeState = ({ ref, type, data }: StateAndRef<unknown>): string =>
  joined([`${type} ${showRef(ref).slice(0, 8)}`, JSON.stringify(data)])
