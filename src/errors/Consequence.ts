/**
 * What an error means for whoever meets it. The consequence travels with the error, so no caller has
 * to guess from a message whether trying again can help.
 */
export type Consequence =
  /** The same request can never succeed as it stands; nothing was changed. */
  | 'refuse'
  /** Trying again later may succeed; the node does so by itself, with back-off. */
  | 'retry'
  /** Kept, visible, waiting for a person to retry or dismiss it. */
  | 'park'
  /** The flow that met it ends in failure. */
  | 'fail'
  /** The node must stop: going on could contradict the log. */
  | 'stop'
