/**
 * What a state asked for when it was recorded, beside what today's code makes it ask for.
 */
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { canonicalText } from '../../encoding/canonical.js'
import type { CarillonError } from '../../errors/CarillonError.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import type { Assessment } from '../../ledger/Assessment.js'
import type { ReplayProblem } from './ReplayReport.js'

const describeAssessment = ({ relevant, activity, actsAt, failure, key }: Assessment): string => {
  if (failure !== undefined) return `the error ${failure.code}: ${failure.message}`
  const asks =
    activity === undefined
      ? 'no activity'
      : `${activity.flow.name} ${canonicalText(activity.flow.input)} at ${activity.at}`
  const more = [
    ...(activity?.toleranceMs === undefined ? [] : [`tolerance ${activity.toleranceMs} ms`]),
    ...(activity?.onMissed === undefined ? [] : [`${activity.onMissed.name} when missed`]),
    ...(actsAt === undefined ? [] : [`this node's turn at ${actsAt}`]),
    ...(key === undefined || !relevant ? [] : [`key "${key}"`]),
    ...(relevant ? [] : ['of no concern to this party']),
  ]
  return more.length === 0 ? asks : `${asks} (${more.join(', ')})`
}

/** The difference between the two; undefined when there is none. */
export const compareAssessments = (
  type: string,
  ref: StateRef,
  recorded: Assessment,
  asked: Either<CarillonError, Assessment>,
  revision: number,
): ReplayProblem | undefined => {
  // Whether a key was free is for the log to say, and not for the state.
  if (recorded.failure?.code === 'state-key-taken') return undefined
  const said = describeAssessment(recorded)
  const says = isLeft(asked) ? `the error ${asked.left.code}: ${asked.left.message}` : describeAssessment(asked.right)
  if (
    said === says ||
    (recorded.failure !== undefined && !isLeft(asked) && asked.right.failure?.code === recorded.failure.code)
  )
    return undefined
  return {
    kind: 'activity',
    revision,
    what: `${type} ${showRef(ref)} asked for ${said} when it was recorded; asked today it gives ${says}.`,
    recorded: said,
    coded: says,
  }
}
