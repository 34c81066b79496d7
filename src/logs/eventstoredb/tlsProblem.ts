/**
 * Whether the servers of an address speak TLS as the address says. The client tells no more than that it cannot connect;
 * a handshake of our own tells why.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { messageOf } from '../../errors/CarillonError.js'
import type { EventStoreDbAddress } from './EventStoreDbAddress.js'

/** How a handshake ended. */
type Handshake =
  /** The server speaks TLS, whether or not it lets this client in. */
  | { readonly kind: 'spoken' }
  | { readonly kind: 'untrusted'; readonly why: string }
  /** Something answers, and not with TLS. */
  | { readonly kind: 'not TLS' }
  /** Nobody is there, or nobody answers. */
  | { readonly kind: 'nobody' }

/** What OpenSSL says of bytes that are no message of TLS. */
const noTls = /wrong version number|packet length too long|http request/

/** An alert is a message of TLS: the server speaks it, and refuses this client. */
const alert = /\balert\b/

/** The reasons for which this side refuses a certificate, as Node names them. */
const untrusted = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

const handshake = (
  { host, port }: EventStoreDbAddress['hosts'][number],
  secureContext: SecureContext,
  timeoutMs: number,
): Promise<Handshake> =>
  new Promise((resolve) => {
    const socket: TLSSocket = connect({
      host,
      port,
      ALPNProtocols: ['h2'],
      ...(isIP(host) === 0 ? { servername: host } : {}),
      secureContext,
    })
    const end = (result: Handshake): void => {
      socket.destroy()
      resolve(result)
    }
    socket.setTimeout(timeoutMs, () => end({ kind: 'nobody' }))
    socket.once('secureConnect', () => end({ kind: 'spoken' }))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (untrusted.has(error.code ?? '')) end({ kind: 'untrusted', why: messageOf(error) })
      else if (alert.test(error.message)) end({ kind: 'spoken' })
      else end({ kind: noTls.test(error.message) ? 'not TLS' : 'nobody' })
    })
  })

/** What to change about TLS in an address; undefined when TLS is not what keeps the servers from answering. */
export const tlsProblemOf = async (
  { hosts, usesTls, caFile }: EventStoreDbAddress,
  timeoutMs: number,
): Promise<string | undefined> => {
  let context: SecureContext
  try {
    // Without TLS the file is not used, and need not be there.
    context = createSecureContext(usesTls && caFile !== undefined ? { ca: readFileSync(caFile) } : {})
  } catch (error) {
    return `the certificate that tlsCAFile names cannot be used (${messageOf(error)})`
  }
  for (const host of hosts) {
    const found = await handshake(host, context, timeoutMs)
    const at = `${host.host}:${host.port}`
    if (usesTls && found.kind === 'untrusted')
      return `the certificate of ${at} is not trusted (${found.why}); name the authority that has issued it with tlsCAFile`
    if (usesTls && found.kind === 'not TLS')
      return `${at} does not speak TLS, and the address asks for it; turn TLS on at the server, or write tls=false`
    if (!usesTls && (found.kind === 'spoken' || found.kind === 'untrusted'))
      return `${at} speaks TLS only, and the address says tls=false; write tls=true`
  }
  return undefined
}
