/**
 * A question to the vault as the parameters of a request.
 */
import type { VaultQuery } from '../vault/query/VaultQuery.js'
import type { RequestQuery } from './NodeConnection.js'

export const queryOf = ({ where, sort, ...rest }: VaultQuery): RequestQuery => ({
  ...rest,
  ...(where === undefined ? {} : { where: JSON.stringify(where) }),
  ...(sort === undefined ? {} : { sort: typeof sort.by === 'string' ? sort.by : sort.by.field }),
  ...(sort?.descending === undefined ? {} : { descending: sort.descending }),
})
