/**
 * An activity together with its canonical text: it is encoded once, and both the log and the views take that text.
 */
import { canonicalText, Encoded } from '../encoding/canonical.js'
import { plainForm, plainText } from '../encoding/plainForm.js'
import type { Instant } from '../time/Instant.js'
import { ActivityC, type Activity, type FlowRef } from './Activity.js'

const activityForm = plainForm(ActivityC)

/** The canonical text of an activity; throws `value-not-encodable` when it has none. */
export const activityText = (activity: unknown): string => {
  if (activity instanceof Encoded) return activity.text
  return activityForm === undefined ? canonicalText(activity) : plainText(activityForm, activity)
}

export class EncodedActivity extends Encoded implements Activity {
  readonly at: Instant
  readonly flow: FlowRef
  declare readonly toleranceMs?: number
  declare readonly onMissed?: FlowRef
  declare readonly once?: boolean

  constructor(activity: Activity) {
    super(activityText(activity))
    this.at = activity.at
    this.flow = activity.flow
    if (activity.toleranceMs !== undefined) this.toleranceMs = activity.toleranceMs
    if (activity.onMissed !== undefined) this.onMissed = activity.onMissed
    if (activity.once !== undefined) this.once = activity.once
  }
}
