import { defineCommand, instant, plus, type StateAndRef } from 'carillon'
import { ledger, testParty, type TestLedger, type TransactionTrial } from 'carillon/testing'
import { app } from './app.js'
import { BeatCommand, Heartbeat, SkipCommand, StartCommand, StopCommand, type Heart } from './Heartbeat.js'

const me = testParty('Quasimodo')
const someoneElse = testParty('Frollo')
const OtherCommand = defineCommand({ type: 'test/Other' })

const startedAt = instant('2026-01-01T00:00:00Z')
const newHeart: Heart = {
  ...{ name: 'bell', owner: me, startedAt, intervalMs: 1_000, missedBeats: 'catch-up' },
  ...{ beats: 0, skipped: 0, nextBeatAt: plus(startedAt, { seconds: 1 }) },
}

describe('the contract of a heart', () => {
  let tower: TestLedger
  let current: StateAndRef<Heart>

  beforeEach(() => {
    tower = ledger(app)
    current = tower.given(Heartbeat, newHeart, 'bell')
  })

  it('accepts the whole life of a heart', () => {
    const beaten = { ...newHeart, beats: 1, nextBeatAt: plus(newHeart.nextBeatAt, { seconds: 1 }) }
    tower.transaction().produce(Heartbeat, newHeart, 'new').command(StartCommand, [me]).verifies()
    tower
      .transaction()
      .consume('new')
      .produce(Heartbeat, beaten, 'beaten')
      .command(BeatCommand, [me])
      .timeWindow({ from: newHeart.nextBeatAt })
      .verifies()
    tower.transaction().consume('beaten').command(StopCommand, [me]).verifies()
  })

  describe('at a start', () => {
    const start = (change: Partial<Heart>): TransactionTrial =>
      tower
        .transaction()
        .produce(Heartbeat, { ...newHeart, ...change })
        .command(StartCommand, [me])

    it('accepts a new heart whose first beat is one interval away', () => {
      start({}).verifies()
    })

    it('refuses a heart without a name', () => {
      start({ name: '' }).failsOnlyWith('a heart has a name')
    })

    it('refuses a heart that would never rest', () => {
      start({ intervalMs: 0, nextBeatAt: startedAt }).failsOnlyWith('the interval is at least a millisecond')
    })

    it('refuses a heart that claims a past', () => {
      start({ beats: 1 }).failsOnlyWith('a new heart has neither beaten nor skipped')
      start({ skipped: 1 }).failsOnlyWith('a new heart has neither beaten nor skipped')
    })

    it('refuses a first beat at another time', () => {
      start({ nextBeatAt: instant('2030-01-01T00:00Z') }).failsOnlyWith(
        'the first beat is due one interval after the start',
      )
    })

    it('refuses to make a heart out of another', () => {
      start({}).consume('bell').failsOnlyWith('a start consumes no heart and produces one')
    })

    it('names every broken rule, not only the first', () => {
      start({ name: '', beats: 3, nextBeatAt: startedAt }).failsOnlyWith(
        'a heart has a name',
        'a new heart has neither beaten nor skipped',
        'the first beat is due one interval after the start',
      )
    })
  })

  describe('at a beat', () => {
    const beat = (): TransactionTrial =>
      tower
        .transaction()
        .consume('bell')
        .produce(Heartbeat, { ...newHeart, beats: 1, nextBeatAt: plus(newHeart.nextBeatAt, { seconds: 1 }) })
        .command(BeatCommand, [me])
        .timeWindow({ from: newHeart.nextBeatAt })

    it('accepts one that counts up and is followed by the next on the grid', () => {
      beat().verifies()
    })

    const unchangeable: readonly [string, Partial<Heart>, string][] = [
      ['name', { name: 'drum' }, 'the name stays the same'],
      ['start', { startedAt: instant('2020-01-01T00:00Z') }, 'the start stays the same'],
      ['interval', { intervalMs: 2 }, 'the interval stays the same'],
      ['way with missed beats', { missedBeats: 'skip' }, 'the way with missed beats stays the same'],
      ['count, other than by one', { beats: 5 }, 'the count of beats goes up by 1'],
      ['count of skipped beats', { skipped: 1 }, 'the count of skipped beats goes up by 0'],
      [
        'grid',
        { nextBeatAt: instant('2026-01-01T00:00:02.001Z') },
        'the next beat is due 1 × the interval after the one before',
      ],
    ]
    for (const [what, change, sentence] of unchangeable) {
      it(`refuses to change the ${what}`, () => {
        beat()
          .tweak((tx) => tx.change(Heartbeat, (heart) => ({ ...heart, ...change })).failsOnlyWith(sentence))
          .verifies()
      })
    }

    it('refuses to give the heart away', () => {
      beat()
        .change(Heartbeat, (heart) => ({ ...heart, owner: someoneElse }))
        .failsOnlyWith('the owner stays the same', 'Frollo signs for bell')
    })

    it('refuses to be early: the time window must begin when it is due', () => {
      beat().without('timeWindow').failsOnlyWith('a beat is never early: its time window begins when it is due')
    })

    it('refuses to end the heart', () => {
      beat().without('outputs').failsOnlyWith('a beat consumes one heart and produces one')
    })
  })

  describe('at a skip', () => {
    const skip = (beats: number, heart: Heart): TransactionTrial => {
      const skipping = tower.given(Heartbeat, heart)
      return tower
        .transaction()
        .consume(skipping)
        .produce(Heartbeat, {
          ...heart,
          skipped: beats,
          nextBeatAt: plus(heart.nextBeatAt, { milliseconds: beats * heart.intervalMs }),
        })
        .command(SkipCommand, [me], { beats })
    }
    const skipper: Heart = { ...newHeart, missedBeats: 'skip' }

    it('accepts to pass over beats, whole ones', () => {
      skip(7, skipper).verifies()
    })

    it('refuses to pass over none', () => {
      skip(0, skipper).failsOnlyWith('a skip passes over at least one beat')
    })

    it('refuses to leave the grid', () => {
      skip(3, skipper)
        .change(Heartbeat, (heart) => ({ ...heart, nextBeatAt: instant('2026-01-01T00:00:04.5Z') }))
        .failsOnlyWith('the next beat is due 3 × the interval after the one before')
    })

    it('refuses it to a heart that makes up for its beats', () => {
      skip(3, newHeart).failsOnlyWith('only a heart that skips missed beats may skip')
    })

    it('refuses to end the heart', () => {
      skip(1, skipper).without('outputs').failsOnlyWith('a skip consumes one heart and produces one')
    })
  })

  describe('at a stop', () => {
    it('accepts the end of one heart', () => {
      tower.transaction().consume(current).command(StopCommand, [me]).verifies()
    })

    it('refuses to leave a heart behind', () => {
      tower
        .transaction()
        .consume('bell')
        .produce(Heartbeat, newHeart)
        .command(StopCommand, [me])
        .failsOnlyWith('a stop consumes one heart and produces none')
    })
  })

  describe('always', () => {
    it('wants exactly one heartbeat command', () => {
      const stop = tower.transaction().consume('bell')
      stop.command(OtherCommand, [me]).failsOnlyWith('there is exactly one heartbeat command')
      stop.command(StopCommand, [me]).command(StopCommand, [me]).failsOnlyWith('there is exactly one heartbeat command')
    })

    it('wants the owner to sign', () => {
      tower.transaction().consume('bell').command(StopCommand, [someoneElse]).failsOnlyWith('Quasimodo signs for bell')
    })
  })
})
