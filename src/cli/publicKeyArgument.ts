/**
 * A public key as an argument of the command line.
 */
import { InvalidArgumentError } from 'commander'
import { PublicKeyC, type PublicKey } from '../identity/PublicKey.js'

export const publicKeyArgument = (text: string): PublicKey => {
  if (PublicKeyC.is(text)) return text
  throw new InvalidArgumentError('It must be a public key such as ed25519:0123….')
}
