/**
 * How the test server answers appends, one call each or in batches over one call.
 */
import type { sendUnaryData, ServerDuplexStream, ServerReadableStream } from '@grpc/grpc-js'
import { failure, nameOf, streamDeleted } from './protocol.js'
import type { ServerFaults } from './ServerFaults.js'
import type { Expected, StoredEvent, StreamStore } from './StreamStore.js'
import { Any, Empty, grpc, sharedMessages, statusMessages, streamsMessages } from './stubs.js'

type AppendReq = InstanceType<typeof streamsMessages.AppendReq>
type AppendResp = InstanceType<typeof streamsMessages.AppendResp>
type BatchReq = InstanceType<typeof streamsMessages.BatchAppendReq>
type BatchResp = InstanceType<typeof streamsMessages.BatchAppendResp>
type Status = InstanceType<typeof statusMessages.Status>

/** What comes of an append; the two calls tell it in different words. */
type Outcome =
  | { readonly kind: 'taken'; readonly revision: number }
  | { readonly kind: 'wrong version'; readonly current: number }
  | { readonly kind: 'too large'; readonly limit: number }
  | { readonly kind: 'event too large'; readonly id: string; readonly bytes: number; readonly limit: number }
  | { readonly kind: 'denied' | 'deleted' | 'timeout' | 'unknown' | 'empty' }

/** What the server around these calls can do. */
export type AppendHost = {
  readonly store: StreamStore
  readonly faults: ServerFaults
  /** Why the call is not answered by this server, if so. */
  readonly refusal: (metadata: { readonly get: (key: string) => readonly unknown[] }) => Error | undefined
  readonly cut: () => void
  readonly end: () => void
}

type Proposed = { readonly stream: string; readonly expected: Expected; readonly events: readonly StoredEvent[] }

type Message =
  | InstanceType<typeof streamsMessages.AppendReq.ProposedMessage>
  | InstanceType<typeof streamsMessages.BatchAppendReq.ProposedMessage>

const eventOf = (message: Message): StoredEvent => ({
  id: message.getId()?.getString() ?? '',
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
})

export class AppendCalls {
  readonly #host: AppendHost

  constructor(host: AppendHost) {
    this.#host = host
  }

  /** One append, one call. */
  single(call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): void {
    let stream = ''
    let expected: Expected = 'any'
    const events: StoredEvent[] = []
    call.on('error', () => undefined)
    call.on('data', (request: AppendReq) => {
      const options = request.getOptions()
      if (options !== undefined) {
        stream = nameOf(options.getStreamIdentifier())
        if (options.hasNoStream()) expected = 'no_stream'
        else if (options.hasRevision()) expected = BigInt(options.getRevision())
        return
      }
      const message = request.getProposedMessage()
      if (message !== undefined) events.push(eventOf(message))
    })
    call.on('end', () => {
      const refused = this.#host.refusal(call.metadata)
      if (refused !== undefined) answer(refused)
      else this.#take({ stream, expected, events }, (outcome) => answerSingle(answer, outcome, stream))
    })
  }

  /** Many appends over one call, each with an id that comes back with its answer. */
  batches(call: ServerDuplexStream<BatchReq, BatchResp>): void {
    call.on('error', () => undefined)
    call.on('end', () => call.end())
    const open = new Map<string, Proposed & { readonly events: StoredEvent[] }>()
    call.on('data', (request: BatchReq) => {
      const id = request.getCorrelationId()?.getString() ?? ''
      const options = request.getOptions()
      if (options !== undefined) {
        const position = options.hasStreamPosition() ? BigInt(options.getStreamPosition()) : 'any'
        const expected = options.hasNoStream() ? 'no_stream' : position
        open.set(id, { stream: nameOf(options.getStreamIdentifier()), expected, events: [] })
      }
      const proposed = open.get(id)
      if (proposed === undefined) return
      proposed.events.push(...request.getProposedMessagesList().map(eventOf))
      if (!request.getIsFinal()) return
      open.delete(id)
      const refused = this.#host.refusal(call.metadata)
      // A server that no longer leads ends the whole call.
      if (refused !== undefined) call.emit('error', refused)
      else this.#take(proposed, (outcome) => void call.write(batchAnswer(request, outcome)))
    })
  }

  #take({ stream, expected, events }: Proposed, answer: (outcome: Outcome) => void): void {
    const { store, faults, cut, end } = this.#host
    if (faults.denies) {
      answer({ kind: 'denied' })
      return
    }
    const large = events.find((event) => bytesOf([event], true) > faults.maxEventBytes)
    if (large !== undefined) {
      answer({ kind: 'event too large', id: large.id, bytes: bytesOf([large], true), limit: faults.maxEventBytes })
      return
    }
    if (bytesOf(events, faults.countsMetadata) > faults.maxAppendBytes) {
      answer({ kind: 'too large', limit: faults.maxAppendBytes })
      return
    }
    if (store.deleted.has(stream)) {
      answer({ kind: 'deleted' })
      return
    }
    const fault = faults.take()
    switch (fault) {
      case 'lost request':
        return
      case 'cut before':
        cut()
        return
      case 'unknown error':
        answer({ kind: 'unknown' })
        return
      case 'disk full':
        answer({ kind: 'timeout' })
        // The answer is on its way before the server ends.
        setTimeout(end, 50)
        return
      case undefined:
      case 'lost answer':
      case 'late answer':
      case 'empty answer':
      case 'cut after':
    }
    const outcome = store.append(stream, expected, events)
    if (fault === 'cut after') cut()
    else if (fault === 'late answer') faults.keepBack(() => answer(outcome))
    else if (fault === 'empty answer') answer({ kind: 'empty' })
    else if (fault === undefined) answer(outcome)
  }
}

