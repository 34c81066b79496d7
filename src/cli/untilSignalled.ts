/**
 * Ends what runs until it is told otherwise: a watch, a live stream.
 */
import { setTimeout } from 'node:timers/promises'

/** Told when the process is asked to end. */
export const untilSignalled = (): AbortSignal => {
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  process.once('SIGTERM', () => stopping.abort())
  return stopping.signal
}

/** Resolves after so many milliseconds, or at once when it is told to stop. */
export const pauseFor = async (ms: number, stopped: AbortSignal): Promise<void> => {
  try {
    await setTimeout(ms, undefined, { signal: stopped })
  } catch (error) {
    if (!stopped.aborted) throw error
  }
}
