/**
 * Waits for work, but not beyond a signal. Work that goes on afterwards is ignored, also when it fails.
 */
export const untilAborted = async <A, B>(work: Promise<A>, signal: AbortSignal, otherwise: () => B): Promise<A | B> => {
  let end: () => void = () => undefined
  const aborted = new Promise<'aborted'>((resolve) => {
    end = () => resolve('aborted')
  })
  signal.addEventListener('abort', end, { once: true })
  // A signal that was given before somebody listens calls nobody.
  if (signal.aborted) end()
  try {
    const first = await Promise.race([aborted, work.then((value) => ({ value }))])
    return first === 'aborted' ? otherwise() : first.value
  } finally {
    signal.removeEventListener('abort', end)
  }
}
