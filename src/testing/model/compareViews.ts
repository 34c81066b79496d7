/**
 * Compares all of a node's views with the model: every row, and that there are no others; the agenda in its order, and
 * the lists of what an operator has to look at.
 */
import type { FlowQuery } from '../../flow/FlowSummary.js'
import { listFlows } from '../../storage/queries/readFlows.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { agendaOf, compareValues, type ModelFinding, type Model, type ModelState } from '../../model/index.js'
import { readAgenda } from '../../storage/queries/readAgenda.js'
import type { AgendaQuery } from '../../agenda/AgendaEntry.js'
import { queryVault, readLocks } from '../../storage/queries/readVault.js'
import type { Page } from '../../vault/query/VaultQuery.js'
import { readReservedKeys, readSignedTransactionIds } from '../../storage/queries/readProposals.js'
import { instantFromMillis, type Instant } from '../../time/Instant.js'
import type { Database } from '../../storage/Database.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import { compareFlow, compareRecord, compareState } from './compareRows.js'

const allOf = <A, C>(ask: (after: C | undefined) => Page<A, C>): readonly A[] => {
  const items: A[] = []
  let after: C | undefined
  do {
    const page = ask(after)
    items.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return items
}

const limit = 1_000
const from = <C>(after: C | undefined): { readonly after?: C } => (after === undefined ? {} : { after })
const refsOf = (rows: readonly { readonly ref: StateRef }[]): readonly string[] => rows.map(({ ref }) => showRef(ref))

const needsOperator =
  (now: Instant) =>
  ({ activity: { standing, error, attentionAt } }: ModelState): boolean =>
    standing === 'parked' ||
    standing === 'missed' ||
    (standing === 'ended' && (error !== undefined || (attentionAt !== undefined && attentionAt <= now)))

/** Compares the facts about the node as a whole. */
export const compareNodeFacts = (db: Database, { node }: Model, revision: number): readonly ModelFinding[] => {
  const { head, term, draining, running } = readFacts(db)
  const facts = { revision: head.revision, term, draining, running }
  return compareValues(
    'The node as a whole.',
    { revision, term: node.term, draining: node.draining, running: node.running },
    facts,
  )
}

const compareLists = (db: Database, model: Model): readonly ModelFinding[] => {
  const states = [...model.states.values()]
  const unconsumed = states.filter(({ consumed }) => consumed === undefined)
  const agenda = (show: NonNullable<AgendaQuery['show']>): readonly string[] =>
    refsOf(allOf((after: string | undefined) => readAgenda(db, { show, limit, ...from(after) })))
  const vault = allOf((after: string | undefined) =>
    queryVault(db, { status: 'all', includeIrrelevant: true, limit, ...from(after) }),
  )
  const flows = (query: FlowQuery = {}): readonly string[] =>
    allOf((after: number | undefined) => listFlows(db, { ...query, limit, ...from(after) })).map(({ id }) => id)
  const newestFlows = [...model.flows.values()].reverse()
  const standing = (is: (state: ModelState) => boolean): readonly string[] => refsOf(unconsumed.filter(is))
  return [
    ...compareValues('All states, in log order.', refsOf(states), refsOf(vault)),
    ...compareValues('The agenda, in order.', refsOf(agendaOf(model)), agenda('scheduled')),
    ...compareValues(
      'Activities that need an operator.',
      standing(needsOperator(instantFromMillis(readFacts(db).atMs))),
      agenda('attention'),
    ),
    ...compareValues(
      'Paused activities.',
      standing(({ activity }) => activity.standing === 'paused'),
      agenda('paused'),
    ),
    ...compareValues(
      'Started activities.',
      standing(({ activity }) => activity.standing === 'started'),
      agenda('started'),
    ),
    ...compareValues(
      'All flows, newest first.',
      newestFlows.map(({ id }) => id),
      flows(),
    ),
    ...compareValues(
      'Flows that need an operator.',
      newestFlows.filter(({ status, attention }) => status === 'parked' || attention).map(({ id }) => id),
      flows({ status: 'attention' }),
    ),
  ]
}

const compareLocks = (db: Database, { locks }: Model): readonly ModelFinding[] => {
  const held = readLocks(db).map(({ ref, flow }) => `${showRef(ref)} by ${flow}`)
  return compareValues('Reserved states.', [...locks].map(([ref, flow]) => `${ref} by ${flow}`).sort(), held.sort())
}

const compareProposals = (db: Database, { reserved, signed }: Model): readonly ModelFinding[] => {
  const keys = readReservedKeys(db).map(({ type, key, flow, since }) => `${type} ${key} by ${flow} since ${since}`)
  const ids = readSignedTransactionIds(db)
  return [
    ...compareValues(
      'Reserved keys.',
      [...reserved].map(([key, { flow, at }]) => `${key} by ${flow} since ${at}`).sort(),
      keys.sort(),
    ),
    ...compareValues('Signed transactions that are yet to be final.', [...signed].sort(), [...ids].sort()),
  ]
}

/** Compares all of a node's views with the model. */
export const compareViews = (db: Database, model: Model, revision: number): readonly ModelFinding[] => [
  ...compareNodeFacts(db, model, revision),
  ...compareLists(db, model),
  ...compareLocks(db, model),
  ...compareProposals(db, model),
  ...[...model.states.values()].flatMap((state) => compareState(db, state)),
  ...[...model.flows.values()].flatMap((flow) => [...compareFlow(db, model, flow), ...compareRecord(db, flow)]),
]
