/**
 * Whether a function reads the clock while it runs. Used on development nodes, where it is worth the cost of
 * watching `Date` and `performance` for the length of one call.
 */
export const readsClock = (run: () => unknown): boolean => {
  const RealDate = globalThis.Date
  const realNow = performance.now.bind(performance)
  let read = false
  const notice = (): void => {
    read = true
  }
  const WatchedDate = new Proxy(RealDate, {
    construct(target, values: readonly unknown[], newTarget) {
      if (values.length === 0) notice()
      return Reflect.construct(target, values, newTarget) as Date
    },
    apply(target, self, values) {
      notice()
      return Reflect.apply(target, self, values) as string
    },
    get(target, name, receiver) {
      if (name === 'now') notice()
      return Reflect.get(target, name, receiver) as unknown
    },
  })
  globalThis.Date = WatchedDate
  performance.now = () => {
    notice()
    return realNow()
  }
  try {
    run()
  } catch {
    // Whatever it throws is met again, and reported, when it is asked in earnest.
  } finally {
    globalThis.Date = RealDate
    performance.now = realNow
  }
  return read
}
