/**
 * The network map as a file: who is in the network, signed by its root. A node takes nothing from a map that the root
 * it was given has not signed, and none that could mean two things.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { sha256, type Hash } from '../encoding/hash.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { CarillonError } from '../errors/CarillonError.js'
import { identityLimits } from './limits.js'
import { InstantC, instantFromMillis, toMillis, type Instant } from '../time/Instant.js'
import { KeyHistory, verifyKeyChange } from './KeyChange.js'
import { verifySignature, type KeyPair } from './KeyPair.js'
import { networkIdOf, textToSign, type NetworkId } from './NetworkId.js'
import { MemberC, NetworkMap } from './NetworkMap.js'
import { PublicKeyC, type PublicKey } from './PublicKey.js'

export const NetworkTermsC = t.intersection(
  [
    t.strict({
      /** The network's name, for people. */
      name: t.string,
      /** Makes the network's id, together with the root. It never changes. */
      salt: t.string,
      /** Rises with every map the root signs for this network. */
      serial: IntegerC,
      madeAt: InstantC,
      root: PublicKeyC,
      members: t.readonlyArray(MemberC),
    }),
    t.exact(
      t.partial({
        /** From then on no node starts by this map: there must be a newer one, and whoever withholds it is found out. */
        expiresAt: InstantC,
      }),
    ),
  ],
  'NetworkTerms',
)
/** What a map says. */
export type NetworkTerms = t.TypeOf<typeof NetworkTermsC>

export const SignedNetworkMapC = t.strict(
  {
    format: t.literal('carillon-network-map'),
    version: t.literal(2),
    map: NetworkTermsC,
    /** The root's Ed25519 signature, base64. */
    signature: t.string,
  },
  'SignedNetworkMap',
)
/** A network map with the signature of the network's root. */
export type SignedNetworkMap = t.TypeOf<typeof SignedNetworkMapC>

/** The id of the network that a map describes. */
export const networkOf = ({ root, salt }: Pick<NetworkTerms, 'root' | 'salt'>): NetworkId => networkIdOf(root, salt)

const textOf = (terms: NetworkTerms): string => textToSign('network map', networkOf(terms), canonicalText(terms))

/** What tells a map from every other, its serial and all: recorded by the nodes that go by it. */
export const hashOfMap = (terms: NetworkTerms): Hash => sha256(canonicalText(terms))

/** Until when a map is valid that is signed now. */
export const expiryAfter = (at: Instant): Instant => instantFromMillis(toMillis(at) + identityLimits.networkMapValidMs)

const repeated = (texts: readonly string[]): string | undefined => {
  const seen = new Set<string>()
  return texts.find((text) => seen.size === seen.add(text).size)
}

/** What is wrong with the changes of keys that a map lists. */
const faultOfKeys = (terms: NetworkTerms): string | undefined => {
  const history = new KeyHistory()
  const parties = new Set(terms.members.map(({ party }) => party.key))
  for (const { party, keyChanges = [] } of terms.members)
    for (const change of keyChanges) {
      if (change.party !== party.key) return `it lists a change of key of another party under ${party.name}`
      if (parties.has(change.to)) return `${party.name} changes to a key that is a party's identity`
      if (!verifyKeyChange(networkOf(terms), change))
        return `a change of key of ${party.name} is not signed by both keys`
      const fault = history.faultOf(change)
      if (fault !== undefined) return `the keys of ${party.name} do not follow each other: ${fault}`
      history.add(change)
    }
  return undefined
}

/** What is wrong with a map's own contents. */
const faultOf = (terms: NetworkTerms): string | undefined => {
  const { members } = terms
  if (members.length > identityLimits.members) return `it lists more than ${identityLimits.members} parties`
  if (members.some(({ party }) => party.name.trim() === '')) return 'a party in it has no name'
  const name = repeated(members.map(({ party }) => party.name))
  if (name !== undefined) return `it lists two parties called ${name}`
  const key = repeated(members.map(({ party }) => party.key))
  if (key !== undefined) return `it lists two parties with the key ${key}`
  const address = repeated(members.flatMap((member) => (member.address === undefined ? [] : [member.address])))
  return address === undefined ? faultOfKeys(terms) : `it lists two parties at ${address}`
}

const invalid = (where: string, why: string): CarillonError =>
  new CarillonError(
    'network-map-invalid',
    `The network map ${where} cannot be used: ${why}. Ask the operator of the network for its current map.`,
    { where },
  )

/** Signs a map with the root's key. Refused when the map could mean two things. */
export const signNetworkMap = (terms: Omit<NetworkTerms, 'root'>, root: KeyPair): SignedNetworkMap => {
  const map = { ...terms, root: root.publicKey }
  const fault = faultOf(map)
  if (fault !== undefined) throw invalid(`of ${terms.name}`, fault)
  return { format: 'carillon-network-map', version: 2, map, signature: root.sign(textOf(map)) }
}

/** Reads a map and verifies it against the root that this node trusts. `where` names the map in errors. */
export const openNetworkMap = (
  text: string,
  root: PublicKey,
  where = 'it was given',
): { readonly network: NetworkMap; readonly terms: NetworkTerms } => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid(where, 'it is not JSON')
  }
  const decoded = decodeWith(SignedNetworkMapC, value)
  if (isLeft(decoded)) throw invalid(where, decoded.left.slice(0, 3).join('; '))
  const { map, signature } = decoded.right
  if (map.root !== root || !verifySignature(root, textOf(map), signature))
    throw new CarillonError(
      'network-map-untrusted',
      map.root === root
        ? `The network map ${where} was altered: its signature is not the root's. Ask the operator of the network for its current map.`
        : `The network map ${where} is of another network: its root is ${map.root}, and this node trusts ${root}.`,
      { where, root },
    )
  const fault = faultOf(map)
  if (fault !== undefined) throw invalid(where, fault)
  return { network: new NetworkMap(map.members, networkOf(map)), terms: map }
}
