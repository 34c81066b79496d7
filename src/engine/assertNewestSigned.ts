/**
 * Whether the newest tick of a store is signed by its node. It authenticates the whole log: whoever writes on top of a tick
 * that the node has not signed would make it count.
 */
import { assertSigned } from '../log/TickSigner.js'
import type { LoopStore } from './LoopStore.js'

/** Throws `tick-unsigned`, `tick-forged` or `key-retired`. To be called before anything is appended to a store. */
export const assertNewestSigned = (store: LoopStore): void => {
  const { facts } = store.views
  const newest = store.tick(store.head().tick)
  const signer = newest === undefined ? undefined : facts.signerOf(newest.number)
  if (newest === undefined || signer === undefined) return
  assertSigned(
    newest,
    signer,
    facts.now.signers.map(({ key }) => key),
  )
}
