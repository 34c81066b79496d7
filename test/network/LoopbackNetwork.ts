/** A network of transports on loopback with one root, and a stranger's tools to attack it. */
import { once } from 'node:events'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { X509Certificate } from 'node:crypto'
import { sha256 } from '../../src/encoding/hash.js'
import { generateKeyPair, type KeyPair } from '../../src/identity/KeyPair.js'
import { NetworkMap, type Member } from '../../src/identity/NetworkMap.js'
import type { PublicKey } from '../../src/identity/PublicKey.js'
import type { Logger } from '../../src/engine/Logger.js'
import { freePorts } from '../../src/network/freePorts.js'
import type { TransportLimits } from '../../src/transport/limits.js'
import { fingerprintOf, makeCertificate } from '../../src/network/certificate.js'
import { TlsTransport } from '../../src/transport/TlsTransport.js'
import type { Envelope } from '../../src/log/Message.js'
import { instant } from '../../src/time/Instant.js'

const at = instant('2026-01-01T00:00:00Z')

export type Seat = { readonly key: KeyPair; readonly certificate: string; readonly member: Member }

/** What a transport handed over. */
export type Delivered = { readonly from: PublicKey; readonly envelope: Envelope }

export class LoopbackNetwork {
  readonly rootKey = generateKeyPair()
  readonly rootCertificate: string
  readonly seats = new Map<string, Seat>()
  readonly lines: string[] = []
  readonly delivered: Delivered[] = []
  #open: { readonly name: string; readonly transport: TlsTransport }[] = []
  #attackers: TLSSocket[] = []

  private constructor() {
    const root = { name: 'root', key: this.rootKey.publicKey }
    this.rootCertificate = makeCertificate({ subject: root, issuer: root, issuerKey: this.rootKey, at })
  }

  static async make(names: readonly string[]): Promise<LoopbackNetwork> {
    const network = new LoopbackNetwork()
    const ports = await freePorts('127.0.0.1', names.length)
    names.forEach((name, index) => network.seats.set(name, network.newSeat(name, `127.0.0.1:${ports[index] ?? 0}`)))
    return network
  }

  /** A key and a certificate that the root has signed; not in the map by itself. */
  newSeat(name: string, address: string, key = generateKeyPair()): Seat {
    const root = { name: 'root', key: this.rootKey.publicKey }
    const party = { name, key: key.publicKey }
    const certificate = makeCertificate({ subject: party, issuer: root, issuerKey: this.rootKey, at })
    const member = { party, address, certificate: fingerprintOf(new X509Certificate(certificate)) }
    return { key, certificate, member }
  }

  seat(name: string): Seat {
    const seat = this.seats.get(name)
    if (seat === undefined) throw new Error(`no ${name}`)
    return seat
  }

  key(name: string): PublicKey {
    return this.seat(name).key.publicKey
  }

  port(name: string): number {
    return Number(this.seat(name).member.address?.split(':')[1])
  }

  get map(): NetworkMap {
    return new NetworkMap(
      [...this.seats.values()].map(({ member }) => member),
      sha256('loopback network'),
    )
  }

  readonly logger: Logger = {
    info: () => undefined,
    warn: (message) => this.lines.push(message),
    error: (message) => this.lines.push(message),
  }

  async open(
    name: string,
    limits: Partial<TransportLimits> = {},
    deliver?: (from: PublicKey, envelopes: readonly Envelope[], bytes?: number) => void | Promise<void>,
  ): Promise<TlsTransport> {
    const { key, certificate } = this.seat(name)
    const transport = await TlsTransport.open({
      key,
      certificate,
      rootCertificate: this.rootCertificate,
      network: this.map,
      logger: this.logger,
      limits: { reconnectFirstMs: 10, reconnectLongestMs: 50, ...limits },
    })
    transport.listen(
      deliver ??
        ((from, envelopes) => {
          for (const envelope of envelopes) this.delivered.push({ from, envelope })
        }),
    )
    this.#open.push({ name, transport })
    return transport
  }

  transportsOf(name: string): readonly TlsTransport[] {
    return this.#open.filter((each) => each.name === name).map(({ transport }) => transport)
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map(({ transport }) => transport.close()))
    this.#open = []
    for (const socket of this.#attackers) socket.destroy()
    this.#attackers = []
  }

  /** A raw TLS socket to a party's node, with any certificate. */
  attack(name: string, options: ConnectionOptions): TLSSocket {
    const socket = connect({
      host: '127.0.0.1',
      port: this.port(name),
      ca: this.rootCertificate,
      checkServerIdentity: () => undefined,
      ...options,
    })
    socket.on('error', () => undefined)
    this.#attackers.push(socket)
    return socket
  }

  /** A raw socket that is authenticated as a party. */
  async attackAs(attacker: string, name: string): Promise<TLSSocket> {
    const { key, certificate } = this.seat(attacker)
    const socket = this.attack(name, { key: key.exportPrivate(), cert: certificate })
    await once(socket, 'secureConnect')
    return socket
  }
}

/** Waits for something that sockets bring about, looking often. */
export const eventually = async (holds: () => boolean, what: string, withinMs = 10_000): Promise<void> => {
  const endMs = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`It did not come about that ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Resolves when the other side has hung up. */
export const hungUp = (socket: TLSSocket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.once('close', () => resolve())
    socket.resume()
  })
