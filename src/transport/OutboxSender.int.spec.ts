/** What the post promises about its outbox: nobody is starved by those who are down, and nobody is sent too much at once. */
import { assert, expect } from 'chai'
import type { FlowEngine } from '../engine/FlowEngine.js'
import { zeroHash } from '../encoding/hash.js'
import { NetworkMap } from '../identity/NetworkMap.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { messageLimits, sessionLimits } from '../session/limits.js'
import type { Transport } from '../session/Transport.js'
import type { Envelope } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'
import { VirtualClock } from '../time/VirtualClock.js'
import { instant, instantFromMillis } from '../time/Instant.js'
import { emptyHead, tickAfter } from '../log/Tick.js'
import type { DomainEvent, EventOf } from '../log/events.js'
import { Committed } from '../engine/Committed.js'
import { EmbeddedStore } from '../storage/EmbeddedStore.js'
import { silentLogger } from '../engine/Logger.js'
import type { Loop } from '../engine/Loop.js'
import { OutboxSender } from './OutboxSender.js'

const partyAt = (index: number): PublicKey => `ed25519:${String(index).padStart(64, '0')}` as PublicKey
const sessionAt = (index: number): SessionId => String(index).padStart(32, '0') as SessionId

type Post = {
  readonly to: number
  readonly messages: number
  readonly bytes?: number
  readonly perSession?: number
  readonly acknowledged?: number
}

