/**
 * Whether the servers of an address speak TLS as the address says. The client tells no more than that it cannot connect;
 * a handshake of our own tells why.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { messageOf } from '../../errors/CarillonError.js'
import type { EventStoreDbAddress } from './EventStoreDbAddress.js'

/** How a handshake ended. */
type Handshake =
  | { readonly kind: 'spoken' }
  | { readonly kind: 'untrusted'; readonly why: string }
  /** Something answers, and not with TLS. */
  | { readonly kind: 'not TLS' }
  /** Nobody is there, or nobody answers. */
  | { readonly kind: 'nobody' }

const noTls = /wrong version number|packet length too long|http request|EPROTO|SSL routines/

/** A certificate is refused with a code such as DEPTH_ZERO_SELF_SIGNED_CERT. */
const isCertificateError = (error: NodeJS.ErrnoException): boolean =>
  /CERT|ISSUER|SIGNATURE|ALTNAME/.test(error.code ?? '')

const handshake = (
  { host, port }: EventStoreDbAddress['hosts'][number],
  caFile: string | undefined,
  timeoutMs: number,
): Promise<Handshake> =>
  new Promise((resolve) => {
    const socket: TLSSocket = connect({
      host,
      port,
      ALPNProtocols: ['h2'],
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
    })
    let isConnected = false
    const end = (result: Handshake): void => {
      socket.destroy()
      resolve(result)
    }
    socket.setTimeout(timeoutMs, () => end({ kind: 'nobody' }))
    socket.once('connect', () => (isConnected = true))
    socket.once('secureConnect', () => end({ kind: 'spoken' }))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (isCertificateError(error)) end({ kind: 'untrusted', why: messageOf(error) })
      else end({ kind: isConnected && noTls.test(`${error.code ?? ''} ${error.message}`) ? 'not TLS' : 'nobody' })
    })
  })

/** What to change about TLS in an address; undefined when TLS is not what keeps the servers from answering. */
export const tlsProblemOf = async (
  { hosts, usesTls, caFile }: EventStoreDbAddress,
  timeoutMs: number,
): Promise<string | undefined> => {
  for (const host of hosts) {
    const found = await handshake(host, caFile, timeoutMs)
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
