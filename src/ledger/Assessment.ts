/**
 * What an output means to this party, as app code said it when the output was recorded: whether it is relevant, what it
 * is known by, and what it asks for next.
 */
import * as t from 'io-ts'
import { RecordedErrorC } from '../encoding/RecordedErrorC.js'
import { PublicKeyC } from '../identity/PublicKey.js'
import { InstantC } from '../time/Instant.js'
import { ActivityC, type Activity } from './Activity.js'
import { IndexedValuesC } from './IndexedValue.js'

export const AssessmentC = t.readonly(
  t.intersection([
    t.strict({ relevant: t.boolean, participants: t.readonlyArray(PublicKeyC) }),
    t.exact(
      t.partial({
        activity: ActivityC,
        /** What the state is known by among the unconsumed ones of its type. */
        key: t.string,
        /** What the state can be found and sorted by. */
        indexed: IndexedValuesC,
        /** When this node acts, if that is later than the activity's own instant because another party goes first. */
        actsAt: InstantC,
        /** Why there is no activity although the state wants to be asked: it is parked with this error. */
        failure: RecordedErrorC,
      }),
    ),
  ]),
)

/** What the app said about a state when it was recorded: whether it is ours, and what it asks for next. */
export type Assessment = Omit<t.TypeOf<typeof AssessmentC>, 'activity'> & { readonly activity?: Activity }
