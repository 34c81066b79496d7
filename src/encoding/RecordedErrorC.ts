/**
 * An error as the log keeps it.
 */
import * as t from 'io-ts'

export const RecordedErrorC = t.readonly(
  t.intersection([t.strict({ code: t.string, message: t.string }), t.exact(t.partial({ details: t.UnknownRecord }))]),
)
