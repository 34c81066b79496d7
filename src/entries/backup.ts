/**
 * `carillon/backup`: backups of a store, and what is asked before a restored one goes on.
 */
export { backupStore, restoreStore, type BackupProgress } from '../backup/backupStore.js'
export { acceptRestored, compareRestored, type Acceptance, type AcceptOptions } from '../backup/acceptRestored.js'
export { compareWithPeers, type CompareOptions, type PeersCompared } from '../backup/compareWithPeers.js'
export type { Peers } from '../backup/askPeers.js'
