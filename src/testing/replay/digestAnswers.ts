/**
 * A digest of what the views answer. Tables may be laid out anew from version to version; what they say about the same
 * log may not change.
 */
import { canonicalText } from '../../encoding/canonical.js'
import { sha256, type Hash } from '../../encoding/hash.js'
import { findFlow, listFlows } from '../../storage/queries/readFlows.js'
import { readAgenda } from '../../storage/queries/readAgenda.js'
import type { Page } from '../../vault/query/VaultQuery.js'
import { queryVault } from '../../storage/queries/readVault.js'
import type { Database } from '../../storage/Database.js'

const digestPages = <A, C>(seed: Hash, page: (after: C | undefined) => Page<A, C>, show: (row: A) => unknown): Hash => {
  let hash = seed
  let after: C | undefined
  do {
    const { items, next } = page(after)
    for (const item of items) hash = sha256(`${hash}\n${canonicalText(JSON.parse(JSON.stringify(show(item))))}`)
    after = next
  } while (after !== undefined)
  return hash
}

/** The members that are compared. They are listed, so that whatever later versions add does not count as a change. */
const stateMembers = ['ref', 'type', 'version', 'data', 'relevant', 'recordedAt', 'consumedBy'] as const
const activityMembers = ['ref', 'type', 'standing', 'due', 'actsAt', 'flow', 'attempts', 'error', 'note'] as const
const flowMembers = ['id', 'name', 'version', 'status', 'startedAt', 'endedAt', 'waiting', 'result', 'error'] as const
const moreFlowMembers = ['startedBy', 'input', 'record'] as const

const only = (row: object | undefined, members: readonly string[]): unknown =>
  Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => members.includes(name)))

const afterOf = <C>(after: C | undefined): { readonly after?: C } => (after === undefined ? {} : { after })

/** The digest of the vault, the agenda and the flows, as they are answered to whoever asks. */
export const digestAnswers = (db: Database): Hash => {
  const vault = digestPages(
    sha256('vault'),
    (after: string | undefined) =>
      queryVault(db, { status: 'all', includeIrrelevant: true, limit: 1_000, ...afterOf(after) }),
    (entry) => only(entry, stateMembers),
  )
  const agendas = (['scheduled', 'attention', 'paused', 'started'] as const).map((show) =>
    digestPages(
      sha256(show),
      (after: string | undefined) => readAgenda(db, { show, limit: 1_000, ...afterOf(after) }),
      (entry) => only(entry, activityMembers),
    ),
  )
  const flows = digestPages(
    sha256('flows'),
    (after: number | undefined) => listFlows(db, { limit: 1_000, ...afterOf(after) }),
    ({ id }) => only(findFlow(db, id), [...flowMembers, ...moreFlowMembers]),
  )
  return sha256([vault, ...agendas, flows].join('\n'))
}
