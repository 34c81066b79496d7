/**
 * Lets a party join a network: a folder with its key and certificate, and a map with the next serial that lists it. The
 * network's own map is what counts; once it is replaced, copies in the parties' folders only have to follow, and the next
 * call brings up to date what an interrupted one left behind.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { CarillonError } from '../errors/CarillonError.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { Member } from '../identity/NetworkMap.js'
import { expiryAfter, signNetworkMap, type NetworkTerms } from '../identity/SignedNetworkMap.js'
import { networkLimits } from './limits.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'
import { instantFromMillis } from '../time/Instant.js'
import { systemClock } from '../time/SystemClock.js'
import { takeFileLock } from '../storage/sqlite/FileLock.js'
import { readKeyFile, type KeyFileOptions } from '../keys/KeyFile.js'
import { greatestPort, showAddress } from './address.js'
import { writeWhole } from '../storage/writeWhole.js'
import { freePorts } from './freePorts.js'
import type { NewMember } from './makeNetwork.js'
import { networkFiles, readNetworkMap } from './NetworkFolder.js'
import { assertPartyNames, lockFile } from './partyNames.js'
import { makeSeat, textOfMap, writeSeat } from './PartySeat.js'

/** Who joins a network. */
export type AddedMember = NewMember &
  KeyFileOptions & {
    /** Where its node listens. Default 127.0.0.1. */
    readonly host?: string
    /** Default: a free port that the map gives to nobody. */
    readonly port?: number
  }

/** Who has a changed map. */
export type MapChange = {
  /** The serial of the map. */
  readonly serial: number
  /** Parties whose folders have the new map; a node that runs takes it up within seconds. */
  readonly told: readonly string[]
  /** Parties whose folders are not here: they are to be given the map. */
  readonly elsewhere: readonly string[]
}

/** What joining has changed. */
export type AddedParty = MapChange & {
  readonly member: Member
  /** The party's folder. */
  readonly folder: string
}

/** Maps are for everyone to read. */
export const mapMode = 0o644

const notFound = (folder: string, why: string): CarillonError =>
  new CarillonError('network-not-found', `${why} Make a network with "carillon network new <folder>".`, { folder })

export const rootKeyOf = (folder: string, { root, name }: NetworkTerms, options: KeyFileOptions): KeyPair => {
  const file = join(folder, 'root.key')
  if (!existsSync(file))
    throw new CarillonError(
      'root-key-missing',
      `Only the root of the network ${name} can change its map, and its key is not here: ${file} is missing. Put root.key back, with root.secret beside it unless it has a passphrase, for as long as this takes.`,
      { file },
    )
  const key = readKeyFile(file, options)
  if (key.publicKey !== root)
    throw new CarillonError(
      'root-key-missing',
      `${file} is not the key of this network's root: it is ${key.publicKey}, and ${root} has signed the map. Put the right root.key back.`,
      { file },
    )
  return key
}

const assertPort = (port: number, address: string, members: readonly Member[]): void => {
  if (port > greatestPort) throw new CarillonError('usage', `There is no port ${port}; the last is ${greatestPort}.`)
  const holder = members.find((member) => member.address === address)
  if (holder !== undefined)
    throw new CarillonError('usage', `${address} is the address of ${holder.party.name}. Choose another port.`)
}

/** A port nobody listens on now, nor will by the map. */
const freePortBeside = async (host: string, members: readonly Member[]): Promise<number> => {
  const taken = new Set(members.map(({ address }) => address))
  // One more than there are members, so that one at least is nobody's.
  const ports = await freePorts(host, members.length + 1)
  const port = ports.find((each) => !taken.has(showAddress({ host, port: each })))
  if (port === undefined) throw new CarillonError('usage', `No port is free on ${host}. Name one with --port.`)
  return port
}

/** Gives the parties here the network's map; says who has it now and who is elsewhere. */
export const handOut = (
  folder: string,
  { members }: NetworkTerms,
  map: string,
): Pick<MapChange, 'told' | 'elsewhere'> => {
  const told: string[] = []
  const elsewhere: string[] = []
  for (const { party } of members) {
    const copy = networkFiles(join(folder, party.name)).map
    const isHere = existsSync(copy)
    if (isHere && readFileSync(copy, 'utf8') !== map) writeWhole(copy, map, mapMode)
    const names = isHere ? told : elsewhere
    names.push(party.name)
  }
  return { told, elsewhere }
}

const addTo = async (path: string, added: AddedMember): Promise<AddedParty> => {
  const { name, notary, host = '127.0.0.1', port, ...keyOptions } = added
  const files = networkFiles(path)
  const rootCertificate = readFileSync(files.root, 'utf8')
  const { terms } = readNetworkMap(files.map, rootCertificate, files.root)
  handOut(path, terms, readFileSync(files.map, 'utf8'))
  assertPartyNames(
    [name],
    terms.members.map(({ party }) => party.name),
  )
  const folder = join(path, name)
  if (existsSync(folder))
    throw new CarillonError('folder-not-empty', `${folder} is there already. Move it away, or choose another name.`, {
      folder,
    })
  const rootKey = rootKeyOf(path, terms, keyOptions)
  const at = instantFromMillis(systemClock.now())
  const chosenPort = port ?? (await freePortBeside(host, terms.members))
  const address = showAddress({ host, port: chosenPort })
  assertPort(chosenPort, address, terms.members)
  const seat = makeSeat({
    ...{ name, address, rootKey, at, root: { name: `${terms.name} root`, key: terms.root } },
    ...(notary === undefined ? {} : { notary }),
  })
  const members = [...terms.members, seat.member]
  const signed = signNetworkMap(
    { ...terms, serial: terms.serial + 1, madeAt: at, expiresAt: expiryAfter(at), members },
    rootKey,
  )
  const map = textOfMap(signed)
  writeSeat(folder, seat, { rootCertificate, map }, keyOptions)
  writeWhole(files.map, map, mapMode)
  return { member: seat.member, folder, serial: signed.map.serial, ...handOut(path, signed.map, map) }
}

/** Two that changed the map at once would each make one that lacks the other's change. */
const lockNetwork = async (folder: string): Promise<() => void> => {
  const endMs = performance.now() + networkLimits.networkLockWaitMs
  for (;;) {
    const unlock = takeFileLock(join(folder, lockFile))
    if (unlock !== undefined) return unlock
    if (performance.now() > endMs)
      throw new CarillonError(
        'store-locked',
        `Another process changes the map of the network in ${folder}, and has not finished. Wait for it, or end it.`,
        { folder },
      )
    await setTimeout(50)
  }
}

/** Changes the network in a folder that `makeNetwork` has made, one change after the other. */
export const withNetwork = async <A>(networkFolder: string, change: (path: string) => Promise<A>): Promise<A> => {
  const path = resolve(networkFolder)
  const files = networkFiles(path)
  if (!existsSync(files.map) || !existsSync(files.root)) throw notFound(path, `There is no network in ${path}.`)
  if (existsSync(files.key))
    throw notFound(path, `${path} is the folder of one party. Name the network's folder, which holds those of all.`)
  try {
    const unlock = await lockNetwork(path)
    try {
      return await change(path)
    } finally {
      unlock()
    }
  } catch (error) {
    throw storeFailure(error, path)
  }
}

/** Lets a party join the network in a folder that `makeNetwork` has made. Those that join at once join one by one. */
export const addParty = (networkFolder: string, added: AddedMember): Promise<AddedParty> =>
  withNetwork(networkFolder, (path) => addTo(path, added))
