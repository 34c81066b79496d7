/**
 * The map in a party's folder, looked at again and again: the newest verified one counts. What cannot be verified, or
 * would lead back, is refused with a reason and changes nothing.
 */
import { statSync } from 'node:fs'
import { canonicalText } from '../encoding/canonical.js'
import type { Hash } from '../encoding/hash.js'
import { hashOfMap, type NetworkTerms } from '../identity/SignedNetworkMap.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { Logger } from '../engine/Logger.js'
import { networkFiles, partyOf, readNetworkMap, type NetworkFolder, type VerifiedMap } from './NetworkFolder.js'

/** Tells one state of the file from another without reading it. */
const stampOf = (file: string): string => {
  const { mtimeMs, size, ino } = statSync(file)
  return `${mtimeMs} ${size} ${ino}`
}

export class MapFile {
  readonly #joined: NetworkFolder
  readonly #logger: Logger
  #newest: VerifiedMap
  /** The state of the file that needs no further look. */
  #seen: string | undefined
  /** A state that could not be used when it was first seen: someone may just be writing it. */
  #suspected: string | undefined
  #isAccepted: (hash: Hash) => boolean = () => false
  /** Whether the file was refused when it was last read: an operator may accept it meanwhile. */
  #isContradicted = false
  #contradicting: NetworkTerms | undefined

  constructor(joined: NetworkFolder, logger: Logger) {
    this.#joined = joined
    this.#logger = logger
    this.#newest = joined.map
  }

  /** Has an operator's decisions looked up: a map that contradicts the one in use may have been accepted. */
  acceptAs(isAccepted: (hash: Hash) => boolean): void {
    this.#isAccepted = isAccepted
    this.#seen = undefined
  }

  /** The map to go by. */
  get newest(): VerifiedMap {
    return this.#newest
  }

  /** The map in the folder that contradicts the one in use, and that an operator may accept. */
  get contradicting(): NetworkTerms | undefined {
    return this.#contradicting
  }

  /** Reads the file if it has changed. A map that is refused is told of once, at the second look that finds it so. */
  look(): void {
    let stamp = 'unreadable'
    try {
      stamp = stampOf(networkFiles(this.#joined.folder).map)
      if (stamp === this.#seen && !this.#isContradicted) return
      this.#isContradicted = true
      this.#contradicting = undefined
      this.#newest = this.#read()
      this.#isContradicted = false
      this.#seen = stamp
    } catch (error) {
      if (stamp === this.#seen) return
      if (stamp === this.#suspected) {
        this.#seen = stamp
        this.#logger.warn(
          `A changed network map was refused, and map ${this.#newest.terms.serial} stays in use. ${messageOf(error)}`,
          error instanceof CarillonError ? { code: error.code } : {},
        )
      }
      this.#suspected = stamp
    }
  }

  #read(): VerifiedMap {
    const { folder, party, rootCertificate } = this.#joined
    const files = networkFiles(folder)
    // The root is the one the node was started with, whatever lies in the folder by now.
    const read = readNetworkMap(files.map, rootCertificate, files.root)
    const { serial } = read.terms
    const { terms, network } = this.#newest
    if (read.network.id !== network.id)
      throw new CarillonError(
        'network-mismatch',
        `The network map ${files.map} is of the network ${read.network.id}, and this node is in ${network.id}. One root can found several networks; ask whoever runs this one for its current map.`,
        { expected: network.id, actual: read.network.id },
      )
    if (serial < terms.serial)
      throw new CarillonError(
        'network-map-outdated',
        `The network map ${files.map} is number ${serial}, and this node goes by number ${terms.serial}. Ask the operator of the network for its current map.`,
        { serial, newest: terms.serial },
      )
    if (serial === terms.serial) {
      if (canonicalText(read.terms) === canonicalText(terms)) return this.#newest
      if (this.#isAccepted(hashOfMap(read.terms))) return read
      // Looked at again: an operator may accept it meanwhile.
      this.#contradicting = read.terms
      throw new CarillonError(
        'network-map-invalid',
        `The network map ${files.map} has the number ${serial} of the one in use, and says something else. Ask the operator of the network for a map with a higher number, or let an operator accept it: carillon network accept.`,
        { where: files.map },
      )
    }
    const own = partyOf(read, party.key, files.key)
    if (own.name !== party.name)
      throw new CarillonError(
        'store-foreign',
        `The network map ${files.map} calls this party ${own.name}; its node was started for ${party.name}. Ask the operator of the network for a map that lists it as ${party.name}.`,
        { expected: party.name, actual: own.name },
      )
    return read
  }
}
