/**
 * Pieces of EventStoreDB's protocol that several calls of the test server share.
 */
import type { ServerWritableStream } from '@grpc/grpc-js'
import { grpc, sharedMessages, streamsMessages } from './stubs.js'
import type { StoredEvent } from './StreamStore.js'

export type ReadReq = InstanceType<typeof streamsMessages.ReadReq>
export type ReadResp = InstanceType<typeof streamsMessages.ReadResp>
/** A call to read; events are sent as bytes. */
export type ReadCall = ServerWritableStream<ReadReq, ReadResp | Buffer>

/** The status with which a call ends in an error. */
export const failure = (
  code: number,
  exception: string,
  metadata: Readonly<Record<string, string>> = {},
  details = exception,
): Error => {
  const trailers = new grpc.Metadata()
  trailers.add('exception', exception)
  for (const [key, value] of Object.entries(metadata)) trailers.add(key, value)
  return Object.assign(new Error(details), { code, details, metadata: trailers })
}

export const streamDeleted = (stream: string): Error =>
  failure(grpc.status.FAILED_PRECONDITION, 'stream-deleted', { 'stream-name': stream })

export const nameOf = (identifier: InstanceType<typeof sharedMessages.StreamIdentifier> | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')

const encoded = new WeakMap<StoredEvent, Buffer>()

/** An event as it is sent to readers, in bytes: what is read often need not be encoded often. */
export const recordedBytes = (stream: string, revision: number | bigint, event: StoredEvent): Buffer => {
  const known = encoded.get(event)
  if (known !== undefined) return known
  const bytes = Buffer.from(recorded(stream, revision, event).serializeBinary())
  encoded.set(event, bytes)
  return bytes
}

/** An answer to a reader as the server sends it: encoded already, or not. */
export const answerBytes = (answer: ReadResp | Buffer): Buffer =>
  Buffer.isBuffer(answer) ? answer : Buffer.from(answer.serializeBinary())

/** An event as it is sent to readers. */
const recorded = (stream: string, revision: number | bigint, event: StoredEvent): ReadResp => {
  const { ReadResp } = streamsMessages
  const record = new ReadResp.ReadEvent.RecordedEvent()
  const id = new sharedMessages.UUID()
  id.setString(event.id)
  const identifier = new sharedMessages.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream).toString('base64'))
  record.setId(id).setStreamIdentifier(identifier).setStreamRevision(String(revision))
  // Positions are byte offsets on a real server, with gaps between them.
  const position = String((BigInt(revision) % 1_000_000_000n) * 997n)
  record.setCommitPosition(position).setPreparePosition(position)
  record.getMetadataMap().set('type', event.type)
  record.getMetadataMap().set('content-type', event.contentType)
  record.getMetadataMap().set('created', '17000000000000000')
  record.setData(event.data).setCustomMetadata(event.metadata)
  const resolved = new ReadResp.ReadEvent()
  resolved.setEvent(record).setNoPosition(new sharedMessages.Empty())
  const response = new ReadResp()
  response.setEvent(resolved)
  return response
}
