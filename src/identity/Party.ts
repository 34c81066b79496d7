/**
 * A party: a name people know and the key that signs for it.
 */
import * as t from 'io-ts'
import { canonicalText, Encoded } from '../encoding/canonical.js'
import { PublicKeyC } from './PublicKey.js'

/** Codec of a party in a state or a flow input. */
export const PartyC = t.readonly(t.strict({ name: t.string, key: PublicKeyC }), 'Party')
/** A party: a name and the key that signs for it. */
export type Party = t.TypeOf<typeof PartyC>

/** Texts of parties met so far; few, and met in every transaction. */
const texts = new WeakMap<Party, string>()

/** The canonical text of a party, or of one that is text already. */
export const partyText = (party: Party | Encoded): string => {
  if (party instanceof Encoded) return party.text
  const known = texts.get(party)
  if (known !== undefined) return known
  const text = canonicalText({ name: party.name, key: party.key })
  texts.set(party, text)
  return text
}
