/**
 * The limits of what a flow may ask for. They are part of what a flow is promised, so they are the same on every node.
 */
/** The limits of what a flow may ask for. */
export const flowLimits = {
  /** States one query inside a flow may return; its refs are recorded. */
  statesPerQuery: 1_000,
  /** Depth of sub-flows within sub-flows. */
  subFlowDepth: 32,
  /** Parts of one flow that may be open at one time: each is a generator, and a wait in the flow's row. */
  partsPerFlow: 1_000,
  /** Depth of parts within parts. */
  partDepth: 8,
  /** Depth of flows that start flows: what starts itself in a circle comes to an end. */
  childDepth: 32,
  /** Time that a cancelled flow has to undo what it has done, unless whoever cancels it says otherwise; then it is killed. */
  cancelWithinMs: 3_600_000,
  /** Text of a client id: room for any name of a request, and short enough for an index. */
  clientIdLength: 1_000,
  /** Signals a flow may have that it has not taken yet; more are refused. */
  signalsKept: 1_000,
  /** Size of what one signal says; larger things belong in an outside store, with their name in the signal. */
  signalBytes: 65_536,
} as const
