/**
 * Compares rows of a node's views with the model, field by field. Rows are read with the queries that the node answers
 * with, so an error in a query is found too.
 */
import { findFlow } from '../../storage/queries/readFlows.js'
import { Encoded } from '../../encoding/canonical.js'
import { FlowIdC } from '../../log/FlowId.js'
import { showRef } from '../../ledger/StateRef.js'
import { compareValues, type Model, type ModelFinding, type ModelFlow, type ModelState } from '../../model/index.js'
import { attemptsOf } from '../../storage/queries/readOccurrences.js'
import { agendaEntryOf } from '../../agenda/AgendaEntry.js'
import { findState, findStateRow } from '../../storage/queries/readVault.js'
import type { Database } from '../../storage/Database.js'

const entryOf = (state: ModelState): unknown => {
  const { ref, type, version, data, relevant, key, participants, recordedAt, fromRevision, consumed } = state
  return {
    ...{ ref, type, version, data, relevant, key, participants, recordedAt, fromRevision },
    ...{ consumedBy: consumed?.by, consumedAt: consumed?.at, untilRevision: consumed?.revision },
  }
}

const activityOf = ({ ref, type, activity }: ModelState): unknown => {
  const { standing, asked, actsAt, attempts, error, note } = activity
  const due = asked?.at
  return {
    ref,
    type,
    standing,
    attempts,
    due,
    actsAt: actsAt === due ? undefined : actsAt,
    flow: asked?.flow.name,
    error,
    note,
  }
}

/** Compares one state: as the vault shows it, its activity while it is unconsumed, and every attempt. */
export const compareState = (db: Database, state: ModelState): readonly ModelFinding[] => {
  const name = `state ${showRef(state.ref)}`
  const row = findStateRow(db, state.ref)
  if (row === undefined) return [{ what: `The vault holds ${name}.`, predicted: 'a row', recorded: 'none' }]
  const standing = row.standing ?? 'none'
  const activity =
    state.consumed === undefined
      ? compareValues(`The agenda shows ${name}.`, activityOf(state), { ...agendaEntryOf(row), standing })
      : compareValues(`The agenda has nothing for ${name}.`, { standing: 'none' }, { standing })
  return [
    ...compareValues(`The vault shows ${name}.`, entryOf(state), findState(db, state.ref)),
    ...activity,
    ...compareValues(`The node acts on ${name}.`, state.activity.actsAt !== undefined, row.actsAtMs !== null),
    ...compareValues(`The attempts at ${name}.`, state.attempts, attemptsOf(db, row.seq)),
  ]
}

/** Signals that a flow was sent and has not taken. */
const keptSignals = ({ signals }: Model, flow: string): readonly unknown[] =>
  (signals.get(flow) ?? [])
    .filter(({ taken }) => !taken)
    .map(({ name: signal, data, by, at, id }) => ({ signal, data, by, at, id }))

const familyOf = ({ flows, children }: Model, flow: ModelFlow): unknown => ({
  parent: [...children].find(([, all]) => all.some((child) => child.flow === flow.id))?.[0],
  children: (children.get(flow.id) ?? []).map(({ flow: id, whenParentEnds }) => {
    const child = flows.get(id)
    return { id, name: child?.name, status: child?.status, whenParentEnds }
  }),
  continuedAs: [...flows.values()].find(({ origin }) => origin.kind === 'continued' && origin.from === flow.id)?.id,
})

/** Compares all that a flow has recorded. */
export const compareRecord = (db: Database, { id, record }: ModelFlow): readonly ModelFinding[] =>
  compareValues(`The record of flow ${id}.`, record, FlowIdC.is(id) ? findFlow(db, id)?.record : undefined)

/** Compares one flow, of its record the length and the end. */
export const compareFlow = (db: Database, model: Model, flow: ModelFlow): readonly ModelFinding[] => {
  const { id, name, version, input, origin, startedAt, status, waits, record, progress, ended } = flow
  const { result, refusal, error } = flow
  const waiting = waits.length === 0 ? undefined : waits
  const shown = FlowIdC.is(id) ? findFlow(db, id) : undefined
  if (shown === undefined)
    return [{ what: `The flows include ${id}.`, predicted: `${name}, ${status}`, recorded: 'none' }]
  const { signals, children, parent, continuedAs, record: found } = shown
  const aside = {
    signals: undefined,
    children: undefined,
    parent: undefined,
    continuedAs: undefined,
    troubles: undefined,
  }
  return [
    ...compareValues(
      `The flows show ${id}.`,
      {
        ...{ id, name, version, status, startedAt, startedBy: origin, waiting, progress, result, refusal, error },
        ...{ input: new Encoded(input), endedAt: ended?.at, recorded: record.length, last: record.at(-1) },
      },
      { ...shown, ...aside, record: undefined, recorded: found.length, last: found.at(-1) },
    ),
    ...compareValues(`The signals that flow ${id} has not taken.`, keptSignals(model, id), signals),
    ...compareValues(`The family of flow ${id}.`, familyOf(model, flow), { parent, children, continuedAs }),
  ]
}
