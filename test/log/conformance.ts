/**
 * What every log adapter promises, as one suite. An adapter is given as a function that makes an empty log of which
 * any number of handles can be opened, as several processes would.
 */
import { expect } from 'chai'
import { canonicalText } from '../../src/encoding/canonical.js'
import { engineLimits } from '../../src/engine/limits.js'
import { logLimits } from '../../src/log/limits.js'
import type { EventLog } from '../../src/log/EventLog.js'
import { emptyHead, headAfter, tickAfter, type EncodedTick, type Head } from '../../src/log/Tick.js'
import { instant } from '../../src/time/Instant.js'
import { signed } from './signing.js'

export type LogUnderTest = {
  /** Opens one more handle on the same log. */
  readonly open: () => Promise<EventLog>
  /** Cuts every connection of the open handles, where there are any. */
  readonly cut?: () => Promise<void>
  /** How many ticks a long log has, where ten thousand would take too long to make. */
  readonly manyTicks?: number
  /** Gives back whatever the log needed; all handles are closed by then. */
  readonly remove: () => Promise<void>
}

const at = instant('2026-01-01T00:00:00.000Z')
const line = (value: unknown): string => canonicalText({ value })

/** Ticks that follow a head, each with the given number of events. */
export const ticksAfter = (head: Head, counts: readonly number[], label = 'event'): readonly EncodedTick[] => {
  const ticks: EncodedTick[] = []
  let last = head
  for (const count of counts) {
    const events = Array.from({ length: count }, (_, index) => line(`${label} ${last.revision + 1 + index}`))
    const tick = tickAfter(last, at, events, signed)
    ticks.push(tick)
    last = headAfter(tick)
  }
  return ticks
}

const appendAll = async (log: EventLog, ticks: readonly EncodedTick[], from: Head = emptyHead): Promise<void> => {
  let head = from
  for (const tick of ticks) {
    expect(await log.append(head, tick)).to.deep.equal({ kind: 'appended' })
    head = headAfter(tick)
  }
}

const collect = async (ticks: AsyncIterable<EncodedTick>): Promise<readonly EncodedTick[]> => {
  const found: EncodedTick[] = []
  for await (const tick of ticks) found.push(tick)
  return found
}

/** Follows until so many ticks have come, then aborts, and makes sure that ends the following. */
const followFor = async (log: EventLog, fromRevision: number, count: number): Promise<readonly EncodedTick[]> => {
  const abort = new AbortController()
  const found: EncodedTick[] = []
  for await (const tick of log.follow(fromRevision, abort.signal)) {
    found.push(tick)
    if (found.length === count) abort.abort()
  }
  return found
}

