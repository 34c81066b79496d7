/**
 * Refuses to send what a log says, and the password of its server, over a network in plain text, unless the address says that this is meant.
 */
import { CarillonError } from '../../errors/CarillonError.js'

/** What an address adds to say that plain text is meant. */
export const plaintextOption = 'plaintext'

const isOnThisMachine = (host: string): boolean =>
  // The path of a socket, a name or address of loopback, or nothing at all.
  host === '' ||
  host.startsWith('/') ||
  host === 'localhost' ||
  /^127(\.\d{1,3}){3}$/.test(host) ||
  host.replaceAll(/[[\]]/g, '') === '::1'

export type LogServer = { readonly host: string; readonly usesTls: boolean }

export const assertEncrypted = (
  servers: readonly LogServer[],
  address: { readonly shown: string; readonly allowsPlaintext?: boolean },
  howToEncrypt: string,
): void => {
  if (address.allowsPlaintext === true) return
  const bare = servers.find(({ host, usesTls }) => !usesTls && !isOnThisMachine(host.toLowerCase()))
  if (bare === undefined) return
  throw new CarillonError(
    'tls-required',
    `The database at ${address.shown} is on another machine, ${bare.host}, and the connection would not be encrypted. ${howToEncrypt} Where the network between the two is trusted, add ${plaintextOption}=true to the address.`,
    { host: bare.host },
  )
}
