/**
 * A bound on how long a far server may take. What comes later is ignored; the caller is told at the deadline, and must
 * make sure that the late work does no harm.
 */
export class DeadlinePassed extends Error {
  constructor(what: string, ms: number) {
    super(`${what} took longer than ${ms} ms`)
  }
}

export const withinDeadline = <A>(work: Promise<A>, ms: number, what: string): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DeadlinePassed(what, ms))
    }, ms)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error instanceof Error ? error : new Error(String(error)))
      },
    )
  })
