/**
 * A party's change of its signing key, signed by the old key and by the new one. States and transactions go on to know the
 * party by its first key, its identity; from the change on, what the new key signs counts as signed by that identity.
 */
import * as t from 'io-ts'
import { verifySignature, type KeyPair } from './KeyPair.js'
import { ownNetworkId, textToSign, type NetworkId } from './NetworkId.js'
import { PublicKeyC, type PublicKey } from './PublicKey.js'

/** Codec of a change of key. */
export const KeyChangeC = t.readonly(
  t.strict({
    /** The identity of the party: its first key. */
    party: PublicKeyC,
    from: PublicKeyC,
    to: PublicKeyC,
    /** Signatures by both keys over the same text. */
    fromSignature: t.string,
    toSignature: t.string,
  }),
  'KeyChange',
)
/** A party's change of its signing key, signed by the old and by the new key. */
export type KeyChange = t.TypeOf<typeof KeyChangeC>

const textOf = (network: NetworkId, { party, from, to }: Pick<KeyChange, 'party' | 'from' | 'to'>): string =>
  textToSign('key change', network, party, from, to)

/** Changes the key with which a party signs. */
export const signKeyChange = (network: NetworkId, party: PublicKey, from: KeyPair, to: KeyPair): KeyChange => {
  const keys = { party, from: from.publicKey, to: to.publicKey }
  const text = textOf(network, keys)
  return { ...keys, fromSignature: from.sign(text), toSignature: to.sign(text) }
}

/** Whether both keys have signed the change, in the network or in the party's own before it joined. */
export const verifyKeyChange = (network: NetworkId, change: KeyChange): boolean =>
  [network, ownNetworkId(change.party)].some((id) => {
    const text = textOf(id, change)
    return (
      verifySignature(change.from, text, change.fromSignature) && verifySignature(change.to, text, change.toSignature)
    )
  })

/** Which keys sign for which party: a chain of keys for each, without branches. */
export class KeyHistory {
  readonly #identities = new Map<PublicKey, PublicKey>()
  readonly #current = new Map<PublicKey, PublicKey>()

  constructor(changes: readonly KeyChange[] = []) {
    for (const change of changes) this.add(change)
  }

  /** The identity that a key signs for. A key that was never changed is its own. */
  readonly identityOf = (key: PublicKey): PublicKey => this.#identities.get(key) ?? key

  /** The key that signs for an identity now. */
  readonly currentKeyOf = (identity: PublicKey): PublicKey => this.#current.get(identity) ?? identity

  /** Whether a key is a party's that has changed its key: its identity, or one it has changed to. */
  isUsed(key: PublicKey): boolean {
    return this.#identities.has(key) || this.#current.has(key)
  }

  /** Why a change does not continue the chain of its party; undefined when it does. */
  faultOf({ party, from, to }: KeyChange): string | undefined {
    if (this.currentKeyOf(party) !== from) return `${from} is not the key that ${party} signs with`
    return this.isUsed(to) || to === party ? `${to} was used before` : undefined
  }

  /** Takes note of a change that continues the chain of its party. */
  add(change: KeyChange): void {
    if (this.#identities.has(change.to)) return
    this.#identities.set(change.to, change.party)
    this.#current.set(change.party, change.to)
  }
}
