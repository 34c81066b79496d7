/**
 * In which places events of one shape differ from each other, and what may stand there: exactly what the event's codec
 * takes in that place and a look at the text can tell. Everything else in an event is part of its shape.
 */
import type { EventType } from './events.js'

/** What may stand in a place: text of a kind, a whole number that is not negative, or any value, which is kept as text. */
export type PlaceKind = 'text' | 'indexedText' | 'hash' | 'instant' | 'integer' | 'json'

/**
 * A place, or where there are some further in: in members that are known by name, in all elements of a list, in all members
 * that are `indexed` values. What is `unique` is never the same twice, and an event that has it is like no other.
 */
export type PlaceShape =
  | PlaceKind
  | 'indexed'
  | 'unique'
  | { readonly members: Readonly<Record<string, PlaceShape>> }
  | { readonly each: PlaceShape }

const ref: PlaceShape = { members: { index: 'integer', transaction: 'hash' } }
const flowRef: PlaceShape = { members: { input: 'json' } }
const activity: PlaceShape = { members: { at: 'instant', flow: flowRef, onMissed: flowRef } }
const assessment: PlaceShape = { members: { activity, actsAt: 'instant', indexed: 'indexed', key: 'text' } }
const data: PlaceShape = { members: { data: 'json' } }
const timeWindow: PlaceShape = { members: { from: 'instant', until: 'instant' } }

const body: PlaceShape = {
  members: {
    commands: { each: data },
    inputs: { each: ref },
    outputs: { each: data },
    references: { each: ref },
    salt: 'text',
    timeWindow,
  },
}

const origin: PlaceShape = {
  members: {
    attempt: 'integer',
    clientId: 'text',
    due: 'instant',
    flow: 'text',
    from: 'text',
    latenessMs: 'integer',
    ref,
  },
}

/** The events that make up nearly all of a log. Those of other types are few, or never two of one shape. */
export const eventPlaces: Readonly<Partial<Record<EventType, PlaceShape>>> = {
  FlowStarted: { members: { flow: 'text', input: 'json', origin } },
  TransactionRecorded: {
    members: { assessments: { each: assessment }, body, flow: 'text', id: 'hash', signatures: 'unique' },
  },
  FlowEnded: { members: { flow: 'text', next: 'text', refusal: 'json', result: 'json' } },
}
