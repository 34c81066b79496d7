/**
 * Why a state's activity has run, has not run, or will run: everything the log knows about it, as sentences.
 */
import type { RecordedError } from '../errors/CarillonError.js'
import { Duration } from 'luxon'
import type { Activity } from '../ledger/Activity.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import type { VaultEntry } from '../vault/VaultEntry.js'
import type { NodeFacts } from '../log/NodeTables.js'
import type { ActivityRow } from './ActivityRow.js'
import { agendaEntryOf, listedEntry, type AgendaEntry, type Attempt } from './AgendaEntry.js'

/** Everything the log knows about a state and its activity, told in sentences. */
export type Why = {
  readonly ref: StateRef
  readonly state: VaultEntry
  /** How its activity stands; undefined when it asks for none. */
  readonly activity?: AgendaEntry
  /** What is wrong with its activity, with where that came from. */
  readonly error?: RecordedError
  readonly attempts: readonly Attempt[]
  /** The story in order, one sentence a line. */
  readonly story: readonly string[]
  /** Where it stands now, in one sentence. */
  readonly now: string
}

/** A span of time as people say it: `340 ms`, `2 h 5 min`. */
export const showSpan = (ms: number): string => {
  const abs = Math.abs(ms)
  if (abs < 1_000) return `${abs} ms`
  if (abs < 60_000) return `${Math.round(abs / 100) / 10} s`
  const { days = 0, hours = 0, minutes = 0 } = Duration.fromMillis(abs).shiftTo('days', 'hours', 'minutes').toObject()
  return (
    [
      days > 0 ? `${days} d` : '',
      hours > 0 ? `${hours} h` : '',
      Math.floor(minutes) > 0 ? `${Math.floor(minutes)} min` : '',
    ]
      .filter((part) => part !== '')
      .slice(0, 2)
      .join(' ') || '1 min'
  )
}

export const showLateness = (ms: number): string =>
  ms === 0 ? 'on time' : ms < 0 ? `${showSpan(ms)} early` : `${showSpan(ms)} late`

const errorText = (error: RecordedError | undefined): string =>
  error === undefined ? '' : ` (${error.code}: ${error.message})`

const causeText: Readonly<Record<string, string>> = {
  due: '',
  missed: ' because the activity was missed',
  restart: ' again, because the node was restarted',
  retry: ' because an operator retried it',
  trigger: ' because an operator triggered it',
}

const attemptSentence = (attempt: Attempt): string => {
  const started =
    attempt.flowName === undefined
      ? ''
      : `${attempt.at}: attempt ${attempt.attempt} started ${attempt.flowName}, ${showLateness(attempt.latenessMs)}${causeText[attempt.cause ?? 'due'] ?? ''}; flow ${attempt.flow ?? ''} `
  switch (attempt.outcome) {
    case 'running':
      return `${started}is still under way.`
    case 'parked-flow':
      return `${started}is parked${errorText(attempt.error)}.`
    case 'completed':
      return `${started}completed.`
    case 'refused':
      return `${started}refused.`
    case 'failed':
      return `${started}failed${errorText(attempt.error)}.`
    case 'killed':
      return `${started}was killed.`
    case 'superseded':
      return `${started}found, or was told, that its state had been consumed, and ended as superseded.`
    case 'missed':
      return `${attempt.at}: attempt ${attempt.attempt} was missed: it would have been ${showLateness(attempt.latenessMs)}, beyond its tolerance.`
    case 'start-failed':
      return `${attempt.at}: attempt ${attempt.attempt} could not be started${errorText(attempt.error)}; it is tried again with back-off.`
    case 'parked':
      return `${attempt.at}: attempt ${attempt.attempt} could not be started and was parked${errorText(attempt.error)}.`
    case 'dismissed':
      return `${attempt.at}: dismissed by ${attempt.by ?? 'an operator'}.`
  }
}

const asked = (row: ActivityRow): string => {
  if (row.activity === null)
    return row.error === null
      ? 'It asked for no activity.'
      : 'It was asked for its next activity, and could not answer.'
  const { at, flow, toleranceMs } = JSON.parse(row.activity) as Activity
  return `It asked for ${flow.name} at ${at}${toleranceMs === undefined ? '' : `, to be missed when more than ${showSpan(toleranceMs)} late`}.`
}

const nowSentence = (row: ActivityRow, state: VaultEntry, draining: boolean, atMs: number): string => {
  if (state.consumedBy !== undefined) return `It is consumed, by transaction ${state.consumedBy}; nothing more is due.`
  const ref = showRef(row.ref)
  switch (row.standing) {
    case 'scheduled': {
      const acts: Instant | '' = row.actsAtMs === null ? '' : instantFromMillis(row.actsAtMs)
      const late =
        row.actsAtMs !== null && row.actsAtMs <= atMs ? ' It is overdue and runs as soon as the node does.' : ''
      return draining
        ? `It is due at ${acts}, but the node is draining and starts nothing.`
        : `It is on the agenda and will be started at ${acts}.${late}`
    }
    case 'started':
      return 'Its flow is under way.'
    case 'ended':
      return row.error === null
        ? 'Its flow ended without consuming the state. The next start of the node makes another attempt; so does trigger.'
        : `Its flow failed and left the state unconsumed. The next start of the node makes another attempt; so does: carillon activity retry ${ref} — or close it with: carillon activity dismiss ${ref}`
    case 'closed':
      return 'It is closed: it will not be started again, unless someone triggers it.'
    case 'parked':
      return `It is parked and needs attention${errorText(row.error === null ? undefined : (JSON.parse(row.error) as RecordedError))}. Retry it with: carillon activity retry ${ref}`
    case 'missed':
      return `It was missed, has no flow for that case, and needs attention. Run it with: carillon activity retry ${ref} — or close it with: carillon activity dismiss ${ref}`
    case 'paused':
      return `It is paused${row.note === null ? '' : ` (${row.note})`}. Resume it with: carillon activity resume ${ref}`
    case null:
      return row.relevant
        ? 'It is unconsumed and asks for nothing.'
        : 'It is not relevant to this party, so nothing is scheduled for it here.'
  }
}

/** The story of a state and its activity, and where it stands now. */
export const tellWhy = (
  row: ActivityRow,
  state: VaultEntry,
  attempts: readonly Attempt[],
  { draining, atMs }: Pick<NodeFacts, 'draining' | 'atMs'>,
): Why => {
  const { ref } = state
  const story = [
    `${state.recordedAt}: transaction ${ref.transaction} produced this ${state.type} (revision ${state.fromRevision}).`,
    asked(row),
    ...attempts.map(attemptSentence),
  ]
  const activity = agendaEntryOf(row)
  return {
    ref,
    state,
    ...(row.standing === null ? {} : { activity: listedEntry(activity) }),
    ...(activity.error === undefined ? {} : { error: activity.error }),
    attempts,
    story,
    now: nowSentence(row, state, draining, atMs),
  }
}
