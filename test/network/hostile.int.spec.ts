/** What a hostile client meets: it is refused, logged and cut off, and everyone else is served as before. */
import { once } from 'node:events'
import { connect as connectRaw, type Socket } from 'node:net'
import { expect } from 'chai'
import { canonicalText } from '../../src/encoding/canonical.js'
import { generateKeyPair } from '../../src/identity/KeyPair.js'
import { frameLimits, transportLimits } from '../../src/transport/limits.js'
import { makeCertificate } from '../../src/network/certificate.js'
import { encodeFrame, greetingFrame } from '../../src/transport/Frame.js'
import type { TlsTransport } from '../../src/transport/TlsTransport.js'
import type { SessionEnvelope } from '../../src/log/Message.js'
import type { SessionId } from '../../src/log/SessionId.js'
import { instant } from '../../src/time/Instant.js'
import { eventually, hungUp, LoopbackNetwork } from './LoopbackNetwork.js'

const session = 'a'.repeat(32) as SessionId
const envelope = (seq: number): Extract<SessionEnvelope, { readonly kind: 'message' }> => ({
  kind: 'message',
  session,
  from: 'initiator',
  seq,
  message: { kind: 'data', payload: seq },
})

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const data = (payload: string): string =>
  `[{"from":"initiator","kind":"message","message":{"kind":"data","payload":${payload}},"seq":0,"session":"${session}"}]`

