/**
 * How the client of the command reaches a node: over the socket in its store folder, over HTTP, or over TLS with whom the
 * user trusts. A node that does not answer is a typed error that says why, and what would help.
 */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Fetch, FetchAnswer, FetchRequest } from '../client/Fetch.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { controlPath } from '../folder/controlAddress.js'
import { holderOf } from '../folder/folderHolder.js'
import { operatorHeader } from '../http/operatorHeader.js'
import { operatorName } from './operatorName.js'
import { storeHint } from './verb.js'

/** What TLS says of a certificate that nobody it trusts has signed. */
const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/

/** Nobody listens: the socket is not there, or the process that made it is gone. */
const nobodyListens: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'])

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const notRunning = (store: string): CarillonError => {
  const holder = holderOf(store)
  return holder === undefined
    ? new CarillonError(
        'node-not-running',
        `No node runs on ${store}, and only a node that runs can answer this. Start one with: carillon run <app-module>${storeHint(store)}`,
        { store },
      )
    : new CarillonError(
        'node-not-running',
        `Process ${holder.pid} holds ${store} but does not listen to commands. It is starting or stopping, or it runs the node without "carillon run".`,
        { store, pid: holder.pid },
      )
}

const socketFailed = (store: string, path: string, error: unknown): CarillonError => {
  if (nobodyListens.has(codeOf(error))) return notRunning(store)
  return error instanceof Error && 'syscall' in error && error.syscall === 'connect'
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
}

const unavailable = (address: string, error: unknown): CarillonError => {
  // A refused connection to several addresses of a name has its reasons within.
  const why = messageOf(error) === '' ? codeOf(error) : messageOf(error)
  const hint = untrusted.test(codeOf(error)) ? ' Name the certificate that vouches for it with --ca <file>.' : ''
  return new CarillonError('address-unavailable', `${address} does not answer: ${why}.${hint}`, { address }, error)
}

/** An answer as `fetch` gives it. A live stream that breaks off has ended; any other answer that does is told as `failed` says. */
const answerOf = (incoming: IncomingMessage, failed: (error: unknown) => CarillonError): FetchAnswer => {
  const { statusCode: status = 0, headers } = incoming
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  const answer = new Response(ReadableStream.from(incoming), { status, headers: Object.fromEntries(given) })
  const text = async (): Promise<string> => {
    try {
      return await answer.text()
    } catch (error) {
      throw failed(error)
    }
  }
  return { ok: answer.ok, status, headers: answer.headers, body: answer.body, text }
}

type Send = (heard: (answer: IncomingMessage) => void) => ReturnType<typeof requestHttp>

const exchange = (send: Send, body: string | undefined, failed: (error: unknown) => CarillonError) =>
  new Promise<FetchAnswer>((resolve, reject) => {
    try {
      const asked = send((incoming) => resolve(answerOf(incoming, failed)))
      asked.once('error', (error) => reject(failed(error)))
      asked.end(body)
    } catch (error) {
      reject(failed(error))
    }
  })

/** Each request has its own connection: none can be closed by the node just when it is used again. */
const optionsOf = ({ method, headers, body, signal }: FetchRequest) => ({
  method,
  headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }) },
  agent: false as const,
  signal,
})

/** Over the socket of the node that runs on a store, as the user of this machine where there is no token. */
export const socketFetch =
  (store: string): Fetch =>
  (address, request) => {
    const socketPath = controlPath(store)
    if (socketPath === undefined) return Promise.reject(notRunning(store))
    const { pathname, search } = new URL(address)
    const { headers } = request
    const acting = 'authorization' in headers ? {} : { [operatorHeader]: encodeURIComponent(operatorName()) }
    const options = { ...optionsOf({ ...request, headers: { ...headers, ...acting } }), socketPath }
    return exchange(
      (heard) => requestHttp({ ...options, path: `${pathname}${search}`, host: 'localhost' }, heard),
      request.body,
      (error) => socketFailed(store, socketPath, error),
    )
  }

/** Over HTTP or TLS; `ca` is whom to trust, in place of the usual roots. */
export const urlFetch =
  (ca: readonly string[] | undefined): Fetch =>
  (address, request) => {
    const options = optionsOf(request)
    const send: Send = (heard) =>
      address.startsWith('https:')
        ? requestHttps(address, { ...options, ...(ca === undefined ? {} : { ca: [...ca] }) }, heard)
        : requestHttp(address, options, heard)
    return exchange(send, request.body, (error) => unavailable(address, error))
  }
