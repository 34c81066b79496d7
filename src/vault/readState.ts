/**
 * A row's data as the app sees it: decoded with today's definition, once for as long as the row is in memory.
 */
import { getOrElseW } from 'fp-ts/lib/Either.js'
import type { Definitions } from '../ledger/Definitions.js'
import { frozen } from '../encoding/frozen.js'
import { decodeState } from '../ledger/decodeState.js'
import type { ResolvedState } from '../ledger/LedgerTransaction.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import type { StateRow } from './StateRow.js'

/** The decoded data of a row; throws `state-version-unknown` or `state-data-invalid` when it cannot be read. */
export const readState = (definition: AnyStateDefinition, row: StateRow): unknown => {
  // The row may have been read for another version of the app, which had another definition.
  if (row.decoded?.with === definition) return row.decoded.data
  // Flows and contracts share what was decoded, so none of them may change it for the others.
  const data: unknown = frozen(
    getOrElseW((error: Error): never => {
      throw error
    })(decodeState(definition, row.kind.version, row.text)),
  )
  // Kept with the row for as long as it is in memory; no fact of the vault depends on it.
  const memo: { decoded: StateRow['decoded'] } = row
  memo.decoded = { data, with: definition }
  return data
}

/** A row as contracts see it. */
export const resolveState = (registry: Pick<Definitions, 'requireState'>, row: StateRow): ResolvedState => {
  const definition = registry.requireState(row.kind.type)
  return {
    ref: row.ref,
    type: row.kind.type,
    data: readState(definition, row),
    definition,
    contract: row.kind.contract,
  }
}
