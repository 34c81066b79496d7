/**
 * Waits for work, but not beyond a signal. Work that goes on afterwards is ignored, also when it fails.
 */
export const untilAborted = <A, B>(work: Promise<A>, signal: AbortSignal, otherwise: () => B): Promise<A | B> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      try {
        resolve(otherwise())
      } catch (error) {
        reject(error as Error)
      }
    }
    signal.addEventListener('abort', end, { once: true })
    const over = (): void => signal.removeEventListener('abort', end)
    work.then(
      (value) => {
        over()
        resolve(value)
      },
      (error: unknown) => {
        over()
        reject(error as Error)
      },
    )
    // A signal that was given before somebody listens calls nobody.
    if (signal.aborted) end()
  })
