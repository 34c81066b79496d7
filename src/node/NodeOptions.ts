/**
 * How a node is started. Everything but the app has a default.
 */
import type { App } from '../app/App.js'
import type { Random } from '../identity/Random.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { EventLog } from '../log/EventLog.js'
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { Transport } from '../session/Transport.js'
import type { Clock } from '../time/Clock.js'
import type { Logger } from '../engine/Logger.js'
import type { GivenLimits } from './NodeLimits.js'
import type { OpenStore } from '../storage/OpenStore.js'

/** How a node is started. Everything but the app has a default. */
export type NodeOptions = {
  /** What the node runs. */
  readonly app: App
  /** The name of the party whose node this is. Default `Me`. */
  readonly party?: string
  /** A folder for the embedded store, or an open store. Default: in memory, gone when the process ends. */
  readonly store?: string | OpenStore
  /**
   * Where the log is kept, when not in the store: an address such as `postgres://user@host/database?schema=carillon`, or
   * an open log. The folder that `store` names then holds the key, the views and a copy. Default: in the store.
   */
  readonly log?: string | EventLog
  /**
   * The folder of a party as `carillon network new` or {@link makeNetwork} makes it: key, certificate and signed map. The
   * node is that party's, talks with the others over TLS, and has its store there unless `store` says otherwise.
   */
  readonly networkFolder?: string
  /** Where to listen, as `host:port`, when that is not the address in the map: behind a proxy, in a container. */
  readonly listenOn?: string
  /** Opens the key file. Default: from CARILLON_KEY_PASSPHRASE, or the file CARILLON_KEY_PASSPHRASE_FILE names. */
  readonly keyPassphrase?: string
  /**
   * Limits that differ from their defaults, by room: `{ engine: { activitiesPerTick: 100 } }`. A store that is handed in
   * has its own.
   */
  readonly limits?: GivenLimits
  /** Who else is there. Default: this party alone. */
  readonly network?: NetworkMap
  /** The way to the other parties' nodes. Default: none. */
  readonly transport?: Transport
  /** Default: the machine's clock. */
  readonly clock?: Clock
  /** Extra checks: clock reads in `nextScheduledActivity`, and every flow run again at each suspension. Default false. */
  readonly development?: boolean
  /** The party's key. Default: the one in the store folder, made at the first start. */
  readonly key?: KeyPair
  /** Default: the operating system's randomness. */
  readonly random?: Random
  /** Default: silent. */
  readonly logger?: Logger
  /**
   * Where a thread answers `GET` for the node's health, as `host:port`: 200, or 503 with the code of the app that has not
   * returned, the state or flow it runs for, and for how long. Default: nowhere.
   */
  readonly healthOn?: string
  /** Called when the node had to stop by itself: the log was taken over, or an invariant was broken. */
  readonly onFailure?: (error: Error) => void
}
