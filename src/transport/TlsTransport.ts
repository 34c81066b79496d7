/**
 * Mutual TLS between the nodes of a network. Who sent an envelope is the party whose key took part in the handshake,
 * if the verified network map lists it with that certificate; nothing a message says can change it.
 */
import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import {
  connect,
  createSecureContext,
  createServer,
  type SecureContext,
  type SecureContextOptions,
  type Server,
  type TLSSocket,
} from 'node:tls'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { sentenceOf } from '../errors/sentenceOf.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { Member, NetworkMap } from '../identity/NetworkMap.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { Envelope } from '../log/Message.js'
import type { Transport } from '../session/Transport.js'
import { silentLogger, type Logger } from '../engine/Logger.js'
import { parseAddress, showAddress, type Address } from '../network/address.js'
import { limitsOf } from '../limits.js'
import { transportLimits, type TransportLimits } from './limits.js'
import { certifiedKey, fingerprintOf } from '../network/certificate.js'
import { ConnectionPlaces } from './ConnectionPlaces.js'
import { Link } from './Link.js'
import { Refusals } from './Refusals.js'

/** What a TLS transport needs to know. */
export type TlsTransportOptions = {
  /** The party's own key, which its certificate must carry. */
  readonly key: KeyPair
  /** The party's identity, where that is another key than the certificate's. */
  readonly me?: PublicKey
  /** The party's certificate, as PEM. */
  readonly certificate: string
  /** The certificate of the network's root, as PEM: it has signed every party's. */
  readonly rootCertificate: string
  /** Who is in the network, verified: see `openNetworkMap`. */
  readonly network: NetworkMap
  /** Where to listen, as `host:port`. Default: this party's address in the map; without one, the node only dials. */
  readonly listenOn?: string
  /** Default: silent. */
  readonly logger?: Logger
  /** Default: those of limits.ts. */
  readonly limits?: Partial<TransportLimits>
}

/** Takes what comes from others. */
export type Deliver = Parameters<Transport['listen']>[0]

type Identified = { readonly member: Member } | { readonly refused: string }

const assertOwnCertificate = ({ key, certificate, rootCertificate }: TlsTransportOptions): void => {
  const invalid = (why: string): CarillonError =>
    new CarillonError(
      'certificate-invalid',
      `The certificate of this node cannot be used: ${why}. Have the root of the network make one for ${key.publicKey}.`,
      { key: key.publicKey },
    )
  let own: X509Certificate
  let root: X509Certificate
  try {
    own = new X509Certificate(certificate)
    root = new X509Certificate(rootCertificate)
  } catch (error) {
    throw invalid(`it cannot be read (${messageOf(error)})`)
  }
  if (certifiedKey(own) !== key.publicKey) throw invalid('it carries another key')
  if (!own.verify(root.publicKey)) throw invalid('the root of the network has not signed it')
}

/** Whether a party is to be reached, and known, in the same way as before. */
const isSame = (before: Member | undefined, after: Member | undefined): boolean =>
  after !== undefined && before?.address === after.address && before?.certificate === after.certificate

/** Mutual TLS between the nodes of a network. */
export class TlsTransport implements Transport {
  readonly #me: PublicKey
  #network: NetworkMap
  readonly #credentials: SecureContextOptions
  readonly #context: SecureContext
  readonly #limits: TransportLimits
  readonly #refusals: Refusals
  readonly #links = new Map<PublicKey, Link>()
  /** Those whose other side is not known yet. */
  readonly #handshakes: ConnectionPlaces
  #server: Server | undefined
  #address: Address | undefined
  #deliver: Deliver | undefined
  #closed = false