/** What the server counts against its limit. */
const bytesOf = (events: readonly StoredEvent[], countsMetadata: boolean): number =>
  events.reduce(
    (sum, { data, metadata, type }) => sum + data.length + (countsMetadata ? metadata.length + 2 * type.length : 0),
    0,
  )

const answerSingle = (answer: sendUnaryData<AppendResp>, outcome: Outcome, stream: string): void => {
  const response = new streamsMessages.AppendResp()
  switch (outcome.kind) {
    case 'taken': {
      const success = new streamsMessages.AppendResp.Success()
      success.setCurrentRevision(String(outcome.revision)).setNoPosition(new sharedMessages.Empty())
      answer(null, response.setSuccess(success))
      return
    }
    case 'wrong version': {
      const wrong = new streamsMessages.AppendResp.WrongExpectedVersion()
      if (outcome.current < 0) wrong.setCurrentNoStream(new sharedMessages.Empty())
      else wrong.setCurrentRevision(String(outcome.current))
      answer(null, response.setWrongExpectedVersion(wrong))
      return
    }
    case 'too large': {
      const limit = { 'maximum-append-size': String(outcome.limit) }
      answer(failure(grpc.status.INVALID_ARGUMENT, 'maximum-append-size-exceeded', limit))
      return
    }
    case 'deleted':
      answer(streamDeleted(stream))
      return
    case 'denied':
      answer(failure(grpc.status.PERMISSION_DENIED, 'access-denied'))
      return
    case 'timeout':
      answer(failure(grpc.status.ABORTED, '', {}, 'Operation timed out: Commit phase timeout'))
      return
    case 'event too large': {
      const details = `Event with Id: ${outcome.id}, Size: ${outcome.bytes}, exceeds Maximum Append Event Size of ${outcome.limit}.`
      answer(failure(grpc.status.INVALID_ARGUMENT, 'maximum-append-event-size-exceeded', {}, details))
      return
    }
    case 'empty':
      answer(null, response)
      return
    case 'unknown':
      answer(failure(grpc.status.UNKNOWN, 'unknown'))
  }
}

const statusOf = (type: string, details: { readonly serializeBinary: () => Uint8Array }): Status => {
  const packed = new Any()
  packed.pack(details.serializeBinary(), `event_store.client.${type}`)
  return new statusMessages.Status().setMessage(type).setDetails(packed)
}

const varint = (value: number): readonly number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]

/** A message that the client's stubs do not know: the event's id, its size, and the limit. */
const eventSizeDetails = ({ id, bytes, limit }: Extract<Outcome, { readonly kind: 'event too large' }>) => {
  const text = Buffer.from(id)
  const encoded = [0x0a, ...varint(text.length), ...text, 0x10, ...varint(bytes), 0x18, ...varint(limit)]
  return { serializeBinary: () => Uint8Array.from(encoded) }
}

const batchAnswer = (request: BatchReq, outcome: Outcome): BatchResp => {
  const response = new streamsMessages.BatchAppendResp().setCorrelationId(request.getCorrelationId())
  switch (outcome.kind) {
    case 'taken': {
      const success = new streamsMessages.BatchAppendResp.Success()
      success.setCurrentRevision(String(outcome.revision)).setNoPosition(new Empty())
      return response.setSuccess(success)
    }
    case 'wrong version': {
      const wrong = new sharedMessages.WrongExpectedVersion()
      if (outcome.current < 0) wrong.setCurrentNoStream(new Empty())
      else wrong.setCurrentStreamRevision(String(outcome.current))
      return response.setError(statusOf('WrongExpectedVersion', wrong))
    }
    case 'too large': {
      const exceeded = new sharedMessages.MaximumAppendSizeExceeded().setMaxappendsize(outcome.limit)
      return response.setError(statusOf('MaximumAppendSizeExceeded', exceeded))
    }
    case 'deleted':
      return response.setError(statusOf('StreamDeleted', new sharedMessages.StreamDeleted()))
    case 'denied':
      return response.setError(statusOf('AccessDenied', new sharedMessages.AccessDenied()))
    case 'timeout':
      return response.setError(statusOf('Timeout', new sharedMessages.Timeout()))
    case 'event too large':
      return response.setError(statusOf('MaximumAppendEventSizeExceeded', eventSizeDetails(outcome)))
    case 'empty':
      return response
    case 'unknown':
      return response.setError(statusOf('Unknown', new sharedMessages.Unknown()))
  }
}
