/** What the TLS transport promises: it carries batches between parties, and every one is from whom it says. */
import { expect } from 'chai'
import { logLimits } from '../../src/log/limits.js'
import { frameLimits } from '../../src/transport/limits.js'
import { isOfSession, type SessionEnvelope } from '../../src/log/Message.js'
import type { SessionId } from '../../src/log/SessionId.js'
import { eventually, LoopbackNetwork } from './LoopbackNetwork.js'

const session = '0'.repeat(32) as SessionId
const envelope = (seq: number, payload: string | number = seq): SessionEnvelope => ({
  kind: 'message',
  session,
  from: 'initiator',
  seq,
  message: { kind: 'data', payload },
})
const many = (count: number): readonly SessionEnvelope[] => Array.from({ length: count }, (_, seq) => envelope(seq))

describe('The TLS transport', function () {
  let network: LoopbackNetwork

  beforeEach(async () => {
    network = await LoopbackNetwork.make(['Alice', 'Bob'])
  })
  afterEach(() => network.close())

  const delivered = (): readonly number[] =>
    network.delivered.map(({ envelope: each }) => (isOfSession(each) ? each.seq : -1))
  const received = (): readonly number[] => [...new Set(delivered())].sort((a, b) => a - b)

  it('carries envelopes both ways over one connection, each from the party that holds the key', async () => {
    const alice = await network.open('Alice')
    const bob = await network.open('Bob')
    alice.send(network.key('Bob'), [envelope(0)])
    await eventually(() => network.delivered.length === 1, 'Bob hears Alice')
    bob.send(network.key('Alice'), [envelope(1)])
    await eventually(() => network.delivered.length === 2, 'Alice hears Bob')
    expect(network.delivered).to.deep.equal([
      { from: network.key('Alice'), envelope: envelope(0) },
      { from: network.key('Bob'), envelope: envelope(1) },
    ])
    expect([alice.connectionsWith(network.key('Bob')), bob.connectionsWith(network.key('Alice'))]).to.deep.equal([1, 1])
    expect(network.lines).to.deep.equal([])
  })

  it('carries more than one frame holds, and the largest fact, in order', async () => {
    const alice = await network.open('Alice')
    await network.open('Bob')
    const large = envelope(5_000, 'x'.repeat(logLimits.factBytes))
    alice.send(network.key('Bob'), [...many(frameLimits.envelopesPerFrame * 2 + 7), large])
    await eventually(() => network.delivered.length === frameLimits.envelopesPerFrame * 2 + 8, 'all has arrived')
    expect(delivered()).to.deep.equal([...many(frameLimits.envelopesPerFrame * 2 + 7).map(({ seq }) => seq), 5_000])
  })

  it('keeps what it can for a party that is down, and delivers it when it comes back', async () => {
    const alice = await network.open('Alice')
    alice.send(network.key('Bob'), many(3))
    await eventually(() => network.lines.some((line) => line.includes('Bob: It cannot be reached')), 'Bob is missed')
    // Sent again by the node, and still waiting once.
    alice.send(network.key('Bob'), many(3))
    const bob = await network.open('Bob')
    await eventually(() => received().length === 3, 'Bob has it all')
    expect(network.delivered).to.have.length(3)
    await bob.close()
    await eventually(() => alice.connectionsWith(network.key('Bob')) === 0, 'Alice sees the end')
    alice.send(network.key('Bob'), [envelope(9)])
    await network.open('Bob')
    await eventually(() => received().includes(9), 'Bob hears of what came while he was away')
  })

  it('drops what does not fit while a party is away, and says so once', async () => {
    const alice = await network.open('Alice', { outgoingBytes: 2_000 })
    for (let round = 0; round < 50; round++) alice.send(network.key('Bob'), many(100))
    const said = network.lines.filter((line) => line.includes('More waits to be sent'))
    expect(said).to.have.length(1)
    await network.open('Bob')
    await eventually(() => received().length > 3, 'what fitted arrives')
    expect(received().length).to.be.lessThan(30)
  })

  it('reaches a party without an address over the connection that party opened', async () => {
    const seat = network.seat('Alice')
    network.seats.set('Alice', { ...seat, member: { party: seat.member.party } })
    const alice = await network.open('Alice')
    const bob = await network.open('Bob')
    expect(alice.address).to.equal(undefined)
    bob.send(network.key('Alice'), [envelope(1)])
    alice.send(network.key('Bob'), [envelope(0)])
    await eventually(() => received().length === 2, 'both have heard each other')
  })

  it('carries what a party sends to itself', async () => {
    const alice = await network.open('Alice')
    alice.send(network.key('Alice'), [envelope(0)])
    await eventually(() => network.delivered.length === 1, 'Alice hears herself')
    expect(network.delivered[0]?.from).to.equal(network.key('Alice'))
  })

  it('keeps a quiet connection alive, and closes one that is idle', async () => {
    const quiet = { keepAliveMs: 30, silenceMs: 200, idleConnectionMs: 600 }
    const alice = await network.open('Alice', quiet)
    await network.open('Bob', quiet)
    const startMs = performance.now()
    alice.send(network.key('Bob'), [envelope(0)])
    await eventually(() => alice.connectionsWith(network.key('Bob')) === 1, 'they are connected')
    await eventually(() => alice.connectionsWith(network.key('Bob')) === 0, 'the idle connection is closed')
    expect(performance.now() - startMs).to.be.greaterThan(550)
    expect(network.lines).to.deep.equal([])
    alice.send(network.key('Bob'), [envelope(1)])
    await eventually(() => received().length === 2, 'the next message opens another')
  })

  it('does not listen where something else does, and says where', async () => {
    await network.open('Alice')
    const error: unknown = await network.open('Alice').catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', 'address-unavailable')
    expect(String(error)).to.contain(network.seat('Alice').member.address)
  })

  it('is not opened with a certificate of another key, or of another root', async () => {
    const other = await LoopbackNetwork.make(['Alice'])
    for (const certificate of [network.seat('Bob').certificate, other.seat('Alice').certificate, 'junk']) {
      network.seats.set('Alice', { ...network.seat('Alice'), certificate })
      const error: unknown = await network.open('Alice').catch((thrown: unknown) => thrown)
      expect(error).to.have.property('code', 'certificate-invalid')
    }
  })

  it('takes no more from a party than the node decides, and all of it in the end', async () => {
    let underWay = 0
    let most = 0
    let taken = 0
    const waits: (() => void)[] = []
    const alice = await network.open('Alice')
    await network.open('Bob', { deliveriesUnderWay: 2_000 }, async (_, envelopes) => {
      underWay += envelopes.length
      most = Math.max(most, underWay)
      await new Promise<void>((resolve) => waits.push(resolve))
      underWay -= envelopes.length
      taken += envelopes.length
    })
    alice.send(network.key('Bob'), many(20_000))
    await eventually(() => underWay >= 2_000, 'Bob is at his bound')
    await new Promise((resolve) => setTimeout(resolve, 100))
    // A chunk of the stream may complete a few frames more; the bound stops the next one.
    expect(most).to.be.lessThan(6_000)
    const release = setInterval(() => waits.splice(0).forEach((resolve) => resolve()), 1)
    await eventually(() => taken === 20_000, 'Bob has taken all of it')
    clearInterval(release)
    expect(most).to.be.lessThan(6_000)
  })
})
