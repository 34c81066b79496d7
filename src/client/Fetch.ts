/**
 * The way to a node, as the client needs it: the `fetch` of browsers and of Node.js, or a function that does the same over
 * a socket, a proxy or a TLS connection of its own.
 */

/** One request, as it is given to `fetch`. */
export type FetchRequest = {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly signal: AbortSignal
}

/** The bytes of an answer, as they come. */
export type FetchBody = {
  readonly getReader: () => {
    readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
    readonly cancel: () => Promise<void>
  }
}

/** What the client uses of an answer. */
export type FetchAnswer = {
  readonly ok: boolean
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly body: FetchBody | null
  readonly text: () => Promise<string>
}

/** Sends one request and gives its answer as it begins to arrive. */
export type Fetch = (address: string, request: FetchRequest) => Promise<FetchAnswer>
