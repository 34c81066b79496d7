/**
 * Appends over one open call of a client, which is faster than a call an append. Every answer is matched with its append
 * by an id. An answer that comes after its append was given up is ignored; when the call ends, its appends end with it.
 */
import { randomUUID } from 'node:crypto'
import {
  AccessDeniedError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  TimeoutError,
  UnavailableError,
  UnknownError,
  WrongExpectedVersionError,
  convertToCommandError,
  type BinaryEventData,
} from '@eventstore/db-client'
import sharedMessages from '@eventstore/db-client/generated/shared_pb.js'
import streamsMessages from '@eventstore/db-client/generated/streams_pb.js'
import { numberIn } from './decodeAnswer.js'
import { EventTooLargeError } from './eventStoreDbFailure.js'
import type { BatchAppendCall, LogClient } from './LogClient.js'

const { BatchAppendReq } = streamsMessages

type Answer = InstanceType<typeof streamsMessages.BatchAppendResp>
type Status = NonNullable<ReturnType<Answer['getError']>>
type Id = InstanceType<typeof sharedMessages.UUID>

/** An append that waits for its answer. */
type Pending = { readonly resolve: () => void; readonly reject: (error: Error) => void }

/** One open call, the appends that wait for an answer on it, and how it ended. */
type OpenCall = { readonly call: BatchAppendCall; readonly pending: Map<string, Pending>; ended?: Error }

/** The server answers with the id as text, or with its two halves as signed numbers. */
const textOf = (id: Id | undefined): string => {
  const halves = id?.getStructured()
  if (halves === undefined) return (id?.getString() ?? '').replaceAll('-', '')
  return [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('')
}

const requestOf = (
  id: string,
  stream: string,
  expectedRevision: bigint,
  events: readonly BinaryEventData[],
): InstanceType<typeof BatchAppendReq> => {
  const identifier = new sharedMessages.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream).toString('base64'))
  // No deadline: it would be an instant of this machine's clock, and the server's may differ.
  const options = new BatchAppendReq.Options()
  options.setStreamIdentifier(identifier).setStreamPosition(expectedRevision.toString())
  const correlation = new sharedMessages.UUID()
  correlation.setString(id)
  const request = new BatchAppendReq()
  request.setCorrelationId(correlation).setOptions(options).setIsFinal(true)
  request.setProposedMessagesList(
    events.map((event) => {
      const message = new BatchAppendReq.ProposedMessage()
      const eventId = new sharedMessages.UUID()
      eventId.setString(event.id)
      message.setId(eventId).setData(event.data)
      message.setCustomMetadata(Buffer.from(JSON.stringify(event.metadata)))
      message.getMetadataMap().set('type', event.type).set('content-type', event.contentType)
      return message
    }),
  )
  return request
}

/** What the server has said instead of yes, as the error the client itself would throw. */
const errorOf = (status: Status, stream: string): Error => {
  const details = status.getDetails()
  switch (details?.getTypeName()) {
    case 'event_store.client.WrongExpectedVersion': {
      const wrong = sharedMessages.WrongExpectedVersion.deserializeBinary(details.getValue_asU8())
      return WrongExpectedVersionError.fromWrongExpectedVersion(wrong, stream)
    }
    case 'event_store.client.MaximumAppendSizeExceeded': {
      const exceeded = sharedMessages.MaximumAppendSizeExceeded.deserializeBinary(details.getValue_asU8())
      return MaxAppendSizeExceededError.fromMaxAppendSize(exceeded.getMaxappendsize())
    }
    // Newer than the client: the event's id, its size, and the limit.
    case 'event_store.client.MaximumAppendEventSizeExceeded': {
      const [bytes, limit] = [2, 3].map((field) => numberIn(Buffer.from(details.getValue_asU8()), field) ?? 0)
      return new EventTooLargeError(`it has ${bytes} bytes, and at most ${limit} are taken`)
    }
    case 'event_store.client.StreamDeleted':
      return StreamDeletedError.fromStreamName(stream)
    case 'event_store.client.AccessDenied':
      return new AccessDeniedError(undefined, 'the server denies access to the stream')
    case 'event_store.client.Timeout':
      return new TimeoutError(undefined, 'the server gave the append up: it took too long there')
    case undefined:
    default:
      return new UnknownError(undefined, status.getMessage() || 'the server has met an error it does not name')
  }
}

export class BatchAppends {
  readonly #client: LogClient
  #open: Promise<OpenCall> | undefined

  constructor(client: LogClient) {
    this.#client = client
  }

  /** Resolves when the server has the events; rejects with what it has said, or with the end of the call. */
  async append(stream: string, expectedRevision: bigint, events: readonly BinaryEventData[]): Promise<void> {
    this.#open ??= this.#openCall(stream)
    const opening = this.#open
    let opened: OpenCall
    try {
      opened = await opening
    } catch (error) {
      if (this.#open === opening) this.#open = undefined
      throw error
    }
    if (opened.ended !== undefined) throw opened.ended
    const id = randomUUID()
    await new Promise<void>((resolve, reject) => {
      opened.pending.set(id.replaceAll('-', ''), { resolve, reject })
      opened.call.write(requestOf(id, stream, expectedRevision, events))
    })
  }

  async #openCall(stream: string): Promise<OpenCall> {
    const call = await this.#client.openBatchAppends()
    const pending = new Map<string, Pending>()
    const opened: OpenCall = { call, pending }
    const end = (error: Error): void => {
      opened.ended ??= error
      this.#open = undefined
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    }
    call.on('data', (answer: Answer) => {
      const id = textOf(answer.getCorrelationId())
      const waiting = pending.get(id)
      pending.delete(id)
      const status = answer.getError()
      if (status !== undefined) waiting?.reject(errorOf(status, stream))
      else if (answer.hasSuccess()) waiting?.resolve()
      else waiting?.reject(new UnknownError(undefined, 'the server has answered neither yes nor no'))
    })
    call.on('error', (error: Error) => end(convertToCommandError(error)))
    call.on('end', () => end(new UnavailableError(undefined, 'the server has ended the call')))
    return opened
  }
}
