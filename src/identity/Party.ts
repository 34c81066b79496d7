/**
 * A party: a name people know and the key that signs for it.
 */
import * as t from 'io-ts'
import { PublicKeyC } from './PublicKey.js'

/** Codec of a party in a state or a flow input. */
export const PartyC = t.readonly(t.strict({ name: t.string, key: PublicKeyC }), 'Party')
/** A party: a name and the key that signs for it. */
export type Party = t.TypeOf<typeof PartyC>
