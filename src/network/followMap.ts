/**
 * Lets a running node go by a newer map. That is recorded first; then the decisions of the next tick and all connections
 * go by the new map at once, so that no tick sees parts of two.
 */
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { Hash } from '../encoding/hash.js'
import { hashOfMap, type NetworkTerms } from '../identity/SignedNetworkMap.js'
import { networkLimits } from './limits.js'
import type { Clock } from '../time/Clock.js'
import { toMillis, type Instant } from '../time/Instant.js'
import type { DomainEvent } from '../log/events.js'
import type { MapSerial, MapsRead } from '../log/NodeTables.js'
import type { Logger } from '../engine/Logger.js'
import type { Loop } from '../engine/Loop.js'
import type { MapFile } from './MapFile.js'
import type { VerifiedMap } from './NetworkFolder.js'

/**
 * The changes of other parties' keys that a map lists and the log does not know of yet. Throws `store-outdated` when the
 * map lists a change of this party's own that is not in its log: then the log has lost its end.
 */
export const newKeyChanges = (
  maps: Pick<MapsRead, 'isRecorded'>,
  { members }: NetworkMap,
  me: PublicKey,
): readonly DomainEvent[] => {
  const changes = members.flatMap(({ keyChanges = [] }) => keyChanges).filter((change) => !maps.isRecorded(change))
  const own = changes.find(({ party }) => party === me)
  if (own !== undefined)
    throw new CarillonError(
      'store-outdated',
      `The network map lists a change of this party's key to ${own.to}, and this log does not hold it: the log is older than what others have seen. Restore a newer backup.`,
      { key: own.to },
    )
  return changes.map((change) => ({ type: 'KeyChanged', change }))
}

/** A map as the log names it. */
export const mapSerialOf = (terms: NetworkTerms): MapSerial & { readonly hash: Hash } => ({
  root: terms.root,
  serial: terms.serial,
  hash: hashOfMap(terms),
})

/** What an operator sees of a map. */
export type ShownMap = MapSerial & {
  readonly hash: Hash
  readonly name: string
  readonly madeAt: Instant
  readonly expiresAt?: Instant
}

/** The map a node goes by, and one that contradicts it and waits for an operator's decision. */
export type MapsAtHand = { readonly inUse?: ShownMap; readonly contradicting?: ShownMap }

const shown = (terms: NetworkTerms): ShownMap => ({
  ...mapSerialOf(terms),
  name: terms.name,
  madeAt: terms.madeAt,
  ...(terms.expiresAt === undefined ? {} : { expiresAt: terms.expiresAt }),
})

export const mapsAtHand = (file: MapFile | undefined): MapsAtHand =>
  file === undefined
    ? {}
    : {
        inUse: shown(file.newest.terms),
        ...(file.contradicting === undefined ? {} : { contradicting: shown(file.contradicting) }),
      }

const dayMs = 86_400_000

/** What is to be said of the expiry of a map; undefined while there is time. */
export const expiryWarning = ({ terms }: VerifiedMap, nowMs: number): string | undefined => {
  if (terms.expiresAt === undefined) return undefined
  const leftMs = toMillis(terms.expiresAt) - nowMs
  if (leftMs > networkLimits.networkMapWarningMs) return undefined
  const renew = 'Whoever runs the network signs a newer one: carillon network renew.'
  return leftMs <= 0
    ? `Map ${terms.serial} of the network ${terms.name} has expired on ${terms.expiresAt}, and no node starts by it any more. ${renew}`
    : `Map ${terms.serial} of the network ${terms.name} expires on ${terms.expiresAt}, in ${Math.ceil(leftMs / dayMs)} days. ${renew}`
}

export type MapFollowing = {
  readonly clock: Clock
  readonly file: MapFile
  readonly loop: Loop
  readonly logger: Logger
  /** Called once the map is recorded, before the next tick. */
  readonly use: (network: NetworkMap) => void
}

const namesIn = ({ terms }: VerifiedMap): ReadonlySet<string> => new Set(terms.members.map(({ party }) => party.name))

/** Who came and who went, for people. */
const difference = (before: VerifiedMap, after: VerifiedMap): string => {
  const had = namesIn(before)
  const has = namesIn(after)
  const come = [...has].filter((name) => !had.has(name))
  const gone = [...had].filter((name) => !has.has(name))
  return [
    ...(come.length === 0 ? [] : [` ${come.join(', ')} ${come.length === 1 ? 'has' : 'have'} joined.`]),
    ...(gone.length === 0 ? [] : [` ${gone.join(', ')} ${gone.length === 1 ? 'has' : 'have'} left.`]),
  ].join('')
}

/** Follows until the returned function is called. The node goes by the file's newest map already. */
export const followMap = ({ file, loop, logger, clock, use }: MapFollowing): (() => void) => {
  let inUse = file.newest
  let warnedMs = -Infinity
  const warn = (): void => {
    const nowMs = clock.now()
    const warning = nowMs - warnedMs < dayMs ? undefined : expiryWarning(inUse, nowMs)
    if (warning === undefined) return
    warnedMs = nowMs
    logger.warn(warning, { code: 'network-map-expired', serial: inUse.terms.serial })
  }
  let isUnderWay = false
  warn()
  const look = async (): Promise<void> => {
    file.look()
    warn()
    const { newest } = file
    if (newest === inUse || isUnderWay) return
    isUnderWay = true
    const { serial, name } = newest.terms
    try {
      await loop.submit((decision) => {
        decision.emit({ type: 'NetworkMapChanged', map: mapSerialOf(newest.terms) })
        for (const event of newKeyChanges(decision.views.maps, newest.network, decision.me.key)) decision.emit(event)
        const network = newest.network.withKeyChanges(decision.views.maps.changes())
        decision.release(() => use(network))
      })
      logger.info(`The node goes by map ${serial} of the network ${name}.${difference(inUse, newest)}`, { serial })
      inUse = newest
    } catch (error) {
      // The next look tries again; a node that has stopped looks no more.
      logger.warn(`Map ${serial} of the network ${name} could not be taken into use yet. ${messageOf(error)}`, {
        serial,
      })
    } finally {
      isUnderWay = false
    }
  }
  const timer = setInterval(() => void look(), networkLimits.networkMapLookMs).unref()
  return () => clearInterval(timer)
}
