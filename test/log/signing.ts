/** Signs ticks that a spec puts together by hand, as the node with that key would. */
import { sha256, type Hash } from '../../src/encoding/hash.js'
import { keyPairFromSeed, type KeyPair } from '../../src/identity/KeyPair.js'
import { ownNetworkId } from '../../src/identity/NetworkId.js'
import type { TransactionId } from '../../src/ledger/TransactionId.js'
import { carillonVersion, logFormat } from '../../src/log/logFormat.js'
import { encodeEvent } from '../../src/log/encodeEvent.js'
import { signTick } from '../../src/log/TickSigner.js'

/** Signs with a key, by default as a node that is in no network. */
export const signingWith =
  (key: KeyPair, ids: readonly TransactionId[] = [], network = ownNetworkId(key.publicKey)) =>
  (hash: Hash): string =>
    signTick(key, network, hash, ids)

/** Signs with some key, where it does not matter which. */
export const signed = signingWith(keyPairFromSeed(sha256('some node')))

/** The line with which the log of a node in no network begins. */
export const startLine = (key: KeyPair): string =>
  encodeEvent({
    type: 'NodeStarted',
    reason: 'start',
    party: { name: 'Me', key: key.publicKey },
    app: 'spec',
    appVersion: '1',
    term: 1,
    format: logFormat,
    carillon: carillonVersion,
    network: ownNetworkId(key.publicKey),
  })
