/**
 * Every error Carillon can report, by its stable code. A code is never reused or renamed; each has a page
 * of its own name under docs/errors, which a test keeps complete.
 */
import type { Consequence } from './Consequence.js'

type Entry = { readonly consequence: Consequence; readonly title: string }

const entry = (consequence: Consequence, title: string): Entry => ({ consequence, title })

export const catalogue = {
  // Values and definitions
  'value-not-encodable': entry('refuse', 'A value has no canonical form'),
  'instant-invalid': entry('refuse', 'Not a UTC instant'),
  'definition-invalid': entry('refuse', 'A definition contradicts itself or another one'),
  'recurrence-invalid': entry('refuse', 'A recurrence cannot be read'),
  'calendar-out-of-range': entry('refuse', 'The day lies outside the years a business calendar covers'),

  // States and transactions
  'state-data-invalid': entry('refuse', 'State data does not fit its codec'),
  'state-type-unknown': entry('refuse', 'No definition for this state type'),
  'state-version-unknown': entry('refuse', 'State written by a newer definition'),
  'state-definition-faulty': entry('fail', 'participants or isRelevant of a state threw or gave something unusable'),
  'state-unknown': entry('fail', 'No such state'),
  'state-consumed': entry('fail', 'The state has already been consumed'),
  'state-locked': entry('fail', 'Another flow has reserved the state'),
  'state-key-taken': entry('fail', 'Another unconsumed state has this key'),
  'contract-violated': entry('fail', 'The contract rejects the transaction'),
  'contract-unknown': entry('refuse', 'No definition for this contract or its version'),
  'contract-threw': entry('fail', 'A contract threw instead of returning its violations'),
  'command-data-invalid': entry('refuse', 'Command data does not fit its codec'),
  'transaction-malformed': entry('refuse', 'The transaction breaks a structural rule'),
  'transaction-altered': entry('refuse', 'The transaction does not match its id'),
  'signature-missing': entry('fail', 'A required signature is missing'),
  'signature-invalid': entry('refuse', 'A signature does not verify'),
  'time-window-closed': entry('fail', 'The time window is not open'),
  'fact-too-large': entry('refuse', 'A single fact is larger than a tick may be'),

  // Activities
  'activity-threw': entry('park', 'nextScheduledActivity threw'),
  'activity-reads-clock': entry('park', 'nextScheduledActivity reads the clock'),
  'activity-invalid': entry('park', 'nextScheduledActivity returned something that cannot be scheduled'),
  'activity-unknown': entry('refuse', 'The state has no activity to act on'),
  'activity-not-ready': entry('refuse', 'The activity is not in a condition that allows this'),

  // Flows
  'flow-unknown': entry('refuse', 'No flow of this name is defined'),
  'flow-not-schedulable': entry('refuse', 'The flow may not be named by a state'),
  'flow-input-invalid': entry('refuse', 'Flow input does not fit its codec'),
  'flow-result-invalid': entry('fail', 'A value to be recorded by a flow has no canonical form'),
  'flow-not-found': entry('refuse', 'No flow with this id'),
  'flow-not-parked': entry('refuse', 'The flow is not parked'),
  'flow-ended': entry('refuse', 'The flow has already ended'),
  'flow-diverged': entry('park', 'The flow code no longer agrees with its record'),
  'flow-code-missing': entry('park', 'The code of a recorded flow is not installed'),
  'flow-too-long': entry('park', 'A flow has recorded more operations than one record may hold'),
  'flow-threw': entry('fail', 'A flow threw an error'),
  'flow-killed': entry('fail', 'The flow was killed'),
  'flow-parked': entry('park', 'A flow asked to be parked'),
  'flow-retry-later': entry('retry', 'A flow met something that may pass'),
  'step-failed': entry('fail', 'A step kept failing'),
  'client-id-conflict': entry('refuse', 'The client id was used for another flow or input'),

  // Parties
  'party-unknown': entry('fail', 'No such party in the network map'),
  'counterparty-failed': entry('fail', 'The other party answered with an error'),
  'session-ended': entry('fail', 'The other party has ended the session'),
  'message-invalid': entry('fail', 'A message of another party cannot be understood'),
  'flow-version-unsupported': entry('refuse', 'The two sides of a session do not speak the same version'),
  'notary-unknown': entry('refuse', 'The notary is not one this network trusts'),
  'notary-busy': entry('fail', 'The notary has more requests than it can answer soon'),
  'signature-refused': entry('fail', 'A party refused to sign'),
  'network-map-invalid': entry('refuse', 'The network map cannot be used'),
  'network-map-untrusted': entry('refuse', 'The network map is not signed by the root of this network'),
  'network-mismatch': entry('refuse', 'The log belongs to another network'),
  'network-map-outdated': entry('refuse', 'The network map is older than the one the node had'),
  'certificate-invalid': entry('refuse', 'A certificate does not belong to the party or the network'),
  'address-unavailable': entry('refuse', 'The node cannot listen on its address'),
  'network-not-found': entry('refuse', 'There is no network here'),
  'root-key-missing': entry('refuse', "The key of the network's root is not here"),

  // Keys
  'key-file-invalid': entry('refuse', 'The key file cannot be read'),
  'key-locked': entry('refuse', 'The key file needs a passphrase'),
  'key-passphrase-wrong': entry('refuse', 'The passphrase does not open the key file'),

  // Log, store and node
  'log-altered': entry('stop', 'The log does not match its hash chain'),
  'log-diverged': entry('stop', 'The views stand on a history that the log does not hold'),
  'log-too-new': entry('stop', 'The log was written by a newer version'),
  'log-too-old': entry('stop', 'The log is of the format before the first release'),
  'tick-unsigned': entry('stop', 'A tick of the log has no signature'),
  'tick-forged': entry('stop', 'The signature of a tick is not that of its node'),
  'key-retired': entry('stop', 'A key was used that the node had changed before'),
  'log-not-empty': entry('refuse', 'The target of an import already holds events'),
  'log-undecodable': entry('stop', 'An event in the log cannot be decoded'),
  'log-revision-conflict': entry('stop', 'Another writer has appended to this log'),
  'log-unreachable': entry('retry', 'The server that keeps the log cannot be reached'),
  'log-access-denied': entry('refuse', 'The server that keeps the log refuses access'),
  'log-foreign': entry('stop', 'What is kept in the place of the log is not this log'),
  'log-address-invalid': entry('refuse', 'The address of the log cannot be used'),
  'log-limit-exceeded': entry('stop', 'The server that keeps the log takes no append of this size'),
  'revision-unknown': entry('refuse', 'The log has no such revision'),
  'head-invalid': entry('refuse', 'Not a checkpoint of this log'),
  'head-unsigned': entry('refuse', 'There is no checkpoint to give'),
  'head-contradicted': entry('stop', 'Another party keeps a checkpoint of this log that the log does not hold'),
  'proof-invalid': entry('refuse', 'A proof does not hold'),
  'import-invalid': entry('refuse', 'The file is not an exported log'),
  'store-locked': entry('refuse', 'Another process holds this store'),
  'store-not-writable': entry('refuse', 'The store cannot be written'),
  'views-not-written': entry('stop', 'The log holds a tick that the views beside it do not'),
  'store-not-found': entry('refuse', 'There is no store here'),
  'store-corrupt': entry('stop', 'The store file is damaged'),
  'store-foreign': entry('refuse', 'The store belongs to another party or app'),
  'store-restored': entry('refuse', 'The store was restored and is only read'),
  'store-outdated': entry('refuse', 'A restored store is older than what others have seen'),
  'disk-full': entry('retry', 'No space left for the log'),
  'sqlite-missing': entry('refuse', 'No SQLite driver could be loaded'),
  'node-stopped': entry('refuse', 'The node has stopped'),
  'node-following': entry('refuse', 'The process stands by, and another one leads'),
  'node-draining': entry('refuse', 'The node is draining'),
  'node-not-running': entry('refuse', 'No node runs on this store'),
  'node-busy': entry('retry', 'The node has more waiting inputs than it may hold'),
  'query-invalid': entry('refuse', 'A query of the vault cannot be understood'),
  'query-unbounded': entry('refuse', 'The answer would be larger than a page'),
  'request-invalid': entry('refuse', 'A request is not understood'),
  'token-refused': entry('refuse', 'The token is missing, unknown, expired or revoked'),
  'token-unknown': entry('refuse', 'No such token'),
  'permission-missing': entry('refuse', 'The token does not allow this'),
  'origin-refused': entry('refuse', 'The request comes from a page or for a host that is not the node'),
  'rate-exceeded': entry('retry', 'More requests than one caller may send'),
  'route-unknown': entry('refuse', 'There is nothing at this address'),
  'tls-required': entry('refuse', 'Off loopback the HTTP API needs TLS'),
  'panel-unknown': entry('refuse', 'The app has no such panel or action'),
  'folder-not-empty': entry('refuse', 'The folder for a new app already holds something'),
  'replay-differs': entry('refuse', 'The code does not agree with a recorded log'),
  'simulation-failed': entry('refuse', 'A simulated history broke an invariant'),
  usage: entry('refuse', 'The command line is not understood'),
  'app-not-loadable': entry('refuse', 'The app module cannot be loaded'),
  'invariant-broken': entry('stop', 'Carillon found itself in an impossible state'),
} as const satisfies Record<string, Entry>

/** The code of an error. Codes are never reused or renamed; docs/errors has a page for each. */
export type ErrorCode = keyof typeof catalogue
