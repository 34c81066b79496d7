/**
 * An error as the log keeps it.
 */
import * as t from 'io-ts'

const RecordedCauseC = t.readonly(
  t.intersection([t.strict({ name: t.string, message: t.string }), t.exact(t.partial({ stack: t.string }))]),
)

export const RecordedErrorC = t.readonly(
  t.intersection([
    t.strict({ code: t.string, message: t.string }),
    t.exact(
      t.partial({
        details: t.UnknownRecord,
        /** For people; never compared. */
        stack: t.string,
        /** The error that caused it, the one that caused that one, and so on. For people; never compared. */
        causes: t.readonlyArray(RecordedCauseC),
      }),
    ),
  ]),
)