describe('A hostile client of the TLS transport', function () {
  let network: LoopbackNetwork
  let alice: TlsTransport

  const open = async (limits: Parameters<LoopbackNetwork['open']>[1] = {}): Promise<void> => {
    network = await LoopbackNetwork.make(['Alice', 'Bob', 'Mallory'])
    await network.open('Bob', limits)
    alice = await network.open('Alice')
  }
  /** Whatever happened before, Bob hears Alice, and nobody else was heard. */
  const bobGoesOn = async (): Promise<void> => {
    network.delivered.length = 0
    alice.send(network.key('Bob'), [envelope(77)])
    await eventually(() => network.delivered.length > 0, 'Bob hears Alice after the attack')
    expect(network.delivered).to.deep.equal([{ from: network.key('Alice'), envelope: envelope(77) }])
  }
  const logged = (pattern: RegExp): Promise<void> =>
    eventually(() => network.lines.some((line) => pattern.test(line)), `the log says ${String(pattern)}`)

  afterEach(() => network.close())

  it('without a certificate, with its own, or with one of another network is refused', async () => {
    await open()
    const other = await LoopbackNetwork.make(['Alice'])
    const key = generateKeyPair()
    const self = { name: 'Alice', key: key.publicKey }
    const at = instant('2026-01-01T00:00:00Z')
    const selfSigned = makeCertificate({ subject: self, issuer: self, issuerKey: key, at })
    const theirs = other.seat('Alice')
    for (const options of [
      {},
      { key: key.exportPrivate(), cert: selfSigned },
      { key: theirs.key.exportPrivate(), cert: theirs.certificate },
    ]) {
      const socket = network.attack('Bob', options)
      socket.on('secureConnect', () => socket.write(greetingFrame()))
      await hungUp(socket)
    }
    await logged(/127\.0\.0\.1: A connection was refused in its handshake/)
    await bobGoesOn()
  })

  it('with a certificate of the root, but not in the map or not the one the map lists, is refused', async () => {
    await open()
    const stranger = network.newSeat('Eve', '127.0.0.1:1')
    const second = network.newSeat('Alice', '127.0.0.1:1', network.seat('Alice').key)
    for (const { key, certificate } of [stranger, second]) {
      const socket = network.attack('Bob', { key: key.exportPrivate(), cert: certificate })
      await hungUp(socket)
    }
    await logged(/is not a party of this network/)
    await logged(/the network map lists another certificate for Alice/)
    await bobGoesOn()
  })

  it('is Mallory and nobody else, whatever it says', async () => {
    await open()
    const socket = await network.attackAs('Mallory', 'Bob')
    socket.write(greetingFrame())
    socket.write(encodeFrame(canonicalText([envelope(1)])))
    await eventually(() => network.delivered.length === 1, 'Bob hears Mallory')
    expect(network.delivered[0]?.from).to.equal(network.key('Mallory'))
    socket.write(encodeFrame(canonicalText([{ ...envelope(2), party: network.key('Alice') }])))
    // What a message claims beyond its members is not even read.
    await eventually(() => network.delivered.length === 2, 'Bob hears Mallory again')
    expect(network.delivered[1]).to.deep.equal({ from: network.key('Mallory'), envelope: envelope(2) })
    socket.destroy()
  })

  it('is no use as a server either: whoever answers at an address must be the party that was dialled', async () => {
    await open()
    const mallory = network.seat('Mallory')
    const bob = network.seat('Bob')
    network.seats.set('Bob', { ...bob, member: { ...bob.member, address: mallory.member.address ?? '' } })
    await network.open('Mallory')
    network.seats.set('Mallory', { ...mallory, member: { ...mallory.member, address: '127.0.0.1:1' } })
    // Carol only dials.
    const seat = network.newSeat('Carol', 'nowhere:1')
    network.seats.set('Carol', { ...seat, member: { party: seat.member.party } })
    const carol = await network.open('Carol')
    carol.send(network.key('Bob'), [envelope(3)])
    await logged(/Bob: It cannot be reached: Mallory answers at its address/)
    expect(network.delivered).to.deep.equal([])
  })

  const malformed: Readonly<Record<string, readonly Buffer[]>> = {
    'no TLS record of ours but random bytes': [Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    'a frame that announces four gigabytes': [greetingFrame(), Buffer.from([0xff, 0xff, 0xff, 0xff])],
    'a frame one byte too long': [greetingFrame(), encodeFrame('1'.repeat(frameLimits.frameBytes + 1))],
    'a frame that is not JSON': [greetingFrame(), encodeFrame('[{')],
    'a frame that is not UTF-8': [greetingFrame(), Buffer.from([0, 0, 0, 4, 0x22, 0xff, 0xfe, 0x22])],
    'an empty frame without its list': [greetingFrame(), encodeFrame('')],
    'a number instead of a list': [greetingFrame(), encodeFrame('7')],
    'another protocol': [encodeFrame('{"carillon":2}')],
    'a second greeting': [greetingFrame(), greetingFrame()],
    'envelopes before the greeting': [encodeFrame(canonicalText([envelope(0)]))],
    'a list with something that is no envelope': [greetingFrame(), encodeFrame('[{}]')],
    'more envelopes than a frame may hold': [
      greetingFrame(),
      encodeFrame(canonicalText(Array.from({ length: frameLimits.envelopesPerFrame + 1 }, (_, seq) => envelope(seq)))),
    ],
    'spaces, which canonical JSON has not': [greetingFrame(), encodeFrame(`${data('1')} `)],
    'minus zero': [greetingFrame(), encodeFrame(data('-0'))],
    'an infinite number': [greetingFrame(), encodeFrame(data('1e999'))],
    'half a surrogate pair': [greetingFrame(), encodeFrame(data('"\\ud800"'))],
    'a key twice': [greetingFrame(), encodeFrame(data('{"a":1,"a":2}'))],
    'a prototype': [greetingFrame(), encodeFrame(data('{"__proto__":{"a":1},"a":-0}'))],
    'nesting beyond the bound': [greetingFrame(), encodeFrame(data(nested(frameLimits.messageDepth)))],
    'nesting beyond any stack': [greetingFrame(), encodeFrame(data(nested(400_000)))],
  }
  for (const [what, frames] of Object.entries(malformed)) {
    it(`that sends ${what} is cut off and logged`, async () => {
      await open()
      const socket = await network.attackAs('Mallory', 'Bob')
      for (const frame of frames) socket.write(frame)
      await hungUp(socket)
      await logged(/Mallory: The connection was closed: a frame was refused, since/)
      await bobGoesOn()
    })
  }

  it('that opens connections and says nothing holds no place for long', async () => {
    await open({ handshakesUnderWay: 5, handshakeMs: 300 })
    const silent = Array.from({ length: 20 }, () => {
      const socket = connectRaw({ host: '127.0.0.1', port: network.port('Bob') })
      socket.on('error', () => undefined)
      return socket
    })
    const closed = Promise.all(silent.map((socket) => once(socket, 'close')))
    await logged(/Too many handshakes are under way/)
    await bobGoesOn()
    silent.forEach((socket) => socket.resume())
    await closed
  })

  it('that opens more connections than its share loses its own, and no one of another address', async () => {
    await open({ handshakesUnderWay: 12, handshakesPerAddress: 4, handshakeMs: 60_000 })
    const dial = (localAddress: string): Socket => {
      const socket = connectRaw({ host: '127.0.0.1', port: network.port('Bob'), localAddress })
      socket.on('error', () => undefined)
      return socket
    }
    // Mallory's machine is slow: its connection is open, and its handshake begins after all the others.
    const slow = dial('127.0.0.2')
    await once(slow, 'connect')
    const silent = Array.from({ length: 40 }, () => dial('127.0.0.1'))
    await Promise.all(silent.slice(0, 36).map((socket) => once(socket.resume(), 'close')))
    const { key, certificate } = network.seat('Mallory')
    const secure = network.attack('Bob', { socket: slow, key: key.exportPrivate(), cert: certificate })
    await once(secure, 'secureConnect')
    await logged(/127\.0\.0\.1: Too many handshakes are under way/)
    await bobGoesOn()
    silent.forEach((socket) => socket.destroy())
  })

  it('that sends a frame a byte at a time is cut off when the time for a frame is over', async () => {
    await open({ keepAliveMs: 30, silenceMs: 200 })
    const socket = await network.attackAs('Mallory', 'Bob')
    socket.write(greetingFrame())
    const bytes = encodeFrame(data('1'))
    let at = 0
    const drip = setInterval(() => socket.write(bytes.subarray(at, (at += 1))), 20)
    await hungUp(socket)
    clearInterval(drip)
    await logged(/Mallory: The connection was closed: nothing was heard for too long/)
    await bobGoesOn()
  })

  it('that does not greet in time is cut off', async () => {
    await open({ keepAliveMs: 30, greetingMs: 100, silenceMs: 60_000 })
    const socket = await network.attackAs('Mallory', 'Bob')
    await hungUp(socket)
    await logged(/Mallory: The connection was closed: it did not greet in time/)
    await bobGoesOn()
  })

  it('has no more bytes decided at a time than its share, over all of its connections', async () => {
    await open()
    await network.transportsOf('Bob')[0]?.close()
    let taken = 0
    const waits: (() => void)[] = []
    await network.open('Bob', { bytesUnderWay: 1_000_000 }, async (_from, _envelopes, bytes) => {
      taken += bytes ?? 0
      await new Promise<void>((resolve) => waits.push(resolve))
    })
    const large = { ...envelope(0), message: { kind: 'data' as const, payload: 'x'.repeat(200_000) } }
    for (let each = 0; each < 3; each++) {
      const socket = await network.attackAs('Mallory', 'Bob')
      socket.write(greetingFrame())
      for (let seq = 0; seq < 100; seq++) socket.write(encodeFrame(canonicalText([{ ...large, seq }])))
    }
    await eventually(() => taken >= 1_000_000, 'Bob is at his bound')
    await new Promise((resolve) => setTimeout(resolve, 300))
    // Each connection may bring one frame more before it is held back; without the bound it would be 60 MB.
    expect(taken).to.be.lessThan(2_000_000)
    const release = setInterval(() => waits.splice(0).forEach((resolve) => resolve()), 1)
    await eventually(() => taken > 59_000_000, 'all of it is taken in the end')
    clearInterval(release)
  })

  it('that sends nothing but signs of life uses up its share like anyone else', async () => {
    await open()
    await network.transportsOf('Bob')[0]?.close()
    const waits: (() => void)[] = []
    let taken = 0
    await network.open('Bob', { deliveriesUnderWay: 100 }, async () => {
      taken += 1
      await new Promise<void>((resolve) => waits.push(resolve))
    })
    const socket = await network.attackAs('Mallory', 'Bob')
    socket.write(greetingFrame())
    const sign = encodeFrame('[]')
    for (let each = 0; each < 200; each++) socket.write(Buffer.concat(Array.from({ length: 1_000 }, () => sign)))
    await eventually(() => taken >= 100, 'Bob is at his bound')
    await new Promise((resolve) => setTimeout(resolve, 300))
    // What had been read before it was held back is taken, and nothing more.
    expect(taken).to.be.lessThan(60_000)
    const release = setInterval(() => waits.splice(0).forEach((resolve) => resolve()), 1)
    await eventually(() => taken === 200_000, 'all of it is taken in the end')
    clearInterval(release)
  })

  it('that reads nothing is cut off, and what is sent to it stays bounded', async () => {
    await open({ keepAliveMs: 100, silenceMs: 500, outgoingBytes: 512 * 1024 })
    const socket = await network.attackAs('Mallory', 'Bob')
    socket.pause()
    socket.write(greetingFrame())
    // It stays alive by its own word, so only what it does not take gives it away.
    const alive = setInterval(() => socket.write(encodeFrame('[]')), 50)
    const [bob] = network.transportsOf('Bob')
    await eventually(() => bob?.connectionsWith(network.key('Mallory')) === 1, 'Mallory is connected')
    const before = process.memoryUsage().arrayBuffers
    const flood = setInterval(() => {
      const large = { ...envelope(0), message: { kind: 'data' as const, payload: 'x'.repeat(100_000) } }
      for (let seq = 0; seq < 50; seq++) bob?.send(network.key('Mallory'), [{ ...large, seq }])
    }, 5)
    await logged(/Mallory: The connection was closed: it takes nothing of what is sent/)
    clearInterval(flood)
    clearInterval(alive)
    expect(process.memoryUsage().arrayBuffers - before).to.be.lessThan(64 * 1024 * 1024)
    socket.destroy()
    await bobGoesOn()
  })

  it('that is cut off again and again, each time for something else, fills no log', async () => {
    await open()
    for (let round = 0; round < 30; round++) {
      const socket = await network.attackAs('Mallory', 'Bob')
      const announced = Buffer.alloc(4)
      announced.writeUInt32BE(frameLimits.frameBytes + 1 + round)
      socket.write(Buffer.concat([greetingFrame(), announced]))
      await hungUp(socket)
    }
    expect(network.lines.filter((line) => line.startsWith('Mallory')).length).to.be.within(1, 10)
    await bobGoesOn()
  })

  it('that connects again and again has few connections, and few lines in the log', async () => {
    await open()
    const [bob] = network.transportsOf('Bob')
    for (let round = 0; round < 20; round++) await network.attackAs('Mallory', 'Bob')
    for (let round = 0; round < 20; round++) {
      const socket = await network.attackAs('Mallory', 'Bob')
      socket.write('junk junk junk')
      await hungUp(socket)
    }
    expect(bob?.connectionsWith(network.key('Mallory'))).to.be.at.most(transportLimits.connectionsPerParty)
    expect(network.lines.filter((line) => line.startsWith('Mallory')).length).to.be.lessThan(5)
    await bobGoesOn()
  })
})
