/**
 * One request to a node, over HTTP or TLS, and its answer as it begins to arrive. A node that does not answer is a typed
 * error that says why, and what would help.
 */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

export type Sending = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Whom to trust, in place of the usual roots. */
  readonly ca?: readonly string[] | undefined
}

/** What TLS says of a certificate that nobody it trusts has signed. */
const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const unavailable = (address: string, error: unknown): CarillonError => {
  // A refused connection to several addresses of a name has its reasons within.
  const why = messageOf(error) === '' ? codeOf(error) : messageOf(error)
  const hint = untrusted.test(codeOf(error)) ? ' Name the certificate that vouches for it with --ca <file>.' : ''
  return new CarillonError('address-unavailable', `${address} does not answer: ${why}.${hint}`, { address }, error)
}

export const sendRequest = (address: string, sending: Sending): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { method, headers, body, signal, ca } = sending
    const options = {
      method,
      headers: {
        ...headers,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(signal === undefined ? {} : { signal }),
    }
    const asked = address.startsWith('https:')
      ? requestHttps(address, { ...options, ...(ca === undefined ? {} : { ca: [...ca] }) })
      : requestHttp(address, options)
    asked.once('response', resolve)
    asked.once('error', (error) => reject(unavailable(address, error)))
    asked.end(body)
  })

/** The whole of an answer. */
export const textOf = async (answer: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
