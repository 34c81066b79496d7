/**
 * Waiting on a clock: what a deadline means, on the virtual clock and on the machine's.
 */
import { expect } from 'chai'
import { instant, toMillis } from '../../src/index.js'
import { systemClock } from '../../src/time/SystemClock.js'
import { timeLimits } from '../../src/time/limits.js'
import { VirtualClock } from '../../src/testing/index.js'

const mark = instant('2026-01-01T00:00:00.000Z')
const markMs = toMillis(mark)
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Lets callbacks of the clock run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the virtual clock', () => {
  let clock: VirtualClock
  let rings: number
  const ring = (): void => {
    rings += 1
  }

  beforeEach(() => {
    clock = new VirtualClock(mark)
    rings = 0
  })

  const pass = async (ms: number): Promise<void> => {
    clock.setTo(clock.now() + ms)
    await settle()
  }

  it('[SCH-31] rings at once for a deadline that has passed', async () => {
    clock.wakeAt(markMs - hourMs, ring)
    expect(rings, 'never while the caller still runs').to.equal(0)
    await settle()
    expect(rings).to.equal(1)
    expect(clock.nextWakeMs()).to.equal(undefined)
  })

  it('[SCH-32] rings at once for a deadline that is now', async () => {
    clock.wakeAt(markMs, ring)
    await settle()
    expect(rings).to.equal(1)
  })

  it('[SCH-33] rings for a passed deadline even while another wait goes on', async () => {
    clock.wakeAt(markMs + hourMs, () => {
      throw new Error('too early')
    })
    clock.wakeAt(markMs - 1, ring)
    await settle()
    expect(rings).to.equal(1)
    expect(clock.nextWakeMs()).to.equal(markMs + hourMs)
  })

  it('[SCH-34] never rings for a wait that was cancelled because what it waited for has come', async () => {
    const cancel = clock.wakeAt(markMs + hourMs, ring)
    cancel()
    await pass(2 * hourMs)
    expect(rings).to.equal(0)
  })

  it('[SCH-34] never rings for a wait that was cancelled after its deadline, but before it rang', async () => {
    const cancelAtOnce = clock.wakeAt(markMs, ring)
    cancelAtOnce()
    const cancelLater = clock.wakeAt(markMs + hourMs, ring)
    clock.setTo(markMs + hourMs)
    cancelLater()
    await settle()
    expect(rings).to.equal(0)
  })

  it('[SCH-36] rings when the clock is moved to the deadline', async () => {
    clock.wakeAt(markMs + hourMs, ring)
    await pass(hourMs)
    expect(rings).to.equal(1)
    await pass(hourMs)
    expect(rings, 'once').to.equal(1)
  })

  it('[SCH-37] rings everyone whose deadline a single move has passed', async () => {
    clock.wakeAt(markMs + hourMs, ring)
    clock.wakeAt(markMs + minuteMs, ring)
    clock.wakeAt(markMs + hourMs + 1, ring)
    await pass(hourMs)
    expect(rings).to.equal(2)
  })

  it('[SCH-38] is not rung by a move that stays short of the deadline', async () => {
    const cancel = clock.wakeAt(markMs + 2 * hourMs, ring)
    await pass(hourMs)
    expect(rings).to.equal(0)
    cancel()
    await pass(2 * hourMs)
    expect(rings).to.equal(0)
  })

  it('[SCH-39] adds up small moves', async () => {
    clock.wakeAt(markMs + hourMs, ring)
    for (let step = 1; step <= 5; step++) await pass(10 * minuteMs)
    expect(rings).to.equal(0)
    await pass(10 * minuteMs)
    expect(rings).to.equal(1)
  })

  it('is set back without ringing, and then waits for the deadline itself', async () => {
    clock.wakeAt(markMs + hourMs, ring)
    await pass(-hourMs)
    await pass(hourMs)
    expect(rings).to.equal(0)
    await pass(hourMs)
    expect(rings).to.equal(1)
  })
})

describe('the system clock', () => {
  const wakesWithin = (atMs: number, withinMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        cancel()
        resolve(false)
      }, withinMs)
      const cancel = systemClock.wakeAt(atMs, () => {
        clearTimeout(giveUp)
        resolve(true)
      })
    })

  it('reads the machine’s time', () => {
    const before = Date.now()
    const now = systemClock.now()
    expect(now).to.be.within(before, Date.now())
  })

  it('[SCH-31] rings at once for a deadline that has passed', async () => {
    expect(await wakesWithin(Date.now() - hourMs, 500)).to.equal(true)
  })

  it('[SCH-32] rings at once for a deadline that is now', async () => {
    expect(await wakesWithin(Date.now(), 500)).to.equal(true)
  })

  it('trusts no wait for longer than a second, so that a step of the clock is noticed', async () => {
    const began = Date.now()
    expect(await wakesWithin(began + 365 * 24 * hourMs, timeLimits.longestTrustedWaitMs + 2_000)).to.equal(true)
    expect(Date.now() - began).to.be.at.least(timeLimits.longestTrustedWaitMs - 50)
  })

  it('[SCH-34] never rings for a wait that was cancelled', async () => {
    let rung = false
    const cancel = systemClock.wakeAt(Date.now() + 5, () => {
      rung = true
    })
    cancel()
    await wakesWithin(Date.now() + 30, 500)
    expect(rung).to.equal(false)
  })
})
