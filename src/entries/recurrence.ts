/**
 * `carillon/recurrence`: what repeats: rules of recurrence, their occurrences, and states that follow them.
 */
export {
  atInstants,
  cron,
  everyInterval,
  everyOnCalendar,
  ExclusionsC,
  RecurrenceC,
  repetition,
  rrule,
  RuleC,
  type Exclusions,
  type LocalOptions,
  type Recurrence,
  type RecurrenceOptions,
  type RecurrenceRule,
} from '../time/recurrence/Recurrence.js'
export { allBetween, checkRecurrence, nextAfter, preview, previousBefore } from '../time/recurrence/occurrences.js'
export { defaultDstPolicy, DstPolicyC, type DstPolicy } from '../time/recurrence/DstPolicy.js'
export { JitterC, type Jitter } from '../time/recurrence/jitter.js'
export { recurring, type Recurring, type RecurringOptions } from '../app/recurring.js'
export type { Missed, Overlap, RecurringOccurrence, RecurringSchedule } from '../app/schedule.js'
