/**
 * What every adapter to a server promises when the server misbehaves: each method ends in an answer or a typed error, and
 * works again when the server does.
 */
import { expect } from 'chai'
import { CarillonError } from '../../src/errors/CarillonError.js'
import type { EventLog } from '../../src/log/EventLog.js'
import { emptyHead, headAfter, type EncodedTick } from '../../src/log/Tick.js'
import { ticksAfter } from './conformance.js'

/** One way in which a server can misbehave. */
export type LogFault = {
  readonly name: string
  readonly begin: () => Promise<void> | void
  /** Makes the server work again; without it the log is lost for good. */
  readonly end?: () => Promise<void> | void
  /** How a follower ends when the log is lost for good. Default `log-foreign`. */
  readonly code?: string
}

/** A log on a server that can misbehave. */
export type FaultyServer = {
  readonly open: () => Promise<EventLog>
  readonly fault: (name: string) => LogFault
  readonly remove: () => Promise<void>
}

/** What a method ended in. */
type End = { readonly answer: unknown } | { readonly error: unknown }

const endOf = (work: Promise<unknown>): Promise<End> =>
  work.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  )

const all = async (ticks: AsyncIterable<EncodedTick>): Promise<readonly EncodedTick[]> => {
  const found: EncodedTick[] = []
  for await (const tick of ticks) found.push(tick)
  return found
}

/** Every method of the port that asks the server, and the opening of another handle. */
const methods = {
  head: (log: EventLog) => log.head(),
  append: async (log: EventLog, ticks: readonly EncodedTick[]) => {
    const outcome = await log.append(headAfter(ticks[0]!), ticks[1]!)
    if (outcome.kind === 'failed' || outcome.kind === 'unknown') throw outcome.error
    return outcome
  },
  read: (log: EventLog) => all(log.read(0)),
  'read from the middle': (log: EventLog) => all(log.read(1)),
  assertWhole: async (log: EventLog) => log.assertWhole?.(),
  open: async (_: EventLog, __: readonly EncodedTick[], open: () => Promise<EventLog>) => {
    await (await open()).close()
  },
} as const

/** Describes the suite for the named faults; `define` is mocha's `it`, or what skips the test by its name. */
export const describeFaults = (
  name: string,
  faults: readonly string[],
  make: () => Promise<FaultyServer>,
  define: (title: string, body: Mocha.AsyncFunc) => void = it,
): void => {
  describe(`${name} when the server misbehaves`, () => {
    for (const fault of faults)
      define(`ends every method in an answer or a typed error, and goes on afterwards: ${fault}`, async () => {
        const server = await make()
        const log = await server.open()
        const ticks = ticksAfter(emptyHead, [2, 1, 1])
        expect(await log.append(emptyHead, ticks[0]!)).to.deep.equal({ kind: 'appended' })
        const { begin, end, code = 'log-foreign' } = server.fault(fault)
        const followed: EncodedTick[] = []
        const abort = new AbortController()
        const follow = async (): Promise<void> => {
          for await (const tick of log.follow(0, abort.signal)) {
            followed.push(tick)
            if (followed.length === 3) abort.abort()
          }
        }
        const before = endOf(follow())
        await begin()
        for (const [method, call] of Object.entries(methods)) {
          const ended = await endOf(call(log, ticks, server.open))
          if ('error' in ended) expect(ended.error, `${method}: ${String(ended.error)}`).to.be.instanceOf(CarillonError)
        }
        const given = new AbortController()
        const givenUp = endOf(all(log.follow(3, given.signal)))
        await new Promise((resolve) => setTimeout(resolve, 20))
        const abortedAt = performance.now()
        given.abort()
        await givenUp
        expect(performance.now() - abortedAt, 'a follower that is aborted ends').to.be.lessThan(250)
        const during = new AbortController()
        const begun = endOf(all(log.follow(0, during.signal)))
        if (end === undefined) {
          for (const ended of [await before, await begun]) expect(ended).to.have.nested.property('error.code', code)
        } else {
          await end()
          await goOn(log, ticks)
          expect(await before, 'a follower goes on').to.deep.equal({ answer: undefined })
          expect(followed).to.deep.equal(ticks)
          during.abort()
          const ended = await begun
          if ('error' in ended)
            throw new Error('A follower that began in the fault has failed.', { cause: ended.error })
        }
        await log.close()
        await server.remove()
      })
  })
}

/** Appends what is missing, as a node does after it has read back. */
const goOn = async (log: EventLog, ticks: readonly EncodedTick[]): Promise<void> => {
  const deadline = performance.now() + 20_000
  let head = headAfter(ticks[0]!)
  for (const tick of ticks.slice(1)) {
    for (;;) {
      const outcome = await log.append(head, tick)
      if (outcome.kind === 'appended') break
      if (outcome.kind === 'refused' && outcome.head.hash === tick.hash) break
      if (performance.now() > deadline) throw new Error(`the log never went on: ${JSON.stringify(outcome)}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    head = headAfter(tick)
  }
  expect(await all(log.read(0))).to.deep.equal(ticks)
}
