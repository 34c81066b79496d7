/**
 * Asks the app about a state once, when it is recorded or rechecked: is it ours, and what does it want next?
 * Whatever the app's code does, an answer comes back; an exception parks the activity and stops nothing.
 */
import { isNone, type Option } from 'fp-ts/lib/Option.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import { Duration } from 'luxon'
import { decodeWith } from '../encoding/decode.js'
import { plainForm } from '../encoding/plainForm.js'
import { CarillonError, concernsNode, messageOf, recordError } from '../errors/CarillonError.js'
import { atPlace, codePlaceIn, definedAt, type CodePlace } from '../errors/codePlace.js'
import type { Party } from '../identity/Party.js'
import { PublicKeyC, type PublicKey } from '../identity/PublicKey.js'
import { ActivityC, type Activity, type FlowRef } from './Activity.js'
import { IndexedValueC, type IndexedValue, type IndexedValues } from './IndexedValue.js'
import type { AnyStateDefinition } from './StateDefinition.js'
import { runCode } from './runningCode.js'
import type { StateRef } from './StateRef.js'
import type { Assessment } from './Assessment.js'
import { ledgerLimits } from './limits.js'
import { instantFromMillis, toMillis, type Instant } from '../time/Instant.js'
import type { Definitions } from './Definitions.js'
import { EncodedActivity } from './EncodedActivity.js'

/** That a function has read the clock: how, and where in the code. */
export type ClockRead = { readonly what: string; readonly at: CodePlace | undefined }

/** What an assessment depends on besides the state. */
export type AssessmentReads = {
  readonly me: Party
  readonly registry: Pick<Definitions, 'requireFlow'>
  /** Whether app code is watched for reading the clock. */
  readonly development: boolean
  /** How a function reads the clock while it runs; undefined when it does not. */
  readonly readsClock: (run: () => unknown) => ClockRead | undefined
}

const checkFlow = (registry: AssessmentReads['registry'], flow: FlowRef): void => {
  const definition = registry.requireFlow(flow.name)
  if (!definition.schedulable) {
    throw new CarillonError(
      'flow-not-schedulable',
      `Flow ${flow.name} is not schedulable, so no state may name it. Add schedulable: true to its definition.`,
      { flow: flow.name },
    )
  }
  const decoded = decodeWith(definition.input, flow.input)
  if (isLeft(decoded))
    throw new CarillonError(
      'flow-input-invalid',
      `The input for flow ${flow.name} does not fit its codec: ${decoded.left.join('; ')}`,
      { flow: flow.name },
    )
}

const isPlainActivity = plainForm(ActivityC)?.check ?? (() => false)

/** Refuses what cannot be scheduled: an instant that is none, an unknown flow, an input that does not fit. */
const checkActivity = (registry: AssessmentReads['registry'], activity: Activity, isPlain: boolean): void => {
  if (!isPlain && !ActivityC.is(activity)) {
    const decoded = decodeWith(ActivityC, activity)
    throw new CarillonError(
      'activity-invalid',
      `It is not an activity: ${isLeft(decoded) ? decoded.left.join('; ') : 'it holds values that are not plain data'}. Make it with activity(at, flow) or Flow.at(at, input).`,
    )
  }
  checkFlow(registry, activity.flow)
  if (activity.onMissed !== undefined) checkFlow(registry, activity.onMissed)
}

/** The activity without anything else an object may carry along: the log keeps only what its codec knows. */
const ownWords = ({ at, flow, toleranceMs, onMissed, once }: Activity): Activity => ({
  at,
  flow: { name: flow.name, input: flow.input },
  ...(toleranceMs === undefined ? {} : { toleranceMs }),
  ...(onMissed === undefined ? {} : { onMissed: { name: onMissed.name, input: onMissed.input } }),
  ...(once === undefined ? {} : { once }),
})

/** When this node acts on an activity: at its instant, later when other parties go first, or not at all. */
const actsAt = (definition: AnyStateDefinition, data: unknown, me: Party, at: Instant): Instant | undefined => {
  if (definition.runsOn === undefined) return at
  const { parties, takeoverAfter } = definition.runsOn(data)
  const place = parties.findIndex(({ key }) => key === me.key)
  if (place < 0) return undefined
  return place === 0
    ? at
    : instantFromMillis(toMillis(at) + place * Math.trunc(Duration.fromObject(takeoverAfter).toMillis()))
}