  private constructor(options: TlsTransportOptions) {
    this.#me = options.me ?? options.key.publicKey
    this.#network = options.network
    this.#limits = limitsOf('transport', transportLimits, options.limits)
    this.#refusals = new Refusals(options.logger ?? silentLogger, this.#limits)
    this.#handshakes = new ConnectionPlaces({
      total: this.#limits.handshakesUnderWay,
      perAddress: () => this.#limits.handshakesPerAddress,
      dropped: (address) =>
        this.#refusals.tellOfStranger(address, 'Too many handshakes are under way; its oldest was dropped.'),
    })
    this.#credentials = {
      key: options.key.exportPrivate(),
      cert: options.certificate,
      ca: options.rootCertificate,
      minVersion: 'TLSv1.3',
    }
    this.#context = createSecureContext(this.#credentials)
  }

  /** Opens the transport; refused with `address-unavailable` when the node cannot listen where it should. */
  static async open(options: TlsTransportOptions): Promise<TlsTransport> {
    assertOwnCertificate(options)
    const transport = new TlsTransport(options)
    const text = options.listenOn ?? options.network.member(options.me ?? options.key.publicKey)?.address
    if (text === undefined) return transport
    const address = parseAddress(text)
    if (address === undefined)
      throw new CarillonError('address-unavailable', `"${text}" is no address. Write it as host:port.`, {
        address: text,
      })
    await transport.#listenOn(address)
    return transport
  }

  /** Where the node listens; undefined when it only dials. */
  get address(): string | undefined {
    return this.#address === undefined ? undefined : showAddress(this.#address)
  }

  /** Connections with a party at this moment. */
  connectionsWith(party: PublicKey): number {
    return this.#links.get(party)?.connections ?? 0
  }

  send(to: PublicKey, envelopes: readonly Envelope[]): void {
    if (this.#closed) return
    if (to === this.#me) {
      this.#sendToSelf(envelopes)
      return
    }
    const member = this.#network.member(to)
    if (member === undefined) this.#refusals.tell(to, 'It is not in the network map, and nothing is sent to it.')
    else this.#link(member).send(envelopes)
  }

  listen(deliver: Deliver): void {
    this.#deliver = deliver
  }

  /** From now on another map says who is who. Connections with those it lists otherwise, or not at all, are closed. */
  goBy(network: NetworkMap): void {
    const before = this.#network
    this.#network = network
    if (before.member(this.#me)?.address !== network.member(this.#me)?.address)
      this.#refusals.tell('The listener', 'The network map names another address for this node from its next start on.')
    for (const [key, link] of this.#links) {
      if (isSame(before.member(key), network.member(key))) continue
      this.#links.delete(key)
      link.close()
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const link of this.#links.values()) link.close()
    this.#handshakes.close()
    const server = this.#server
    if (server === undefined) return
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
    })
  }

  /** A party may open a session with itself. */
  #sendToSelf(envelopes: readonly Envelope[]): void {
    const text = JSON.stringify(envelopes)
    setImmediate(() => {
      if (!this.#closed) void this.#deliver?.(this.#me, JSON.parse(text) as readonly Envelope[], text.length)
    })
  }

  #link(member: Member): Link {
    const known = this.#links.get(member.party.key)
    if (known !== undefined) return known
    const address = member.address === undefined ? undefined : parseAddress(member.address)
    const link = new Link({
      party: member.party,
      limits: this.#limits,
      refusals: this.#refusals,
      deliver: (from, envelopes, bytes) => this.#deliver?.(from, envelopes, bytes),
      dial: address === undefined ? undefined : () => this.#dial(member, address),
    })
    this.#links.set(member.party.key, link)
    return link
  }

  async #listenOn({ host, port }: Address): Promise<void> {
    const server = createServer({
      ...this.#credentials,
      requestCert: true,
      rejectUnauthorized: true,
      handshakeTimeout: this.#limits.handshakeMs,
    })
    server.on('connection', (socket: Socket) => {
      socket.on('error', () => undefined)
      this.#handshakes.enter(socket)
    })
    server.on('secureConnection', (socket) => this.#welcome(socket))
    server.on('tlsClientError', (error, socket) => {
      // The reason OpenSSL gave for the certificate says more than the reset that followed.
      const verdict: unknown = socket.authorizationError
      const why = typeof verdict === 'string' ? verdict : error.message
      this.#refusals.tellOfStranger(
        socket.remoteAddress ?? 'Someone',
        `A connection was refused in its handshake: ${why}.`,
      )
      socket.destroy()
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: Error) =>
        reject(
          new CarillonError(
            'address-unavailable',
            `The node cannot listen on ${showAddress({ host, port })}: ${error.message}. Stop what listens there, or change the address in the network map.`,
            { address: showAddress({ host, port }) },
            error,
          ),
        ),
      )
      server.listen({ host, port }, resolve)
    })
    server.on('error', (error: Error) => this.#refusals.tell('The listener', `It failed: ${sentenceOf(error)}`))
    this.#server = server
    this.#address = { host, port }
  }

  #welcome(socket: TLSSocket): void {
    this.#handshakes.leave(socket)
    const identified = this.#identify(socket)
    if ('refused' in identified) {
      this.#refusals.tellOfStranger(
        socket.remoteAddress ?? 'Someone',
        `A connection was refused: ${identified.refused}.`,
      )
      socket.on('error', () => undefined)
      socket.destroy()
      return
    }
    this.#link(identified.member).adopt(socket)
  }

  /** The one place where a connection gets its party. */
  #identify(socket: TLSSocket): Identified {
    if (this.#closed) return { refused: 'the node is stopping' }
    if (!socket.authorized) return { refused: 'its certificate was not signed by the root of this network' }
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return { refused: 'it shows no certificate' }
    const key = certifiedKey(certificate)
    const member = key === undefined ? undefined : this.#network.member(this.#network.identityOf(key))
    if (key === undefined || member === undefined)
      return { refused: `${key ?? 'its key'} is not a party of this network` }
    if (member.certificate !== undefined && member.certificate !== fingerprintOf(certificate))
      return { refused: `the network map lists another certificate for ${member.party.name}` }
    if (member.party.key === this.#me) return { refused: 'it shows the certificate of this node itself' }
    return { member }
  }

  #dial(member: Member, { host, port }: Address): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host,
        port,
        secureContext: this.#context,
        rejectUnauthorized: true,
        // A certificate belongs to a key, not to a host; `#identify` compares the key.
        checkServerIdentity: () => undefined,
      })
      const give = (why: string): void => {
        socket.destroy()
        reject(new Error(why))
      }
      const failed = (error: Error): void => give(error.message)
      const timer = setTimeout(() => give('the handshake took too long'), this.#limits.handshakeMs)
      socket.on('error', failed)
      socket.once('close', () => give('it hung up during the handshake'))
      socket.once('secureConnect', () => {
        clearTimeout(timer)
        const identified = this.#identify(socket)
        if ('refused' in identified) give(identified.refused)
        else if (identified.member.party.key !== member.party.key)
          give(`${identified.member.party.name} answers at its address`)
        else resolve(socket)
      })
      socket.once('close', () => clearTimeout(timer))
    })
  }
}
