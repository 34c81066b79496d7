/**
 * Lets a restored store go on after the other parties were asked which checkpoints of its log they keep. Everyone the log has
 * talked with must have answered, and at least one checkpoint must be there to compare with; otherwise the store stays as it is.
 */
import { existsSync } from 'node:fs'
import { CarillonError } from '../errors/CarillonError.js'
import { readPeers } from '../storage/tables/HeadTable.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { restoreLimits } from './limits.js'
import { operatorLimits } from '../operator/limits.js'
import type { Head } from '../log/Tick.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'
import { markOf, readStore } from '../folder/readStore.js'
import { storeFiles } from '../folder/StoreFolder.js'
import { acceptCompared, assertCheckpoints, type Acceptance } from './acceptRestored.js'
import { askPeers, type Peers } from './askPeers.js'

/** Whose answer is not waited for, and who wants to hear how far the comparison has come. */
export type CompareOptions = {
  /** Names of parties that need not answer, because they are known to be down or gone. */
  readonly without?: readonly string[]
  readonly onProgress?: (events: number) => void
  /** The node's key, which signs that the store goes on. Default: the one in its folder. */
  readonly key?: KeyPair
}

/** What the store was compared with. */
export type PeersCompared = { readonly head: Head; readonly parties: readonly string[] }

/** Whether there is a store in a folder that is only read. */
export const isMarked = (folder: string): boolean =>
  existsSync(storeFiles(folder).database) && markOf(folder) !== undefined

const stays = (folder: string, why: string): CarillonError =>
  new CarillonError(
    'store-restored',
    `The store in ${folder} was restored and stays read-only: ${why}. Try again when they can be reached; or compare it with checkpoints that they hand over as files ("carillon log head --of" prints one); or, when nothing can be missing, tell it to go on ("carillon backup go-on").`,
    { folder },
  )

/**
 * Compares a restored store with the checkpoints that the other parties keep of its log, and lets it go on if it holds them all.
 * Throws `store-outdated` or `log-altered` as `compareRestored` does, and `store-restored` when too little was answered.
 */
export const compareWithPeers = async (
  folder: string,
  peers: Peers,
  acceptance: Acceptance,
  { without = [], onProgress, key }: CompareOptions = {},
): Promise<PeersCompared> => {
  const { me, ownKeys, met } = readStore(folder, (db) => {
    const { partyKey, signers } = readFacts(db)
    const key = partyKey ?? ''
    const ownKeys: ReadonlySet<string> = new Set(signers.map((signer) => signer.key))
    return { me: key, ownKeys, met: readPeers(db, key, restoreLimits.partiesAsked) }
  })
  const nameOf = (key: PublicKey): string => peers.network.member(key)?.party.name ?? key
  const isOwn = (key: PublicKey): boolean => ownKeys.has(key) || peers.network.identityOf(key) === me
  const matter = new Set(met.filter((key) => !without.includes(nameOf(key))))
  const { answered, silent } = await askPeers(peers, me, matter, isOwn)
  const unknown = [...answered].find(([, checkpoint]) => checkpoint !== undefined && !ownKeys.has(checkpoint.by))
  if (unknown !== undefined)
    throw new CarillonError(
      'store-outdated',
      `The store in ${folder} is older than what others have seen: ${nameOf(unknown[0])} keeps a checkpoint that was signed with ${unknown[1]?.by ?? ''}, a key that this log does not know yet. Restore a newer backup; a node that went on from here would contradict what it has signed.`,
      { folder },
    )
  const keepers = [...answered].flatMap(([key, checkpoint]) =>
    checkpoint === undefined ? [] : [{ name: nameOf(key), checkpoint }],
  )
  const parties = keepers.map(({ name }) => name).sort()
  const options = { ...(onProgress === undefined ? {} : { onProgress }), ...(key === undefined ? {} : { key }) }
  const checkpoints = keepers.map(({ checkpoint }) => checkpoint)
  // Before the silent ones are counted: a contradiction is worth more than a silence.
  const compared = checkpoints.length === 0 ? 0 : await assertCheckpoints(folder, checkpoints, options)
  if (keepers.length === 0 || silent.length > 0) {
    const emptyHanded =
      answered.size === 0 ? 'nobody answered' : 'none of those who answered keeps a checkpoint of its log'
    const missing = silent.map(({ name }) => name).join(', ')
    throw stays(folder, missing === '' ? emptyHanded : `${missing} did not answer`)
  }
  const note = acceptance.note ?? `checkpoints kept by ${parties.join(', ')}`.slice(0, operatorLimits.noteLength)
  return { head: await acceptCompared(folder, compared, { ...acceptance, note }, options), parties }
}