/** The error for an activity that cannot be had: what went wrong, in which state type, with its code kept where it has one. */
const explain = (definition: AnyStateDefinition, error: unknown): CarillonError => {
  if (error instanceof CarillonError && error.code === 'activity-reads-clock') return error
  const code =
    error instanceof CarillonError
      ? error.code === 'value-not-encodable'
        ? 'activity-invalid'
        : error.code
      : 'activity-threw'
  const what = error instanceof CarillonError ? 'asked for something that cannot be scheduled' : 'threw'
  return new CarillonError(
    code,
    `nextScheduledActivity of ${definition.type} ${what}: ${messageOf(error)}${error instanceof CarillonError ? '' : atPlace(codePlaceIn(error))}`,
    { type: definition.type },
    error,
  )
}

/** Asks a definition something that every state must be able to answer. */
const answerOf = <A>(definition: AnyStateDefinition, member: string, ask: () => A): A => {
  try {
    return ask()
  } catch (error) {
    throw new CarillonError(
      'state-definition-faulty',
      `${member} of ${definition.type} threw: ${messageOf(error)}${atPlace(codePlaceIn(error))}. It must answer for all data its codec accepts.`,
      { type: definition.type },
      error,
    )
  }
}

const unusable = (definition: AnyStateDefinition, member: string, must: string): CarillonError =>
  new CarillonError(
    'state-definition-faulty',
    `${member} of ${definition.type} gave something else than ${must}. Its answer is recorded, so it must be exactly that.`,
    { type: definition.type },
  )

/** The keys of a state's participants; throws `state-definition-faulty` when the definition cannot name them. */
export const participantKeys = (definition: AnyStateDefinition, data: unknown): readonly PublicKey[] => {
  const parties: unknown = answerOf(definition, 'participants', () => definition.participants(data))
  if (!Array.isArray(parties)) throw unusable(definition, 'participants', 'a list of parties')
  return parties.map((party: unknown) => {
    const key: unknown = typeof party === 'object' && party !== null && 'key' in party ? party.key : undefined
    if (!PublicKeyC.is(key)) throw unusable(definition, 'participants', 'a list of parties')
    return key
  })
}

const relevanceOf = (
  definition: AnyStateDefinition,
  data: unknown,
  me: Party,
  participants: readonly PublicKey[],
): boolean => {
  const { isRelevant } = definition
  if (isRelevant === undefined) return participants.includes(me.key)
  const relevant: unknown = answerOf(definition, 'isRelevant', () => isRelevant(data, me))
  if (typeof relevant !== 'boolean') throw unusable(definition, 'isRelevant', 'true or false')
  return relevant
}

/** What a state is known by, if its type has keys. */
export const keyOf = (definition: AnyStateDefinition, data: unknown): string | undefined => {
  const ask = definition.key
  if (ask === undefined) return undefined
  const key: unknown = answerOf(definition, 'key', () => ask(data))
  if (typeof key !== 'string' || !key.isWellFormed()) throw unusable(definition, 'key', 'text')
  return key
}

const indexedOf = (
  indexed: NonNullable<AnyStateDefinition['indexed']>,
  definition: AnyStateDefinition,
  data: unknown,
): IndexedValues => {
  const values: Record<string, IndexedValue> = {}
  // In the order the log keeps them, so that a rebuild meets new fields in the same order.
  for (const [name, ask] of Object.entries(indexed).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const value: unknown = answerOf(definition, `indexed.${name}`, () => ask(data))
    if (value === undefined) continue
    if (!IndexedValueC.is(value))
      throw unusable(
        definition,
        `indexed.${name}`,
        `text of at most ${ledgerLimits.indexedTextLength} characters, a finite number, true, false or undefined`,
      )
    values[name] = value
  }
  return values
}

/** What a state is known by, apart from what it asks for next. */
type Known = Pick<Assessment, 'relevant' | 'participants' | 'key' | 'indexed'>

export const knownOf = ({
  relevant,
  participants,
  key,
  indexed,
}: Pick<Known, 'relevant' | 'participants'> & {
  readonly key?: string | undefined
  readonly indexed?: IndexedValues | undefined
}): Known => ({
  relevant,
  participants,
  ...(key === undefined ? {} : { key }),
  ...(indexed === undefined ? {} : { indexed }),
})

/** The assessment of a state that could not even be asked: as it was known before, with the error. */
export const unanswered = (definition: AnyStateDefinition, known: Known, error: unknown): Assessment => ({
  ...known,
  failure: recordError(explain(definition, error), 'activity-threw'),
})

/** Looks at the tag alone: what is inside is checked when it is used. */
const isOption = (answer: unknown): answer is Option<Activity> =>
  typeof answer === 'object' &&
  answer !== null &&
  '_tag' in answer &&
  (answer._tag === 'None' || (answer._tag === 'Some' && 'value' in answer))