const withinMs = async <A>(ms: number, what: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([what, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Describes the suite. `itCut` defines the test that cuts connections: mocha's `it`, or what skips it by its name; logs
 * without connections leave it out.
 */
export const describeEventLog = (
  name: string,
  make: () => Promise<LogUnderTest>,
  itCut: (title: string, body: Mocha.AsyncFunc) => void = () => undefined,
): void => {
  describe(`${name} as an event log`, () => {
    let under: LogUnderTest
    let handles: EventLog[]

    const open = async (): Promise<EventLog> => {
      const log = await under.open()
      handles.push(log)
      return log
    }

    beforeEach(async () => {
      under = await make()
      handles = []
    })

    afterEach(async () => {
      for (const handle of handles) await handle.close()
      await under.remove()
    })

    describe('append', () => {
      it('begins with the empty head and nothing to read', async () => {
        const log = await open()
        expect(await log.head()).to.deep.equal(emptyHead)
        expect(await collect(log.read(0))).to.deep.equal([])
      })

      it('keeps ticks whole and in order', async () => {
        const log = await open()
        const ticks = ticksAfter(emptyHead, [1, 3, 2, 5])
        await appendAll(log, ticks)
        expect(await collect(log.read(0))).to.deep.equal(ticks)
        expect(await log.head()).to.deep.equal(headAfter(ticks[3]!))
      })

      it('refuses a tick at another head than its own, and says where the log ends', async () => {
        const log = await open()
        const [first, second] = ticksAfter(emptyHead, [2, 2])
        await appendAll(log, [first!])
        const fork = ticksAfter(emptyHead, [1], 'fork')[0]!
        expect(await log.append(emptyHead, fork)).to.deep.equal({ kind: 'refused', head: headAfter(first!) })
        const ahead = ticksAfter(headAfter(second!), [1])[0]!
        expect(await log.append(headAfter(second!), ahead)).to.deep.equal({ kind: 'refused', head: headAfter(first!) })
        expect(await collect(log.read(0))).to.deep.equal([first])
      })

      it('refuses a head of the right revision but another history', async () => {
        const log = await open()
        const mine = ticksAfter(emptyHead, [2], 'mine')[0]!
        const theirs = ticksAfter(emptyHead, [2], 'theirs')[0]!
        await appendAll(log, [mine])
        const next = ticksAfter(headAfter(theirs), [1])[0]!
        expect(await log.append(headAfter(theirs), next)).to.deep.equal({ kind: 'refused', head: headAfter(mine) })
      })

      it('takes exactly one of several ticks that writers append at the same head, round after round', async () => {
        const writers = [await open(), await open()]
        let head = emptyHead
        for (let round = 0; round < 25; round++) {
          const rivals = writers.map((_, writer) => ticksAfter(head, [1 + (round % 3)], `writer ${writer}`)[0]!)
          const outcomes = await Promise.all(writers.map((log, writer) => log.append(head, rivals[writer]!)))
          const winners = rivals.filter((_, writer) => outcomes[writer]!.kind === 'appended')
          expect(winners).to.have.length(1)
          head = headAfter(winners[0]!)
          const refused = outcomes.filter(({ kind }) => kind === 'refused')
          expect(refused).to.deep.equal([{ kind: 'refused', head }])
          for (const log of writers) expect(await log.head()).to.deep.equal(head)
        }
      })

      it('is safe to repeat after a lost acknowledgement: the tick is there once, and is found by its hash', async () => {
        const log = await open()
        const tick = ticksAfter(emptyHead, [2])[0]!
        await appendAll(log, [tick])
        // Either answer is true: some servers know that it is the same append once more.
        expect(await log.append(emptyHead, tick)).to.deep.be.oneOf([
          { kind: 'refused', head: headAfter(tick) },
          { kind: 'appended' },
        ])
        expect((await log.head()).hash).to.equal(tick.hash)
        expect(await collect(log.read(tick.firstRevision))).to.deep.equal([tick])
      })
    })

    describe('what is kept', () => {
      const awkward = [
        'line\nbreak, carriage\rreturn, tab\t, null\u0000, delete\u007f',
        'separators \u2028 \u2029 \u0085, byte order mark \ufeff, right-to-left \u202e',
        'astral 𝄞 🕰️, combining e\u0301 and composed \u00e9, non-characters \uffff',
        "quotes \" ' ` and backslashes \\ \\n, SQL '); DROP TABLE log_ticks; --",
        '\u0000\u0001\u001f'.repeat(50),
        '',
      ]

      it('comes back byte for byte, whatever text it holds', async () => {
        const log = await open()
        const tick = tickAfter(emptyHead, instant('0000-01-01T00:00:00.000Z'), awkward.map(line), signed)
        const nested = [line({ nested: [awkward] })]
        const last = tickAfter(headAfter(tick), instant('9999-12-31T23:59:59.999Z'), nested, signed)
        await appendAll(log, [tick, last])
        expect(await collect((await open()).read(0))).to.deep.equal([tick, last])
      })

      it('may be as large as a tick can be', async () => {
        const log = await open()
        const events = [
          ...Array.from({ length: 383 }, (_, index) => line('x'.repeat(1_000) + index.toString())),
          line('ü'.repeat(logLimits.factBytes / 2 - 100)),
        ]
        const full = tickAfter(emptyHead, at, events, signed)
        expect(Buffer.byteLength(full.events.join('\n'))).to.be.within(
          engineLimits.tickBytes,
          engineLimits.tickBytes + logLimits.factBytes,
        )
        await appendAll(log, [full])
        expect(await collect((await open()).read(0))).to.deep.equal([full])
      })

      it('is still there after the log was closed and opened again', async () => {
        const ticks = ticksAfter(emptyHead, [1, 2, 3])
        const log = await open()
        await appendAll(log, ticks.slice(0, 2))
        await log.close()
        const again = await open()
        expect(await again.head()).to.deep.equal(headAfter(ticks[1]!))
        await appendAll(again, ticks.slice(2), headAfter(ticks[1]!))
        expect(await collect(again.read(0))).to.deep.equal(ticks)
      })

      it('may be thousands of ticks, each found by its revisions', async () => {
        const log = await open()
        const ticks = ticksAfter(
          emptyHead,
          Array.from({ length: under.manyTicks ?? 10_000 }, (_, index) => 1 + (index % 3)),
        )
        await appendAll(log, ticks)
        let expected = 0
        for await (const tick of log.read(0)) {
          expect(tick.hash).to.equal(ticks[expected]!.hash)
          expected += 1
        }
        expect(expected).to.equal(ticks.length)
        for (const index of [0, 1, 255, 256, 257, ticks.length >> 1, ticks.length - 2, ticks.length - 1]) {
          const tick = ticks[index]!
          for (const revision of [tick.firstRevision, headAfter(tick).revision]) {
            const first = await log.read(revision)[Symbol.asyncIterator]().next()
            expect(first.value).to.deep.equal(tick)
          }
        }
      })
    })

    describe('read', () => {
      it('begins with the tick that holds the revision, also from its middle, and is empty beyond the head', async () => {
        const log = await open()
        const ticks = ticksAfter(emptyHead, [1, 4, 1, 3])
        await appendAll(log, ticks)
        const holding = [0, 1, 1, 1, 1, 2, 3, 3, 3]
        for (const [revision, place] of holding.entries())
          expect(await collect(log.read(revision)), `from revision ${revision}`).to.deep.equal(ticks.slice(place))
        expect(await collect(log.read(9))).to.deep.equal([])
        expect(await collect(log.read(1_000))).to.deep.equal([])
      })

      it('ends at the head of the moment it began', async () => {
        const log = await open()
        const ticks = ticksAfter(emptyHead, [1, 1, 1])
        await appendAll(log, ticks.slice(0, 2))
        const reading = log.read(0)[Symbol.asyncIterator]()
        expect((await reading.next()).value).to.deep.equal(ticks[0])
        await appendAll(log, ticks.slice(2), headAfter(ticks[1]!))
        expect((await reading.next()).value).to.deep.equal(ticks[1])
        expect((await reading.next()).done).to.equal(true)
      })

      it('sees what another handle has appended', async () => {
        const [writer, reader] = [await open(), await open()]
        const ticks = ticksAfter(emptyHead, [2, 2])
        await appendAll(writer, ticks)
        expect(await collect(reader.read(0))).to.deep.equal(ticks)
        expect(await reader.head()).to.deep.equal(headAfter(ticks[1]!))
      })
    })

    describe('follow', () => {
      it('gives what is there and then what comes, without gap or repeat', async () => {
        const [writer, reader] = [await open(), await open()]
        const ticks = ticksAfter(
          emptyHead,
          Array.from({ length: 60 }, (_, index) => 1 + (index % 4)),
        )
        await appendAll(writer, ticks.slice(0, 20))
        const following = followFor(reader, 0, ticks.length)
        for (const [index, tick] of ticks.slice(20).entries()) {
          await appendAll(writer, [tick], headAfter(ticks[19 + index]!))
          if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
        }
        expect(await withinMs(5_000, following)).to.deep.equal(ticks)
      })

      it('waits for a revision that is not there yet', async () => {
        const [writer, reader] = [await open(), await open()]
        const ticks = ticksAfter(emptyHead, [2, 2, 2])
        const following = followFor(reader, 3, 2)
        await appendAll(writer, ticks)
        expect(await withinMs(5_000, following)).to.deep.equal(ticks.slice(1))
      })

      it('goes on where it was left after the log was closed and opened again', async () => {
        const ticks = ticksAfter(emptyHead, [1, 2, 3, 1, 2])
        const log = await open()
        await appendAll(log, ticks.slice(0, 3))
        const before = await followFor(log, 0, 2)
        await log.close()
        const again = await open()
        const following = followFor(again, headAfter(before[1]!).revision + 1, 3)
        await appendAll(again, ticks.slice(3), headAfter(ticks[2]!))
        expect([...before, ...(await withinMs(5_000, following))]).to.deep.equal(ticks)
      })

      itCut('goes on without gap or repeat when its connections are cut again and again', async function () {
        this.timeout(60_000)
        const [writer, reader] = [await open(), await open()]
        const ticks = ticksAfter(
          emptyHead,
          Array.from({ length: 40 }, (_, index) => 1 + (index % 4)),
        )
        const following = followFor(reader, 0, ticks.length)
        let head = emptyHead
        for (const [index, tick] of ticks.entries()) {
          if (index % 10 === 5) await under.cut?.()
          // What is not surely appended is looked for, as a node does.
          for (;;) {
            const outcome = await writer.append(head, tick)
            if (outcome.kind === 'appended') break
            if ((await writer.head().catch(() => emptyHead)).hash === tick.hash) break
          }
          head = headAfter(tick)
        }
        expect(await withinMs(20_000, following)).to.deep.equal(ticks)
      })

      it('ends promptly when it is aborted, waiting or not', async () => {
        const log = await open()
        const ticks = ticksAfter(emptyHead, [1, 1, 1])
        await appendAll(log, ticks)
        expect(await followFor(log, 0, 1), 'in the middle of what is there').to.deep.equal(ticks.slice(0, 1))
        const waiting = new AbortController()
        const ended = collect(log.follow(3, waiting.signal))
        await new Promise((resolve) => setImmediate(resolve))
        waiting.abort()
        expect(await withinMs(1_000, ended)).to.deep.equal([])
        expect(await collect(log.follow(0, AbortSignal.abort()))).to.deep.equal([])
      })
    })

    describe('close', () => {
      it('ends followers and may be called again', async () => {
        const log = await open()
        await appendAll(log, ticksAfter(emptyHead, [1]))
        const following = log.follow(0, new AbortController().signal)[Symbol.asyncIterator]()
        expect((await following.next()).done).to.equal(false)
        const waiting = following.next()
        await log.close()
        expect((await withinMs(1_000, waiting)).done).to.equal(true)
        await log.close()
      })

      it('ends every later call in an answer or a typed error', async () => {
        const log = await open()
        const ticks = ticksAfter(emptyHead, [1, 1])
        await appendAll(log, [ticks[0]!])
        await log.close()
        const calls: readonly (() => Promise<unknown>)[] = [
          () => log.head(),
          () => collect(log.read(0)),
          () => collect(log.follow(0, new AbortController().signal)),
          async () => log.assertWhole?.(),
          async () => {
            const outcome = await log.append(headAfter(ticks[0]!), ticks[1]!)
            if (outcome.kind === 'failed') throw outcome.error
          },
        ]
        for (const call of calls) {
          const error = await withinMs(1_000, call()).then(
            () => undefined,
            (thrown: unknown) => thrown,
          )
          if (error !== undefined) expect(error).to.have.property('code', 'node-stopped')
        }
      })

      it('leaves other handles alone', async () => {
        const [one, other] = [await open(), await open()]
        await one.close()
        const ticks = ticksAfter(emptyHead, [1])
        await appendAll(other, ticks)
        expect(await collect(other.read(0))).to.deep.equal(ticks)
      })
    })
  })
}