/** The post over a real outbox; what the loop would commit is told by hand. */
const post = (waiting: readonly Post[]) => {
  const store = EmbeddedStore.inMemory()
  const { sessions } = store.views
  let revision = 0
  for (const { to, messages, bytes = 0, perSession = messageLimits.firstCredit, acknowledged = 0 } of waiting)
    for (let index = 0; index < messages; index++) {
      const id = sessionAt(to + 1_000 * Math.floor(index / perSession))
      const seq = index % perSession
      if (seq === 0) sessions.insert({ id, role: 'initiator', party: partyAt(to), flowSeq: null, fromRevision: 0 })
      const row = sessions.find(id, 'initiator')
      assert(row !== undefined)
      if (index < acknowledged) continue
      revision += 1
      sessions.send(row, revision, seq, JSON.stringify({ kind: 'data', payload: 'x'.repeat(bytes) }))
    }
  let deliver: Parameters<Transport['listen']>[0] = () => undefined
  const sent = new Map<PublicKey, Envelope[]>()
  let follower: (committed: Committed) => void = () => undefined
  const clock = new VirtualClock(instant('2026-01-01T00:00:00Z'))
  const sender = new OutboxSender({
    loop: {
      follow: (each: typeof follower) => (follower = each),
      isTicking: false,
      submit: () => Promise.resolve({ verdict: 'acknowledge', events: [] }),
    } as unknown as Loop,
    store,
    engine: {} as FlowEngine,
    transport: {
      send: (to, envelopes) => void sent.set(to, [...(sent.get(to) ?? []), ...envelopes]),
      listen: (each) => {
        deliver = each
      },
      close: () => Promise.resolve(),
    },
    network: () => new NetworkMap([], zeroHash),
    clock,
    logger: silentLogger,
    limits: sessionLimits,
  })
  sender.start()
  const commit = (event: DomainEvent): void => {
    const tick = tickAfter(
      { ...emptyHead, revision },
      instantFromMillis(clock.now()),
      [JSON.stringify(event)],
      () => '',
    )
    follower(new Committed(tick, clock.now(), [event]))
  }
  const acknowledge = (to: number, seq: number): void => {
    sessions.acknowledged(sessionAt(to), 'initiator', seq)
    commit({ type: 'MessageAcknowledged', session: sessionAt(to), role: 'initiator', seq })
  }
  const advance = async (ms: number): Promise<void> => {
    clock.setTo(clock.now() + ms)
    await Promise.resolve()
  }
  const hear = (from: number, ...envelopes: readonly Envelope[]): void | Promise<void> =>
    deliver(partyAt(from), envelopes, 100)
  /** A party opens sessions here, and uses up most of its credit in each of them. */
  const useUp = async (from: number, count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const session = sessionAt(from + 1_000 * index)
      sessions.insert({ id: session, role: 'responder', party: partyAt(from), flowSeq: 1, fromRevision: 0 })
      const message = { kind: 'data', payload: null } as const
      void hear(from, { kind: 'message', session, from: 'initiator', seq: sessionLimits.unreadMessages - 1, message })
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  /** The flow at this end of a session asks for a message, and so has read all before it. */
  const ask = (from: number, index: number, seq: number): void => {
    const session = sessionAt(from + 1_000 * index)
    const row = sessions.find(session, 'responder')
    assert(row !== undefined)
    sessions.ask(row, seq)
    const waits = [{ for: 'message', kind: 'receive', digest: '', session, role: 'responder', seq }]
    const waiting = waits as unknown as EventOf<'FlowAdvanced'>['waiting']
    commit({ type: 'FlowAdvanced', flow: session, operations: [], waiting })
  }
  return { sentTo: (to: number) => sent.get(partyAt(to)) ?? [], acknowledge, advance, hear, useUp, ask, sessions }
}

describe('The outbox', () => {
  it('of many who are down leaves room for one who is not', () => {
    const down = Array.from({ length: 11 }, (_, index) => ({
      to: index,
      messages: sessionLimits.unacknowledgedPerParty + 1,
    }))
    const { sentTo, acknowledge } = post([...down, { to: 99, messages: 40 }])
    expect(sentTo(0)).to.have.lengthOf(sessionLimits.unacknowledgedPerParty)
    expect(sentTo(99)).to.have.lengthOf(sessionLimits.unacknowledgedAtLeast)
    for (let seq = 0; seq < 40; seq++) acknowledge(99, seq)
    expect(sentTo(99)).to.have.lengthOf(40)
    expect(sentTo(0), 'nobody was sent more meanwhile').to.have.lengthOf(sessionLimits.unacknowledgedPerParty)
  })

  it('sends large messages in order, no more of them at a time than a connection holds', () => {
    const bytes = 200 * 1024
    const fit = Math.floor(sessionLimits.unacknowledgedBytesPerParty / (bytes + 40))
    const { sentTo, acknowledge } = post([{ to: 1, messages: 50, bytes }])
    expect(sentTo(1)).to.have.lengthOf(fit)
    acknowledge(1, 0)
    expect(sentTo(1)).to.have.lengthOf(fit + 1)
    for (let seq = 1; seq < 50; seq++) acknowledge(1, seq)
    expect(sentTo(1).map((envelope) => ('seq' in envelope ? envelope.seq : -1))).to.deep.equal(
      Array.from({ length: 50 }, (_, seq) => seq),
    )
  })

  it('sends a message that is larger than the room all the same', () => {
    const { sentTo } = post([{ to: 1, messages: 2, bytes: sessionLimits.unacknowledgedBytesPerParty + 1 }])
    expect(sentTo(1)).to.have.lengthOf(1)
  })

  it('sends as much of a session as there is credit for, and the rest when its other end has read', async () => {
    const first: number = messageLimits.firstCredit
    const { sentTo, acknowledge, advance, hear } = post([{ to: 1, messages: 2_000, perSession: 2_000 }])
    const inOrder = (): readonly number[] => [...new Set(sentTo(1).map((each) => ('seq' in each ? each.seq : -1)))]
    const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, seq) => seq)
    expect(inOrder()).to.deep.equal(upTo(first))
    for (let seq = 0; seq < first; seq++) acknowledge(1, seq)
    expect(inOrder(), 'that it has arrived does not mean that it was read').to.deep.equal(upTo(first))
    // A stranger's word counts for nothing.
    void hear(2, { kind: 'credit', session: sessionAt(1), from: 'responder', seq: 1_000 })
    expect(inOrder()).to.deep.equal(upTo(first))
    void hear(1, { kind: 'credit', session: sessionAt(1), from: 'responder', seq: 100 })
    expect(inOrder()).to.deep.equal(upTo(100))
    // The word of credit may be lost, so the next message is tried now and then, and only that one.
    for (let seq = first; seq < 100; seq++) acknowledge(1, seq)
    await advance(sessionLimits.resendFirstMs)
    expect(inOrder()).to.deep.equal(upTo(101))
    await advance(sessionLimits.resendLongestMs)
    expect(inOrder()).to.deep.equal(upTo(101))
  })

  it('leaves room for other sessions with a party that does not read one of them', () => {
    const many = sessionLimits.unacknowledgedPerParty
    const { sentTo } = post([{ to: 1, messages: 2 * many + 10, perSession: 2 * many }])
    const others = sentTo(1).filter((each) => 'session' in each && each.session !== sessionAt(1))
    expect(others).to.have.lengthOf(10)
  })

  it('goes on after a restart where it was, though nothing is known of the credit', () => {
    const { sentTo } = post([{ to: 1, messages: 300, perSession: 300, acknowledged: 200 }])
    expect(sentTo(1).map((each) => ('seq' in each ? each.seq : -1))).to.deep.equal([200])
  })

  it('tells of more credit when a flow has read on, and a tick costs no more for all who have none left', async () => {
    const { sentTo, acknowledge, useUp, ask, sessions } = post([{ to: 2, messages: 3 }])
    await useUp(1, 2_000)
    const credits = (): readonly Envelope[] => sentTo(1).filter(({ kind }) => kind === 'credit')
    let finds = 0
    const find = sessions.find.bind(sessions)
    sessions.find = (id, role) => {
      finds += 1
      return find(id, role)
    }
    for (let seq = 0; seq < 3; seq++) acknowledge(2, seq)
    expect(finds, 'sessions looked at while others go on').to.equal(0)
    ask(1, 7, 10)
    expect(credits()).to.deep.equal([
      { kind: 'credit', session: sessionAt(7_001), from: 'responder', seq: sessionLimits.unreadMessages + 10 },
    ])
    expect(finds).to.be.at.most(3)
    ask(1, 7, 20)
    expect(credits(), 'told once, until it has used up that').to.have.lengthOf(1)
  })

  it('takes so much of a party in a minute, signs of life without anything in them included', () => {
    const { sentTo, hear } = post([])
    for (let each = 0; each < sessionLimits.messagesPerMinute; each++) void hear(1)
    const message = { kind: 'data', payload: null } as const
    void hear(1, { kind: 'message', session: sessionAt(1), from: 'initiator', seq: 1, message })
    expect(sentTo(1)).to.have.lengthOf(1)
    expect(sentTo(1)[0]).to.include({ kind: 'refused', code: 'member-budget-exceeded' })
  })

  it('reads of a party that has used up its minute no more than it may send, though it refuses all of that', async () => {
    const { hear, advance } = post([])
    const message = { kind: 'data', payload: null } as const
    const perSecond = sessionLimits.messagesPerMinute / 60
    for (let each = 0; each < sessionLimits.messagesPerMinute; each++) void hear(1)
    let read = 0
    for (let seq = 0; seq < 2 * perSecond; seq++)
      void Promise.resolve(hear(1, { kind: 'message', session: sessionAt(1), from: 'initiator', seq, message })).then(
        () => (read += 1),
      )
    const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    for (let ms = 0; ms < 1_000; ms += 10) await advance(10)
    await settle()
    expect(read).to.be.within(perSecond - 100, perSecond + 100)
    for (let ms = 0; ms < 1_100; ms += 10) await advance(10)
    await settle()
    expect(read).to.equal(2 * perSecond)
    // Of another one it reads at once.
    await hear(2)
  })

  it('sends again what is not acknowledged, with growing waits, until it is', async () => {
    const { sentTo, acknowledge, advance } = post([{ to: 1, messages: 1 }])
    await advance(1_000)
    expect(sentTo(1)).to.have.lengthOf(2)
    await advance(1_999)
    expect(sentTo(1)).to.have.lengthOf(2)
    await advance(1)
    expect(sentTo(1)).to.have.lengthOf(3)
    acknowledge(1, 0)
    await advance(600_000)
    expect(sentTo(1)).to.have.lengthOf(3)
  })
})