const notAnOption = (definition: AnyStateDefinition, answer: unknown): CarillonError => {
  const told = (code: 'activity-threw' | 'activity-invalid', gave: string, instead: string): CarillonError =>
    new CarillonError(code, `it gave ${gave}${atPlace(definedAt(definition))}. ${instead}.`, { type: definition.type })
  if (answer === undefined || answer === null)
    return told(
      'activity-threw',
      String(answer),
      'Return some(…) with an activity, or none; a function in braces needs a return',
    )
  if (ActivityC.is(answer)) return told('activity-invalid', 'an activity by itself', 'Return it as some(activity)')
  return typeof answer === 'object' && 'then' in answer
    ? told('activity-invalid', 'a promise', 'It must not be async: it depends on the state alone')
    : told('activity-invalid', 'something else than an Option', 'Return some(…) with an activity, or none')
}

/** What a state says now: is it ours, and what does it want next? */
export const askState = (
  reads: AssessmentReads,
  definition: AnyStateDefinition,
  data: unknown,
  ref: StateRef,
  participants: readonly PublicKey[] = participantKeys(definition, data),
): Assessment => {
  const { registry, me } = reads
  const relevant = relevanceOf(definition, data, me, participants)
  // A state of others has no key here: it can neither be found by it nor keep it from a state of this party.
  const key = relevant ? keyOf(definition, data) : undefined
  // Written out in each of its shapes: this runs twice for every activity, and a spread costs more than all of it.
  const plain: Assessment = key === undefined ? { relevant, participants } : { relevant, participants, key }
  const base: Assessment =
    definition.indexed === undefined ? plain : { ...plain, indexed: indexedOf(definition.indexed, definition, data) }
  if (!relevant || definition.nextScheduledActivity === undefined) return base
  const ask = definition.nextScheduledActivity
  try {
    const read = reads.development ? reads.readsClock(() => ask(data, ref)) : undefined
    if (read !== undefined) {
      throw new CarillonError(
        'activity-reads-clock',
        `nextScheduledActivity of ${definition.type} reads the clock with ${read.what}${atPlace(read.at)}. It must depend on the state alone: put the instant into the state when it is produced.`,
        { type: definition.type },
      )
    }
    const answer: unknown = runCode('nextScheduledActivity', () => ask(data, ref))
    if (!isOption(answer)) throw notAnOption(definition, answer)
    if (isNone(answer)) return base
    const isPlain = isPlainActivity(answer.value)
    checkActivity(registry, answer.value, isPlain)
    const activity = isPlain ? answer.value : ownWords(answer.value)
    const mine = actsAt(definition, data, me, activity.at)
    if (mine === undefined) return base
    if (mine !== activity.at) return { ...base, activity, actsAt: mine }
    if (definition.indexed !== undefined) return { ...base, activity }
    return key === undefined ? { relevant, participants, activity } : { relevant, participants, key, activity }
  } catch (error) {
    if (concernsNode(error)) throw error
    return { ...base, failure: recordError(explain(definition, error), 'activity-threw') }
  }
}

/** What is recorded of an output that is here only because others build on its transaction: it is nobody's business here. */
export const asAncestor = ({ participants, indexed }: Assessment): Assessment =>
  indexed === undefined ? { relevant: false, participants } : { relevant: false, participants, indexed }

/** What is recorded of a state whose key belongs to another: it has none, and is parked for an operator to look at. */
export const withoutKey = (
  { relevant, participants, indexed }: Assessment,
  { type, key, holder }: { readonly type: string; readonly key: string; readonly holder: string },
): Assessment => ({
  ...knownOf({ relevant, participants, indexed }),
  failure: {
    code: 'state-key-taken',
    message: `This ${type} would be known by "${key}", which is the key of ${holder}. It is on the ledger and has no key here; its activity is parked.`,
    details: { type, key },
  },
})

/** What a state says, to be recorded. An activity that has no canonical form cannot be. */
export const assess = (
  reads: AssessmentReads,
  definition: AnyStateDefinition,
  data: unknown,
  ref: StateRef,
  knownParticipants?: readonly PublicKey[],
): Assessment => {
  const assessment = askState(reads, definition, data, ref, knownParticipants)
  if (assessment.activity === undefined) return assessment
  try {
    const activity = new EncodedActivity(assessment.activity)
    const { relevant, participants, key, actsAt, indexed } = assessment
    if (actsAt !== undefined || indexed !== undefined) return { ...assessment, activity }
    return key === undefined ? { relevant, participants, activity } : { relevant, participants, key, activity }
  } catch (error) {
    return unanswered(definition, knownOf(assessment), error)
  }
}
