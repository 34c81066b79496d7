/**
 * Whether a query asks only for fields that the definition indexes: a misspelt one would find nothing, quietly.
 */
import type { AnyStateDefinition } from '../../ledger/StateDefinition.js'
import type { Criterion } from './Criterion.js'
import { queryInvalid, type Sort } from './VaultQuery.js'

const fieldsIn = (criterion: Criterion): readonly string[] => {
  if ('and' in criterion) return criterion.and.flatMap(fieldsIn)
  if ('or' in criterion) return criterion.or.flatMap(fieldsIn)
  if ('not' in criterion) return fieldsIn(criterion.not)
  return 'field' in criterion ? [criterion.field] : []
}

export const assertFields = (
  definition: Pick<AnyStateDefinition, 'type' | 'indexed'>,
  {
    where,
    sort,
    also = [],
  }: { readonly where?: Criterion | undefined; readonly sort?: Sort | undefined; readonly also?: readonly string[] },
): void => {
  const known = Object.keys(definition.indexed ?? {})
  const asked = [
    ...(where === undefined ? [] : fieldsIn(where)),
    ...(typeof sort?.by === 'object' ? [sort.by.field] : []),
    ...also,
  ]
  const unknown = asked.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw queryInvalid(
    `State ${definition.type} has no indexed field "${unknown}". ${known.length === 0 ? 'It has none' : `It has ${known.join(', ')}`}; declare it in the definition: indexed: { ${unknown}: (data) => … }.`,
    { type: definition.type, field: unknown },
  )
}
