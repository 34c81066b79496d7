/**
 * Somebody who comes by again and again: one visit at a time, and a visit that fails does not keep them from the next.
 */
export type Visits = { readonly stop: () => void }

export const repeat = (everyMs: number, visit: () => Promise<unknown>, onTrouble: (error: unknown) => void): Visits => {
  const closing = new AbortController()
  let isUnderWay = false
  const come = async (): Promise<void> => {
    if (isUnderWay) return
    isUnderWay = true
    try {
      await visit()
    } catch (error) {
      // Whoever is inside when the house closes is sent away; that is no trouble.
      if (!closing.signal.aborted) onTrouble(error)
    } finally {
      isUnderWay = false
    }
  }
  void come()
  const timer = setInterval(() => void come(), everyMs)
  return {
    stop: () => {
      closing.abort()
      clearInterval(timer)
    },
  }
}
