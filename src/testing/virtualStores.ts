/**
 * Makes the store of a virtual node, or of a party of a virtual network, that is given none. Specs of the logs put others
 * in its place, so that whatever runs in virtual time can be run on every log.
 */
import { EmbeddedStore } from '../storage/EmbeddedStore.js'
import type { TickStore } from '../storage/TickStore.js'

export const virtualStores = { open: (): TickStore | Promise<TickStore> => EmbeddedStore.inMemory() }
