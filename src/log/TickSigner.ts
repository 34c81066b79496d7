/**
 * The one signature of a tick, over its running hash and its transactions. The hashes are chained and cover the signatures
 * before them, so the newest signature authenticates the whole log. Nothing unsigned is ever folded.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { verifyKeyChange, type KeyChange } from '../identity/KeyChange.js'
import { isSignatureText, verifySignature, type KeyPair } from '../identity/KeyPair.js'
import type { NetworkId } from '../identity/NetworkId.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { textOfTick } from '../ledger/signatures.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { decodeEvent } from './decodeEvent.js'
import type { EncodedTick } from './Tick.js'

/** What a tick is signed with: a key, in a network. */
export type TickSigner = { readonly network: NetworkId; readonly key: PublicKey }

/** Signs the running hash of a tick, and with it the transactions that bring no signatures of their own. */
export const signTick = (
  key: KeyPair,
  network: NetworkId,
  hash: EncodedTick['hash'],
  ids: readonly TransactionId[],
): string => key.sign(textOfTick(network, hash, ids))

/** The transactions that the signature of a tick covers: those that bring none of their own, in their order. */
export const coveredTransactions = (tick: EncodedTick): readonly TransactionId[] =>
  tick.events.flatMap((line, index) => {
    // Looked for in the text first: most lines are none, and need not be decoded.
    if (!line.includes('"type":"TransactionRecorded"')) return []
    const event = decodeEvent(line, tick.firstRevision + index)
    return event.type === 'TransactionRecorded' && event.signatures === undefined ? [event.id] : []
  })

/** Whether the signature of a tick is that of its signer. */
export const isSignedBy = (tick: EncodedTick, { network, key }: TickSigner, ids = coveredTransactions(tick)): boolean =>
  isSignatureText(tick.signature) && verifySignature(key, textOfTick(network, tick.hash, ids), tick.signature)

const showSigner = ({ key, network }: TickSigner): string => `${key} in the network ${network.slice(0, 12)}…`

const runVerify =
  'Nothing of it was taken. Run "carillon log verify" to see what was changed, and restore the log from a backup or an export.'

/** Throws `tick-unsigned` unless a tick has something that can be a signature. */
export const assertHasSignature = ({ number, firstRevision, signature }: EncodedTick): void => {
  if (isSignatureText(signature)) return
  throw new CarillonError('tick-unsigned', `Tick ${number} of the log has no signature. ${runVerify}`, {
    tick: number,
    revision: firstRevision,
  })
}

/** Throws unless a tick is signed by its signer. `retired` are keys that have signed the log before. */
export const assertSigned = (tick: EncodedTick, signer: TickSigner, retired: readonly PublicKey[] = []): void => {
  assertHasSignature(tick)
  const ids = coveredTransactions(tick)
  if (isSignedBy(tick, signer, ids)) return
  const { number, firstRevision: revision } = tick
  const old = retired.find((key) => key !== signer.key && isSignedBy(tick, { ...signer, key }, ids))
  throw old === undefined
    ? new CarillonError(
        'tick-forged',
        `The signature of tick ${number} of the log is not that of ${showSigner(signer)}. ${runVerify}`,
        { tick: number, revision },
      )
    : new CarillonError(
        'key-retired',
        `Tick ${number} of the log is signed with ${old}, a key that this node had changed before. Whoever holds that key has written it. ${runVerify}`,
        { tick: number, revision, key: old },
      )
}

/** Why a change of key cannot stand in a log whose ticks are signed by `signer`; undefined when it can. */
export const faultOfOwnChange = (signer: TickSigner, change: KeyChange): string | undefined => {
  if (change.from !== signer.key) return `it replaces ${change.from}, and the log is signed with ${signer.key}`
  return verifyKeyChange(signer.network, change) ? undefined : 'it is not signed by both keys'
}
