/**
 * Makes the store of a virtual node, or of a party of a virtual network, that is given none. Specs of the logs put others
 * in its place, so that whatever runs in virtual time can be run on every log.
 */
import { EmbeddedStore } from '../storage/EmbeddedStore.js'
import type { TickStore } from '../storage/TickStore.js'
import type { GivenLimits } from '../node/NodeLimits.js'

export const virtualStores: { open: (limits?: GivenLimits) => TickStore | Promise<TickStore> } = {
  /** `limits` are those of the node; the store takes its own from them. */
  open: ({ storage } = {}) => EmbeddedStore.inMemory(storage === undefined ? {} : { limits: storage }),
}

/** The option for a node whose store has been made with these limits already. */
export const limitsBesideStore = (given: GivenLimits = {}): { readonly limits: GivenLimits } => ({
  limits: Object.fromEntries(Object.entries(given).filter(([room]) => room !== 'storage')),
})
