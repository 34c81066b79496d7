/**
 * Ends what runs until it is told otherwise: a watch, a live stream.
 */

/** Told when the process is asked to end. */
export const untilSignalled = (): AbortSignal => {
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  process.once('SIGTERM', () => stopping.abort())
  return stopping.signal
}

/** Resolves after so many milliseconds, or at once when it is told to stop. */
export const pauseFor = (ms: number, stopped: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stopped.aborted) {
      resolve()
      return
    }
    const timer = setTimeout(resolve, ms)
    stopped.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
