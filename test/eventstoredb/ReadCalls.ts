/**
 * How the test server answers reads and subscriptions.
 */
import { nameOf, recordedBytes, streamDeleted, type ReadCall } from './protocol.js'
import { sharedMessages, streamsMessages } from './stubs.js'
import type { StreamStore } from './StreamStore.js'

/** Events sent in one turn of the event loop. */
const eventsPerTurn = 500

/** Where a subscription shows that its stream was deleted for good. */
const tombstoneRevision = 2n ** 63n - 1n

export class ReadCalls {
  readonly #store: StreamStore
  readonly #subscriptions = new Set<() => void>()

  constructor(store: StreamStore) {
    this.#store = store
  }

  answer(call: ReadCall): void {
    const options = call.request.getOptions()
    const from = options?.getStream()
    const stream = nameOf(from?.getStreamIdentifier())
    const given = from?.hasRevision() === true ? Number(from.getRevision()) : undefined
    if (options?.hasSubscription() === true) this.#subscribe(call, stream, given === undefined ? 0 : given + 1)
    else if (this.#store.deleted.has(stream)) call.emit('error', streamDeleted(stream))
    else this.#read(call, stream, given)
  }

  /** Sends nothing more to those who have subscribed, and does not tell them. */
  forgetSubscriptions(): void {
    for (const forget of [...this.#subscriptions]) forget()
  }

  #read(call: ReadCall, stream: string, given: number | undefined): void {
    const options = call.request.getOptions()
    const events = this.#store.eventsOf(stream)
    const { from, until } = this.#store.visible(stream)
    if (until === 0 || this.#store.isDeletedSoftly(stream)) {
      const missing = new streamsMessages.ReadResp.StreamNotFound()
      const identifier = new sharedMessages.StreamIdentifier()
      missing.setStreamIdentifier(identifier.setStreamName(Buffer.from(stream).toString('base64')))
      const response = new streamsMessages.ReadResp()
      response.setStreamNotFound(missing)
      call.write(response)
      call.end()
      return
    }
    const isBackwards = Number(options?.getReadDirection()) === 1
    const step = isBackwards ? -1 : 1
    // What is gone is skipped without a word.
    let revision = isBackwards ? Math.min(given ?? until - 1, until - 1) : Math.max(given ?? 0, from)
    const send = (left: number): void => {
      for (let count = 0; left > 0 && count < eventsPerTurn; count++, left--, revision += step) {
        const event = revision < from || revision >= until ? undefined : events[revision]
        if (event === undefined || call.cancelled || call.destroyed) {
          call.end()
          return
        }
        call.write(recordedBytes(stream, revision, event))
      }
      if (left > 0) setImmediate(() => send(left))
      else call.end()
    }
    send(Number(options?.getCount() ?? 0))
  }

  #subscribe(call: ReadCall, stream: string, from: number): void {
    let next = from
    let hasEnded = false
    const confirmation = new streamsMessages.ReadResp.SubscriptionConfirmation()
    confirmation.setSubscriptionId('test')
    const response = new streamsMessages.ReadResp()
    response.setConfirmation(confirmation)
    call.write(response)
    const unwatch = (): void => {
      this.#subscriptions.delete(unwatch)
      forget()
    }
    this.#subscriptions.add(unwatch)
    const send = (): void => {
      if (call.destroyed || call.cancelled) {
        unwatch()
        return
      }
      const events = this.#store.eventsOf(stream)
      next = Math.max(next, Math.min(this.#store.visible(stream).from, events.length))
      for (; next < events.length; next++) {
        const event = events[next]
        if (event !== undefined) call.write(recordedBytes(stream, next, event))
      }
      if (!this.#store.deleted.has(stream) || hasEnded) return
      hasEnded = true
      const empty = new Uint8Array()
      const deleted = { id: '', type: '$streamDeleted', contentType: 'application/json', data: empty, metadata: empty }
      call.write(recordedBytes(stream, tombstoneRevision, deleted))
    }
    const forget = this.#store.watch(send)
    call.on('cancelled', unwatch)
    call.on('error', unwatch)
    send()
  }
}
