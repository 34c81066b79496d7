/** What the post promises about its outbox: nobody is starved by those who are down, and nobody is sent too much at once. */
import { assert, expect } from 'chai'
import type { FlowEngine } from '../engine/FlowEngine.js'
import { zeroHash } from '../encoding/hash.js'
import { NetworkMap } from '../identity/NetworkMap.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { sessionLimits } from '../session/limits.js'
import type { Envelope } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'
import { VirtualClock } from '../time/VirtualClock.js'
import { instant, instantFromMillis } from '../time/Instant.js'
import { emptyHead, tickAfter } from '../log/Tick.js'
import { Committed } from '../engine/Committed.js'
import { EmbeddedStore } from '../storage/EmbeddedStore.js'
import { silentLogger } from '../engine/Logger.js'
import type { Loop } from '../engine/Loop.js'
import { OutboxSender } from './OutboxSender.js'

const partyAt = (index: number): PublicKey => `ed25519:${String(index).padStart(64, '0')}` as PublicKey
const sessionAt = (index: number): SessionId => String(index).padStart(32, '0') as SessionId

/** The post over a real outbox; what the loop would commit is told by hand. */
const post = (waiting: readonly { readonly to: number; readonly messages: number; readonly bytes?: number }[]) => {
  const store = EmbeddedStore.inMemory()
  const { sessions } = store.views
  let revision = 0
  for (const { to, messages, bytes = 0 } of waiting) {
    sessions.insert({
      id: sessionAt(to),
      role: 'initiator',
      party: partyAt(to),
      flowSeq: null,
      fromRevision: 0,
    })
    const row = sessions.find(sessionAt(to), 'initiator')
    assert(row !== undefined)
    for (let seq = 0; seq < messages; seq++) {
      revision += 1
      sessions.send(row, revision, seq, JSON.stringify({ kind: 'data', payload: 'x'.repeat(bytes) }))
    }
  }
  const sent = new Map<PublicKey, Envelope[]>()
  let follower: (committed: Committed) => void = () => undefined
  const clock = new VirtualClock(instant('2026-01-01T00:00:00Z'))
  const sender = new OutboxSender({
    loop: { follow: (each: typeof follower) => (follower = each), isTicking: false } as unknown as Loop,
    store,
    engine: {} as FlowEngine,
    transport: {
      send: (to, envelopes) => void sent.set(to, [...(sent.get(to) ?? []), ...envelopes]),
      listen: () => undefined,
      close: () => Promise.resolve(),
    },
    network: () => new NetworkMap([], zeroHash),
    clock,
    logger: silentLogger,
    limits: sessionLimits,
  })
  sender.start()
  const acknowledge = (to: number, seq: number): void => {
    sessions.acknowledged(sessionAt(to), 'initiator', seq)
    const event = { type: 'MessageAcknowledged', session: sessionAt(to), role: 'initiator', seq } as const
    const tick = tickAfter(
      { ...emptyHead, revision },
      instantFromMillis(clock.now()),
      [JSON.stringify(event)],
      () => '',
    )
    follower(new Committed(tick, clock.now(), [event]))
  }
  const advance = async (ms: number): Promise<void> => {
    clock.setTo(clock.now() + ms)
    await Promise.resolve()
  }
  return { sentTo: (to: number) => sent.get(partyAt(to)) ?? [], acknowledge, advance }
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
