/**
 * A head of the log, signed by the node: whoever holds one can tell later whether the log was cut or changed.
 */
import { verifySignature, type KeyPair } from '../identity/KeyPair.js'
import type { EventOf } from '../log/events.js'
import type { Head } from '../log/Tick.js'

const textToSign = (revision: number, hash: string): string => `carillon head 1\n${revision}\n${hash}`

export const signHead = (key: KeyPair, head: Head): EventOf<'HeadSigned'> => ({
  type: 'HeadSigned',
  revision: head.revision,
  head: head.hash,
  by: key.publicKey,
  signature: key.sign(textToSign(head.revision, head.hash)),
})

export const verifySignedHead = (event: EventOf<'HeadSigned'>): boolean =>
  verifySignature(event.by, textToSign(event.revision, event.head), event.signature)
