/**
 * The places of a listener: how many connections it keeps, and how many of one address. Whoever comes when there is none
 * left takes the place of the oldest connection that is not admitted yet, of the same address where that has had its
 * share. So an address can displace itself, and never those who have said who they are. Of these, one that has taken more than half
 * of all places displaces itself, too.
 */
import type { Socket } from 'node:net'

type Place = { readonly socket: Socket; readonly address: string; admitted: boolean; holder?: string }

const keyOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`

export class ConnectionPlaces {
  readonly #total: number
  readonly #perAddress: (address: string) => number
  readonly #dropped: (address: string) => void
  /** Oldest first. The socket of TLS and the one beneath it have the same addresses, and so the same key. */
  readonly #places = new Map<string, Place>()

  constructor(options: {
    readonly total: number
    readonly perAddress: (address: string) => number
    /** Told the address of a connection that had to go. */
    readonly dropped?: (address: string) => void
  }) {
    this.#total = options.total
    this.#perAddress = options.perAddress
    this.#dropped = options.dropped ?? (() => undefined)
  }

  /** Gives a new connection a place, and drops another one, or the new one itself, when there was none left. */
  enter(socket: Socket): void {
    const address = socket.remoteAddress
    // It was over before anyone looked at it.
    if (address === undefined) {
      socket.destroy()
      return
    }
    const key = keyOf(socket)
    const place = { socket, address, admitted: false }
    this.#places.set(key, place)
    socket.once('close', () => {
      if (this.#places.get(key) === place) this.#places.delete(key)
    })
    const ofAddress = [...this.#places].filter(([, each]) => each.address === address)
    if (ofAddress.length > this.#perAddress(address)) this.#dropOldest(ofAddress)
    else if (this.#places.size > this.#total) this.#dropOldest(this.#places)
  }

  /** The other side has said who it is: it keeps its place until it goes, or until its holder has too many others. */
  admit(socket: Socket, holder?: string): void {
    const place = this.#places.get(keyOf(socket))
    if (place === undefined) return
    place.admitted = true
    if (holder === undefined || place.holder === holder) return
    place.holder = holder
    const held = [...this.#places].filter(([, each]) => each.holder === holder)
    const oldest = held.find(([, each]) => each !== place)
    if (oldest !== undefined && held.length > this.#total / 2) this.#drop(...oldest)
  }

  /** The connection is counted elsewhere from now on. */
  leave(socket: Socket): void {
    this.#places.delete(keyOf(socket))
  }

  /** Ends all that are not admitted. */
  close(): void {
    for (const { socket, admitted } of this.#places.values()) if (!admitted) socket.destroy()
  }

  #dropOldest(places: Iterable<readonly [string, Place]>): void {
    for (const [key, place] of places) {
      if (place.admitted) continue
      this.#drop(key, place)
      return
    }
  }

  #drop(key: string, { socket, address }: Place): void {
    this.#places.delete(key)
    socket.destroy()
    this.#dropped(address)
  }
}
