/**
 * A store folder as something that questions can be asked of while no node runs on it.
 */
import { readFileSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../encoding/decode.js'
import { zeroHash } from '../encoding/hash.js'
import { openStoreLog, readStore } from '../folder/readStore.js'
import { ranOnVirtualTime } from '../folder/storeClock.js'
import type { ReadableNode } from '../http/Route.js'
import { NetworkMap } from '../identity/NetworkMap.js'
import { PartyC } from '../identity/Party.js'
import type { NodeFacts } from '../log/NodeTables.js'
import { networkFiles, networkFolderOf, readNetworkMap } from '../network/NetworkFolder.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'

/** The map of the party's network; a node without one knows itself alone. */
const networkOf = (store: string, named: string | undefined, { partyName, partyKey }: NodeFacts): NetworkMap => {
  const folder = networkFolderOf(store, named)
  if (folder !== undefined) {
    const { map, root } = networkFiles(folder)
    return readNetworkMap(map, readFileSync(root, 'utf8'), root).network
  }
  const me = decodeWith(PartyC, { name: partyName, key: partyKey })
  return isLeft(me) ? new NetworkMap([], zeroHash) : NetworkMap.alone(me.right)
}

/** That of this machine, or the end of the log when it was written on a virtual clock, or on one that is ahead of it. */
const nowIn = (store: string, { atMs }: NodeFacts): number =>
  ranOnVirtualTime(store) ? atMs : Math.max(Date.now(), atMs)

/** `network` names the party's folder in its network, where it is not that of the store. */
export const storedNode = (store: string, network?: string): ReadableNode => {
  let map: NetworkMap | undefined
  return {
    readViews: (read) => new Promise((resolve) => resolve(readStore(store, read))),
    async *readLog(fromRevision = 0) {
      const log = openStoreLog(store)
      try {
        yield* log.read(fromRevision)
      } finally {
        await log.close()
      }
    },
    get network() {
      return (map ??= networkOf(store, network, readStore(store, readFacts)))
    },
    get head() {
      return readStore(store, readFacts).head
    },
    get nowMs() {
      return nowIn(store, readStore(store, readFacts))
    },
  }
}
