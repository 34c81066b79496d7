/**
 * A party of a log that a test writes, with all keys that it has had, and what can be done with them, rightly or not.
 */
import { sha256 } from '../../src/encoding/hash.js'
import { signKeyChange, type KeyChange } from '../../src/identity/KeyChange.js'
import { keyPairFromSeed, type KeyPair } from '../../src/identity/KeyPair.js'
import { ownNetworkId, type NetworkId } from '../../src/identity/NetworkId.js'
import type { PublicKey } from '../../src/identity/PublicKey.js'
import type { Chance } from '../../src/testing/simulation/Chance.js'

const made = new Map<string, KeyPair>()

/** The same name, the same key. */
export const keyNamed = (name: string): KeyPair => {
  const known = made.get(name) ?? keyPairFromSeed(sha256(`verifier ${name}`))
  made.set(name, known)
  return known
}

export class WrittenParty {
  readonly #keys: [KeyPair, ...KeyPair[]]

  constructor(readonly name: string) {
    this.#keys = [keyNamed(name)]
  }

  get identity(): PublicKey {
    return this.#keys[0].publicKey
  }

  get keys(): readonly KeyPair[] {
    return this.#keys
  }

  get current(): KeyPair {
    return this.#keys.at(-1) ?? this.#keys[0]
  }

  /** The network in which it signs: the one of the log, or at times its own. */
  networkFor(chance: Chance, network: NetworkId): NetworkId {
    return chance.oneIn(4) ? ownNetworkId(this.identity) : network
  }

  /** Changes the key as it should be done. */
  changeKey(chance: Chance, network: NetworkId): KeyChange {
    const to = keyNamed(`${this.name} ${this.#keys.length}`)
    const change = signKeyChange(this.networkFor(chance, network), this.identity, this.current, to)
    this.#keys.push(to)
    return change
  }
}

/** The same signature in a form that is not canonical. */
const otherForm = (signature: string): string => {
  const last = signature.at(-3) ?? 'A'
  return `${signature.slice(0, -3)}${String.fromCharCode(last.charCodeAt(0) + 1)}==`
}

/** A change of key that should not be accepted, or at least looks odd. */
export const forgeKeyChange = (
  chance: Chance,
  network: NetworkId,
  party: WrittenParty,
  all: readonly WrittenParty[],
): { readonly change: KeyChange; readonly to: KeyPair } => {
  const other = chance.pick(all)
  const fresh = keyNamed(`fresh ${chance.below(4)}`)
  const used = chance.pick([...party.keys, ...other.keys, keyNamed('nobody')])
  const good = signKeyChange(network, party.identity, party.current, fresh)
  const own = signKeyChange(ownNetworkId(party.identity), party.identity, party.current, fresh)
  const elsewhere = sha256(`network ${chance.below(3)}`)
  const forgeries: readonly (() => readonly [KeyChange, KeyPair])[] = [
    () => [signKeyChange(elsewhere, party.identity, party.current, fresh), fresh],
    () => [{ ...good, toSignature: good.fromSignature, fromSignature: good.toSignature }, fresh],
    () => [{ ...good, toSignature: '' }, fresh],
    () => [{ ...good, fromSignature: keyNamed('nobody').sign('something else') }, fresh],
    () => [{ ...good, fromSignature: otherForm(good.fromSignature) }, fresh],
    () => [{ ...good, toSignature: own.toSignature }, fresh],
    () => [{ ...own, toSignature: good.toSignature }, fresh],
    () => [{ ...good, party: other.identity }, fresh],
    // What follows is signed by both keys, and does not continue the chain.
    () => [signKeyChange(network, party.identity, chance.pick(party.keys), fresh), fresh],
    () => [signKeyChange(network, party.identity, other.current, fresh), fresh],
    () => [signKeyChange(network, party.identity, used, fresh), fresh],
    () => [signKeyChange(network, party.identity, party.current, used), used],
    () => [signKeyChange(network, party.identity, used, chance.pick(party.keys)), party.current],
    () => [signKeyChange(network, used.publicKey, used, fresh), fresh],
    () => [signKeyChange(network, party.current.publicKey, party.current, fresh), fresh],
    () => [signKeyChange(network, party.identity, party.current, party.current), party.current],
  ]
  const [change, to] = chance.pick(forgeries)()
  return { change, to }
}
