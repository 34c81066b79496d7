/**
 * That a flow has started another one, which is its child.
 */
/** What becomes of a child when its parent ends: it is ended too, or goes on. */
export type WhenParentEnds = 'cancel' | 'leave'

export type ChildRow = {
  readonly childSeq: number
  /** Its parent as it is now: one that has continued as another has given its children to it. */
  readonly parentSeq: number
  /** The flow that has started it. */
  readonly startedBySeq: number
  /** 1 for the child of a flow that is nobody's child. */
  readonly depth: number
  readonly whenParentEnds: WhenParentEnds
}
