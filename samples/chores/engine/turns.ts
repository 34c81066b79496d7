/**
 * What one execution of a conductor or a task came to, as a flow records it.
 */
import * as t from 'io-ts'
import { IntegerC } from 'carillon'

const FailedC = t.readonly(t.strict({ kind: t.literal('Error'), text: t.string }))
const DoneC = t.readonly(t.strict({ kind: t.literal('Done') }))
/** Nobody waits for it any more: its state is consumed, or its closure was lost with a process. */
const GoneC = t.readonly(t.strict({ kind: t.literal('gone') }))

export const ConductTurnC = t.union([
  t.readonly(
    t.strict({
      kind: t.literal('ContinueIn'),
      seconds: IntegerC,
      task: t.union([t.string, t.null]),
    }),
  ),
  DoneC,
  FailedC,
  GoneC,
  /** The run began in another life of the node; it must start again. */
  t.readonly(t.strict({ kind: t.literal('interrupted'), life: IntegerC })),
])
export type ConductTurn = t.TypeOf<typeof ConductTurnC>

export const TaskTurnC = t.union([t.readonly(t.strict({ kind: t.literal('Continue') })), DoneC, FailedC, GoneC])
export type TaskTurn = t.TypeOf<typeof TaskTurnC>
