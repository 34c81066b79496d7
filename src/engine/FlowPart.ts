/**
 * A part of a flow in memory: its generator, and the operation it stands at. The flow itself is the first part; the others
 * have a path, such as `1.2`, whose numbers count the parts that one part has begun.
 */
import type { Operation } from '../app/Operation.js'
import type { PartContext } from '../app/FlowIo.js'
import type { Answer } from '../flow/Answer.js'
import type { PartBody } from '../flow/Parts.js'
import type { Waiting } from '../log/events.js'

/** How the code of a part came to its end. */
export type Ending =
  { readonly kind: 'returned'; readonly result: unknown } | { readonly kind: 'threw'; readonly error: unknown }

/** Parts that one part has begun together, and waits for. */
export type PartGroup = {
  readonly kind: 'all' | 'race'
  readonly names: readonly string[]
  /** The part that waits for them. */
  readonly parent: FlowPart
  readonly members: FlowPart[]
  /** How many of them have not come to their end. */
  open: number
  readonly results: unknown[]
  /** Known as soon as it is decided; told to the parent when all parts have come to their end. */
  outcome:
    { readonly kind: 'won'; readonly value: unknown } | { readonly kind: 'failed'; readonly error: unknown } | undefined
  isOver: boolean
}

export class FlowPart {
  /** Undefined for the flow itself. */
  readonly path: string | undefined
  /** The numbers of the path. */
  readonly place: readonly number[]
  readonly body: PartBody
  readonly context: PartContext
  /** The parts it was begun with; undefined for the flow itself. */
  readonly group: PartGroup | undefined
  /** Its place among them. */
  readonly index: number
  /** The operation it stands at. */
  pending: Operation | undefined
  /** What it waits for; undefined when its operation is yet to be decided. */
  waiting: Waiting | undefined
  /** Whether the row of the flow holds what it waits for. */
  isWaitRecorded = false
  /** The answer to its operation, when it is known without deciding. */
  given: Answer | undefined
  /** How many of its operations were answered. */
  answered = 0
  /** How many parts it has begun. */
  begun = 0
  /** The parts it waits for. */
  children: PartGroup | undefined
  isQueued = false
  isBegun = false
  isCancelled = false
  isOver = false

  constructor(
    path: string | undefined,
    place: readonly number[],
    body: PartBody,
    context: PartContext,
    group: PartGroup | undefined,
    index: number,
  ) {
    this.path = path
    this.place = place
    this.body = body
    this.context = context
    this.group = group
    this.index = index
  }
}

/** The order of parts: by the numbers of their paths, a part before those it has begun. */
export const comparePlaces = (left: readonly number[], right: readonly number[]): number => {
  for (const [index, number] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    if (number !== other) return number - other
  }
  return left.length - right.length
}
