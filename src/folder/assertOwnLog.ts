/**
 * Whether a log that is kept elsewhere is that of this node, before anything of it is folded: views that were built from
 * another party's log would be in the way of the right one.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { ownNetworkId, type NetworkId } from '../identity/NetworkId.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { EventLog } from '../log/EventLog.js'
import { signerEventsOf } from '../log/SignerTracker.js'
import type { EncodedTick } from '../log/Tick.js'
import { isSignedBy } from '../log/TickSigner.js'

/** Whose log it should be. */
export type Owner = {
  /** Undefined when there is no key yet: then only an empty log can be its own. */
  readonly key: PublicKey | undefined
  /** The network that the node is started in, where it is in one. */
  readonly network?: NetworkId | undefined
}

const tickAt = async (log: EventLog, revision: number): Promise<EncodedTick | undefined> => {
  for await (const tick of log.read(revision)) return tick
  return undefined
}

const changesTo = (tick: EncodedTick, key: PublicKey): boolean =>
  signerEventsOf(tick).some((event) => event.type === 'KeyChanged' && event.change.to === key)

const isSignedIn = (networks: readonly NetworkId[], tick: EncodedTick, key: PublicKey): boolean =>
  networks.some((network) => isSignedBy(tick, { key, network }))

/** Throws `store-foreign` or `network-mismatch` for the log of another party, or of another network. */
export const assertOwnLog = async (log: EventLog, { key, network }: Owner): Promise<void> => {
  const { revision } = await log.head()
  const first = revision < 0 ? undefined : await tickAt(log, 0)
  const started = first === undefined ? undefined : signerEventsOf(first)[0]
  // What does not begin with a start is refused with its reason when it is folded.
  if (started?.type !== 'NodeStarted') return
  const identity = started.party.key
  const networks = [started.network, ownNetworkId(identity), ...(network === undefined ? [] : [network])]
  if (key === undefined)
    throw new CarillonError(
      'store-foreign',
      `The log ${log.where ?? 'that was named'} belongs to ${started.party.name} with the key ${identity}, and there is no key file in the folder. Put node.key and node.secret of that node into it, or choose another log.`,
      { expected: identity },
    )
  if (identity !== key) {
    // It may have changed its key since; then the newest tick is signed with the one at hand, or changes to it.
    const newest = await tickAt(log, revision)
    if (newest === undefined || !(changesTo(newest, key) || isSignedIn(networks, newest, key)))
      throw new CarillonError(
        'store-foreign',
        `The log ${log.where ?? 'that was named'} belongs to ${started.party.name} with the key ${identity}; this node has the key ${key}. Choose another log, or start the node with the key of ${started.party.name}.`,
        { expected: identity, actual: key },
      )
  }
  if (network === undefined || [network, ownNetworkId(identity)].includes(started.network)) return
  throw networkMismatch(started.network, network)
}

/** A log that belongs to one network is not continued in another. */
export const networkMismatch = (expected: NetworkId, actual: NetworkId): CarillonError =>
  new CarillonError(
    'network-mismatch',
    `This log was signed in the network ${expected}, and the node was started in ${actual}. What was signed in one network is not valid in another. Start the node with the map of its own network.`,
    { expected, actual },
  )
