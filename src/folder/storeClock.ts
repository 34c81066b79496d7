/**
 * Whether the node of a store folder last ran on a virtual clock: a small file beside the views, for whoever looks at the
 * store while no node runs. Nothing is decided by it; without it a tick of virtual time looks like a wrong clock.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { storeFiles } from './StoreFolder.js'

export const noteClock = (folder: string, isVirtual: boolean): void => {
  const { virtualTime } = storeFiles(folder)
  if (isVirtual) writeFileSync(virtualTime, 'The node of this store runs on a virtual clock.\n', { mode: 0o600 })
  else rmSync(virtualTime, { force: true })
}

export const ranOnVirtualTime = (folder: string): boolean => existsSync(storeFiles(folder).virtualTime)
