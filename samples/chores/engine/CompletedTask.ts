/**
 * How a task ended, as the ledger keeps it.
 */
import * as t from 'io-ts'

export const CompletedTaskC = t.readonly(
  t.strict({ taskId: t.string, succeeded: t.boolean, error: t.union([t.string, t.null]) }),
  'CompletedTask',
)
