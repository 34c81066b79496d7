import { expect } from 'chai'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineFlow,
  generateKeyPair,
  instant,
  NoInputC,
  plus,
  type StateAndRef,
  type TransactionBuilder,
} from 'carillon'
import { VirtualNode } from 'carillon/testing'
import { app } from './app.js'
import { StartHeartbeat } from './flows/StartHeartbeat.js'
import type { Heart } from './Heart.js'
import { Heartbeat } from './Heartbeat.js'
import { BeatCommand, SkipCommand, StartCommand, StopCommand } from './HeartbeatContract.js'

type Build = (transaction: TransactionBuilder) => TransactionBuilder

/** A node with one heart that is due and held back, so that a test can try any transaction on it. */
const withHeart = async (missedBeats: Heart['missedBeats']) => {
  let build: Build = (transaction) => transaction
  const Finalise = defineFlow({
    name: 'test/Finalise',
    input: NoInputC,
    *run(io) {
      yield* io.finalise(build)
    },
  })
  const virtual = await VirtualNode.start({
    app: defineApp({ name: app.name, states: app.states, flows: [...app.flows, Finalise] }),
  })
  const { heartbeat } = await virtual.node.run(StartHeartbeat, { name: 'bell', intervalMs: 1_000, missedBeats })
  await virtual.node.pause(heartbeat)
  await virtual.advanceBy({ seconds: 1 })
  const current = await virtual.node.state(Heartbeat, heartbeat)
  if (current === undefined) throw new Error('the heart is not there')

  const violationsOf = async (transaction: Build): Promise<readonly string[]> => {
    build = transaction
    try {
      await virtual.node.run(Finalise, {})
      return []
    } catch (error) {
      if (error instanceof CarillonError && error.code === 'contract-violated')
        return error.details['violations'] as readonly string[]
      throw error
    }
  }
  return { current, me: virtual.node.party, now: virtual.now, violationsOf }
}

type Subject = Awaited<ReturnType<typeof withHeart>>

const someoneElse = { name: 'Frollo', key: generateKeyPair().publicKey }
const OtherCommand = defineCommand({ type: 'test/Other' })

const beaten = ({ data }: StateAndRef<Heart>): Heart => ({
  ...data,
  beats: data.beats + 1,
  nextBeatAt: plus(data.nextBeatAt, { milliseconds: data.intervalMs }),
})

