/**
 * What an administrator may ask of one chore, as data: it travels from the command line to the ledger unchanged.
 */
import * as t from 'io-ts'
import { InstantC, IntegerC } from 'carillon'

const verb = <V extends string>(name: V) => t.readonly(t.strict({ verb: t.literal(name) }))

export const ControlC = t.union([
  verb('enable'),
  verb('disable'),
  /** `maxSeconds` left out keeps the maximum there is; null removes it. */
  t.readonly(
    t.intersection([
      t.strict({ verb: t.literal('interval'), seconds: IntegerC }),
      t.exact(t.partial({ maxSeconds: t.union([IntegerC, t.null]) })),
    ]),
  ),
  t.readonly(t.strict({ verb: t.literal('timeout'), seconds: IntegerC })),
  /** Run now, whatever the schedule says. */
  verb('trigger'),
  /** Enable, run now, and book the next run. */
  verb('start'),
  /** Enable, and run first at an instant. */
  t.readonly(t.strict({ verb: t.literal('schedule'), at: InstantC })),
  verb('pause'),
  verb('resume'),
  /** Disable, clear the schedule, end the run. */
  verb('stop'),
  /** The emergency stop: end the run and disarm, but leave the chore enabled. */
  verb('stop-chore'),
  /** The circuit breaker: end the run, disarm, and say why; a person must let it go on. */
  t.readonly(t.strict({ verb: t.literal('break'), reason: t.string })),
  t.readonly(t.strict({ verb: t.literal('next-run'), at: InstantC })),
  verb('cancel-timers'),
  verb('resume-timers'),
  t.readonly(t.strict({ verb: t.literal('rename'), name: t.string })),
  verb('delete'),
])
export type Control = t.TypeOf<typeof ControlC>
