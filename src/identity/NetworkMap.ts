/**
 * Who is in the network: parties with their keys and addresses, and which of them are notaries. A node trusts
 * no notary and talks to no party that is not in its map.
 */
import * as t from 'io-ts'
import { KeyChangeC, KeyHistory, type KeyChange } from './KeyChange.js'
import { ownNetworkId, type NetworkId } from './NetworkId.js'
import { PartyC, type Party } from './Party.js'
import type { PublicKey } from './PublicKey.js'

export const NotaryKindC = t.keyof({ validating: null, nonValidating: null })
/** A validating notary sees and verifies whole transactions; the other kind sees only what it must. */
export type NotaryKind = t.TypeOf<typeof NotaryKindC>

export const MemberC = t.readonly(
  t.intersection([
    t.strict({ party: PartyC }),
    t.exact(
      t.partial({
        address: t.string,
        notary: NotaryKindC,
        certificate: t.string,
        /** The party's changes of its signing key, oldest first. */
        keyChanges: t.readonlyArray(KeyChangeC),
      }),
    ),
  ]),
  'Member',
)
/** A party as the map lists it: its address is `host:port`, its certificate the SHA-256 of its X.509 certificate. */
export type Member = t.TypeOf<typeof MemberC>

/** The parties a node knows, and which of them are notaries. */
export class NetworkMap {
  /** The id of the network: part of everything that is signed in it. */
  readonly id: NetworkId
  readonly members: readonly Member[]
  /** The identity of the party that signs with a key; see {@link KeyHistory}. */
  readonly identityOf: (signingKey: PublicKey) => PublicKey
  /** The key that a party signs with now. */
  readonly currentKeyOf: (identity: PublicKey) => PublicKey
  readonly #byKey = new Map<PublicKey, Member>()
  readonly #byName = new Map<string, Member>()

  /** `recorded` are changes of keys that the map need not list any more. */
  constructor(members: readonly Member[], id: NetworkId, recorded: readonly KeyChange[] = []) {
    this.id = id
    this.members = members
    const history = new KeyHistory([...recorded, ...members.flatMap(({ keyChanges = [] }) => keyChanges)])
    this.identityOf = history.identityOf
    this.currentKeyOf = history.currentKeyOf
    for (const member of members) {
      this.#byKey.set(member.party.key, member)
      this.#byName.set(member.party.name, member)
    }
  }

  /** The same map, which also knows of changes of keys that were recorded before. */
  withKeyChanges(recorded: readonly KeyChange[]): NetworkMap {
    return recorded.length === 0 ? this : new NetworkMap(this.members, this.id, recorded)
  }

  /** The map of a party that is in no network. */
  static alone(party: Party): NetworkMap {
    return new NetworkMap([{ party }], ownNetworkId(party.key))
  }

  member(key: PublicKey): Member | undefined {
    return this.#byKey.get(key)
  }

  party(name: string): Party | undefined {
    return this.#byName.get(name)?.party
  }

  /** The first notary the map lists: the default for what several parties share. */
  firstNotary(): Party | undefined {
    return this.members.find(({ notary }) => notary !== undefined)?.party
  }

  notaryKind(key: PublicKey): NotaryKind | undefined {
    return this.#byKey.get(key)?.notary
  }
}
