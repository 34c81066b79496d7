/**
 * The limits of what is traced and measured.
 */
/** The limits of what is traced and measured. */
export const telemetryLimits = {
  /** Flows without steps that get a span in one tick; a catch-up of thousands is told by the measures. */
  spansPerTick: 100,
  /** Flows with steps whose spans are open while someone traces the node; the oldest is ended early for another. */
  tracedFlows: 10_000,
  /** A process that stands by waits no longer than this for the end of the log when its metrics are asked for. */
  logHeadMs: 1_000,
} as const
