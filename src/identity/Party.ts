/**
 * A party: a name people know and the key that signs for it.
 */
import * as t from 'io-ts'
import { PublicKeyC } from './PublicKey.js'

export const PartyC = t.readonly(t.strict({ name: t.string, key: PublicKeyC }), 'Party')
export type Party = t.TypeOf<typeof PartyC>
