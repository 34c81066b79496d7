/**
 * The EventStoreDB client with what Carillon needs of it beyond its public methods: its channel, the server's version,
 * and calls of our own for reads and batch appends. The class adds methods and no fields.
 */
import { EventStoreDBClient } from '@eventstore/db-client'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import type featuresMessages from '@eventstore/db-client/generated/serverfeatures_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import sharedMessages from '@eventstore/db-client/generated/shared_pb.js'
import streamsMessages from '@eventstore/db-client/generated/streams_pb.js'
import { messageOf } from '../../errors/CarillonError.js'
import { addressInvalid, type EventStoreDbAddress } from './EventStoreDbAddress.js'
import { decodeAnswer } from './decodeAnswer.js'

/** The open call over which batch appends go, and their answers come back. */
export type BatchAppendCall = ReturnType<InstanceType<typeof streamsService.StreamsClient>['batchAppend']>

/** The open call over which the answers to a read come. */
export type ReadCall = ReturnType<InstanceType<typeof streamsService.StreamsClient>['makeServerStreamRequest']>

/** What is read of a stream. */
export type ReadRequest = {
  readonly stream: string
  /** The revision to begin with; the end when it is not given. */
  readonly fromRevision?: number
  readonly isBackwards?: boolean
  readonly maxCount: number
}

/** What a server says about itself. */
export type ServerFeatures = { readonly version: string; readonly takesBatches: boolean }

/** Whether a server is too old to be asked: it answers with status 12. */
const isUnimplemented = ({ code }: { readonly code: number }): boolean => code === 12

const featuresOf = (answer: InstanceType<typeof featuresMessages.SupportedMethods>): ServerFeatures => {
  const batchAppend = streamsService.StreamsService.batchAppend.path.toLowerCase()
  const takesBatches = answer
    .getMethodsList()
    .some((method) => `/${method.getServiceName()}/${method.getMethodName()}`.toLowerCase() === batchAppend)
  return { version: answer.getEventStoreServerVersion(), takesBatches }
}

/** A connection to one server, which can be closed. */
export type Channel = { readonly close: () => void }

const readRequest = ({ stream, fromRevision, isBackwards = false, maxCount }: ReadRequest) => {
  const { Options } = streamsMessages.ReadReq
  const identifier = new sharedMessages.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream).toString('base64'))
  const place = new Options.StreamOptions()
  place.setStreamIdentifier(identifier)
  if (fromRevision === undefined) place.setEnd(new sharedMessages.Empty())
  else place.setRevision(String(fromRevision))
  const ids = new Options.UUIDOption()
  ids.setString(new sharedMessages.Empty())
  const options = new Options()
  options.setStream(place).setCount(String(maxCount)).setUuidOption(ids).setNoFilter(new sharedMessages.Empty())
  options.setReadDirection(isBackwards ? Options.ReadDirection.BACKWARDS : Options.ReadDirection.FORWARDS)
  const request = new streamsMessages.ReadReq()
  request.setOptions(options)
  return request
}

export class LogClient extends EventStoreDBClient {
  static connect({ connectionString }: EventStoreDbAddress): LogClient {
    let client: EventStoreDBClient
    try {
      client = EventStoreDBClient.connectionString(connectionString)
    } catch (error) {
      throw addressInvalid(messageOf(error).split('\n')[0] ?? '')
    }
    // The client's own batch appends share one table in the whole process, have no deadline, and tell the server an
    // instant of this machine's clock. When it believes that the server does not know them, it never uses them.
    Object.defineProperty(client, 'supports', { value: () => Promise.resolve(false) })
    // The only factory that reads connection strings makes the client's own class.
    Object.setPrototypeOf(client, LogClient.prototype)
    if (!(client instanceof LogClient)) throw addressInvalid('the client cannot be used')
    return client
  }

  /** Finds the server to talk to, if that is still to be done. */
  channel(): Promise<Channel> {
    return this.getChannel()
  }

  /** What the server says about itself. The client's own question for it has no deadline. */
  features(deadlineMs: number): Promise<ServerFeatures> {
    return this.execute(
      featuresService.ServerFeaturesClient,
      'getSupportedMethods',
      (client) =>
        new Promise<ServerFeatures>((resolve, reject) => {
          client.getSupportedMethods(
            new sharedMessages.Empty(),
            ...this.callArguments({ deadline: deadlineMs }),
            (error, answer) => {
              if (error === null) resolve(featuresOf(answer))
              else if (isUnimplemented(error)) resolve({ version: 'unknown', takesBatches: false })
              else reject(error)
            },
          )
        }),
    )
  }

  /** Reads from the leader. The call gives every answer as {@link decodeAnswer} has read it. */
  openRead(request: ReadRequest): Promise<ReadCall> {
    const { path, requestSerialize } = streamsService.StreamsService.read
    const open = this.GRPCStreamCreator(streamsService.StreamsClient, 'readStream', (client) =>
      client.makeServerStreamRequest(
        path,
        requestSerialize,
        decodeAnswer,
        readRequest(request),
        ...this.callArguments({ requiresLeader: true }, { deadline: Infinity }),
      ),
    )
    return open()
  }

  /** Opens a call for batch appends to the leader. It has no deadline; each append has one of ours. */
  openBatchAppends(): Promise<BatchAppendCall> {
    const open = this.GRPCStreamCreator(streamsService.StreamsClient, 'batchAppend', (client) =>
      client.batchAppend(...this.callArguments({ requiresLeader: true }, { deadline: Infinity })),
    )
    return open()
  }
}
