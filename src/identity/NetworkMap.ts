/**
 * Who is in the network: parties with their keys and addresses, and which of them are notaries. A node trusts
 * no notary and talks to no party that is not in its map.
 */
import * as t from 'io-ts'
import { PartyC, type Party } from './Party.js'
import type { PublicKey } from './PublicKey.js'

export const NotaryKindC = t.keyof({ validating: null, nonValidating: null })
/** A validating notary sees and verifies whole transactions; the other kind sees only what it must. */
export type NotaryKind = t.TypeOf<typeof NotaryKindC>

export const MemberC = t.readonly(
  t.intersection([
    t.strict({ party: PartyC }),
    t.exact(t.partial({ address: t.string, notary: NotaryKindC, certificate: t.string })),
  ]),
  'Member',
)
/** A party as the map lists it: its address is `host:port`, its certificate the SHA-256 of its X.509 certificate. */
export type Member = t.TypeOf<typeof MemberC>

/** The parties a node knows, and which of them are notaries. */
export class NetworkMap {
  readonly members: readonly Member[]
  readonly #byKey = new Map<PublicKey, Member>()
  readonly #byName = new Map<string, Member>()

  constructor(members: readonly Member[]) {
    this.members = members
    for (const member of members) {
      this.#byKey.set(member.party.key, member)
      this.#byName.set(member.party.name, member)
    }
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