describe('the contract of a heart', () => {
  let subject: Subject

  describe('at a start', () => {
    beforeEach(async () => {
      subject = await withHeart('catch-up')
    })

    const start = (change: Partial<Heart>): Promise<readonly string[]> => {
      const { me, now, violationsOf } = subject
      const heart: Heart = {
        ...{ name: 'other', owner: me, startedAt: now, intervalMs: 500, missedBeats: 'catch-up' },
        ...{ beats: 0, skipped: 0, nextBeatAt: plus(now, { milliseconds: 500 }) },
        ...change,
      }
      return violationsOf((tx) => tx.produce(Heartbeat, heart).command(StartCommand, [me]))
    }

    it('accepts a new heart whose first beat is one interval away', async () => {
      expect(await start({})).to.deep.equal([])
    })

    it('refuses a heart without a name', async () => {
      expect(await start({ name: '' })).to.deep.equal(['a heart has a name'])
    })

    it('refuses an interval of nothing', async () => {
      const { now } = subject
      expect(await start({ intervalMs: 0, nextBeatAt: now })).to.deep.equal(['the interval is at least a millisecond'])
    })

    it('refuses a heart that claims a past', async () => {
      const sentence = 'a new heart has neither beaten nor skipped'
      expect(await start({ beats: 1 })).to.deep.equal([sentence])
      expect(await start({ skipped: 1 })).to.deep.equal([sentence])
    })

    it('refuses a first beat at another time', async () => {
      expect(await start({ nextBeatAt: instant('2030-01-01T00:00Z') })).to.deep.equal([
        'the first beat is due one interval after the start',
      ])
    })

    it('refuses to make a heart out of another', async () => {
      const { current, me, violationsOf } = subject
      expect(
        await violationsOf((tx) => tx.consume(current).produce(Heartbeat, current.data).command(StartCommand, [me])),
      ).to.deep.equal(['a start consumes no heart and produces one'])
    })

    it('names every broken rule, not only the first', async () => {
      expect(await start({ name: '', beats: 3, nextBeatAt: subject.now })).to.deep.equal([
        'a heart has a name',
        'a new heart has neither beaten nor skipped',
        'the first beat is due one interval after the start',
      ])
    })
  })

  describe('at a beat', () => {
    beforeEach(async () => {
      subject = await withHeart('catch-up')
    })

    const beat = (change: Partial<Heart>): Promise<readonly string[]> => {
      const { current, me, violationsOf } = subject
      return violationsOf((tx) =>
        tx
          .consume(current)
          .produce(Heartbeat, { ...beaten(current), ...change })
          .command(BeatCommand, [me])
          .timeWindow({ from: current.data.nextBeatAt }),
      )
    }

    it('accepts one that counts up and is followed by the next on the grid', async () => {
      expect(await beat({})).to.deep.equal([])
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
      it(`refuses to change the ${what}`, async () => {
        expect(await beat(change)).to.deep.equal([sentence])
      })
    }

    it('refuses to give the heart away', async () => {
      expect(await beat({ owner: someoneElse })).to.deep.equal(['the owner stays the same', 'Frollo signs for bell'])
    })

    it('refuses to be early: the time window must begin when it is due', async () => {
      const { current, me, violationsOf } = subject
      expect(
        await violationsOf((tx) => tx.consume(current).produce(Heartbeat, beaten(current)).command(BeatCommand, [me])),
      ).to.deep.equal(['a beat is never early: its time window begins when it is due'])
    })

    it('refuses to end the heart', async () => {
      const { current, me, violationsOf } = subject
      expect(
        await violationsOf((tx) =>
          tx.consume(current).command(BeatCommand, [me]).timeWindow({ from: current.data.nextBeatAt }),
        ),
      ).to.deep.equal(['a beat consumes one heart and produces one'])
    })
  })

  describe('at a skip', () => {
    const skip = (beats: number, change: Partial<Heart> = {}): Promise<readonly string[]> => {
      const { current, me, violationsOf } = subject
      const { skipped, nextBeatAt, intervalMs } = current.data
      const after = {
        ...current.data,
        skipped: skipped + beats,
        nextBeatAt: plus(nextBeatAt, { milliseconds: beats * intervalMs }),
        ...change,
      }
      return violationsOf((tx) => tx.consume(current).produce(Heartbeat, after).command(SkipCommand, [me], { beats }))
    }

    it('accepts to pass over beats, whole ones', async () => {
      subject = await withHeart('skip')
      expect(await skip(7)).to.deep.equal([])
    })

    it('refuses to pass over none', async () => {
      subject = await withHeart('skip')
      expect(await skip(0)).to.deep.equal(['a skip passes over at least one beat'])
    })

    it('refuses to leave the grid', async () => {
      subject = await withHeart('skip')
      expect(await skip(3, { nextBeatAt: instant('2026-01-01T00:00:04.5Z') })).to.deep.equal([
        'the next beat is due 3 × the interval after the one before',
      ])
    })

    it('refuses it to a heart that makes up for its beats', async () => {
      subject = await withHeart('catch-up')
      expect(await skip(3)).to.deep.equal(['only a heart that skips missed beats may skip'])
    })

    it('refuses to end the heart', async () => {
      subject = await withHeart('skip')
      const { current, me, violationsOf } = subject
      expect(await violationsOf((tx) => tx.consume(current).command(SkipCommand, [me], { beats: 1 }))).to.deep.equal([
        'a skip consumes one heart and produces one',
      ])
    })
  })

  describe('at a stop', () => {
    beforeEach(async () => {
      subject = await withHeart('catch-up')
    })

    it('accepts the end of one heart', async () => {
      const { current, me, violationsOf } = subject
      expect(await violationsOf((tx) => tx.consume(current).command(StopCommand, [me]))).to.deep.equal([])
    })

    it('refuses to leave a heart behind', async () => {
      const { current, me, violationsOf } = subject
      expect(
        await violationsOf((tx) => tx.consume(current).produce(Heartbeat, current.data).command(StopCommand, [me])),
      ).to.deep.equal(['a stop consumes one heart and produces none'])
    })
  })

  describe('always', () => {
    beforeEach(async () => {
      subject = await withHeart('catch-up')
    })

    it('wants exactly one heartbeat command', async () => {
      const { current, me, violationsOf } = subject
      expect(await violationsOf((tx) => tx.consume(current).command(OtherCommand, [me]))).to.deep.equal([
        'there is exactly one heartbeat command',
      ])
      expect(
        await violationsOf((tx) => tx.consume(current).command(StopCommand, [me]).command(StopCommand, [me])),
      ).to.deep.equal(['there is exactly one heartbeat command'])
    })

    it('wants the owner to sign', async () => {
      const { current, violationsOf } = subject
      expect(await violationsOf((tx) => tx.consume(current).command(StopCommand, [someoneElse]))).to.deep.equal([
        'Me signs for bell',
      ])
    })
  })
})
