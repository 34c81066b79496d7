/**
 * One request to a node, over its socket, HTTP or TLS, and its answer as it begins to arrive. A node that does not
 * answer is a typed error that says why, and what would help.
 */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

/** How a node is reached, and what is said of oneself on the way. */
export type Way = { readonly headers: Readonly<Record<string, string>> } & (
  | { readonly socketPath: string }
  /** `ca` is whom to trust, in place of the usual roots. */
  | { readonly url: string; readonly ca: readonly string[] | undefined }
)

export type Sending = {
  readonly method: string
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What TLS says of a certificate that nobody it trusts has signed. */
const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/

/** Nobody listens: the socket is not there, or the process that made it is gone. */
const nobodyListens: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'])

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const unavailable = (address: string, error: unknown): CarillonError => {
  // A refused connection to several addresses of a name has its reasons within.
  const why = messageOf(error) === '' ? codeOf(error) : messageOf(error)
  const hint = untrusted.test(codeOf(error)) ? ' Name the certificate that vouches for it with --ca <file>.' : ''
  return new CarillonError('address-unavailable', `${address} does not answer: ${why}.${hint}`, { address }, error)
}

const socketFailed = (path: string, error: unknown): CarillonError =>
  error instanceof Error && 'syscall' in error && error.syscall === 'connect'
    ? new CarillonError(
        'store-not-writable',
        `The control socket ${path} cannot be opened: ${messageOf(error)}. Only the user who runs the node may use it.`,
        { path },
        error,
      )
    : new CarillonError(
        'node-stopped',
        'The node went away before it answered. Look with "carillon log show" whether the request was recorded before you repeat it.',
        {},
        error,
      )

/** Undefined when no node listens on the socket. */
export const sendRequest = (way: Way, path: string, sending: Sending): Promise<IncomingMessage | undefined> =>
  new Promise((resolve, reject) => {
    const { method, body, signal } = sending
    const options = {
      method,
      headers: {
        ...way.headers,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      },
      // Each request has its own connection: none can be closed by the node just when it is used again.
      agent: false as const,
      ...(signal === undefined ? {} : { signal }),
    }
    if ('socketPath' in way) {
      const asked = requestHttp({ ...options, socketPath: way.socketPath, path, host: 'localhost' })
      asked.once('response', resolve)
      asked.once('error', (error) =>
        nobodyListens.has(codeOf(error)) ? resolve(undefined) : reject(socketFailed(way.socketPath, error)),
      )
      asked.end(body)
      return
    }
    const { url, ca } = way
    const address = `${url.replace(/\/$/, '')}${path}`
    try {
      const asked = address.startsWith('https:')
        ? requestHttps(address, { ...options, ...(ca === undefined ? {} : { ca: [...ca] }) })
        : requestHttp(address, options)
      asked.once('response', resolve)
      asked.once('error', (error) => reject(unavailable(address, error)))
      asked.end(body)
    } catch (error) {
      reject(unavailable(address, error))
    }
  })

/** The whole of an answer. */
export const textOf = async (answer: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
