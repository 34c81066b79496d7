/**
 * Makes the store of a virtual node, or of a party of a virtual network, that is given none. Specs of the logs put others
 * in its place, so that whatever runs in virtual time can be run on every log.
 */
import { EmbeddedStore } from '../storage/EmbeddedStore.js'
import type { OpenStore } from '../storage/OpenStore.js'

export const virtualStores = { open: (): OpenStore | Promise<OpenStore> => EmbeddedStore.inMemory() }
