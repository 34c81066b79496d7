/**
 * A small server that speaks EventStoreDB's protocol, so that the real client can be tested without the real server, and
 * with faults that a real one cannot be asked for. It is a test tool and no database: it keeps everything in memory.
 */
import type { sendUnaryData, ServerReadableStream, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js'
import { StreamStore, type Expected, type StoredEvent } from './StreamStore.js'
import {
  featuresMessages,
  featuresService,
  gossipMessages,
  gossipService,
  grpc,
  sharedMessages,
  streamsMessages,
  streamsService,
} from './stubs.js'

/** What the next append meets. */
export type AppendFault =
  /** Taken, but never answered. */
  | 'lost answer'
  /** Taken, and the connection is cut before the answer. */
  | 'cut after'
  /** The connection is cut before anything was taken. */
  | 'cut before'
  /** Never taken, never answered. */
  | 'lost request'
  /** The server has no room left. */
  | 'no room'

type ReadReq = InstanceType<typeof streamsMessages.ReadReq>
type ReadResp = InstanceType<typeof streamsMessages.ReadResp>
type AppendReq = InstanceType<typeof streamsMessages.AppendReq>
type AppendResp = InstanceType<typeof streamsMessages.AppendResp>

/** The servers of one cluster: they share what they hold, and one of them leads. */
export class Cluster {
  readonly store = new StreamStore()
  readonly servers: EventStoreDbServer[] = []
  leader = 0

  static async start(size = 1): Promise<Cluster> {
    const cluster = new Cluster()
    for (let index = 0; index < size; index++) cluster.servers.push(await EventStoreDbServer.start(cluster))
    return cluster
  }

  /** Several hosts make the client ask around for the leader; one host does not. */
  url(stream: string): string {
    const hosts = this.servers.map(({ port }) => `127.0.0.1:${port}`).join(',')
    return `esdb://${hosts}?tls=false&discoveryInterval=50&maxDiscoverAttempts=3&gossipTimeout=1&stream=${stream}`
  }

  async close(): Promise<void> {
    for (const server of this.servers) await server.stop()
  }
}

const failure = (code: number, exception: string, metadata: Readonly<Record<string, string>> = {}) => {
  const details = new grpc.Metadata()
  details.add('exception', exception)
  for (const [key, value] of Object.entries(metadata)) details.add(key, value)
  return Object.assign(new Error(exception), { code, details: exception, metadata: details })
}

const nameOf = (identifier: InstanceType<typeof sharedMessages.StreamIdentifier> | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')

export class EventStoreDbServer {
  readonly #cluster: Cluster
  readonly #faults: AppendFault[] = []
  #server = new grpc.Server()
  port = 0
  /** The server's limit for one append. */
  maxAppendBytes = 1024 * 1024
  /** When set, nobody is let in. */
  denies = false
  /** How long every answer takes. */
  delayMs = 0
  /** How often each call was made. */
  readonly calls = { append: 0, batchAppend: 0, read: 0 }

  private constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  static async start(cluster: Cluster): Promise<EventStoreDbServer> {
    const server = new EventStoreDbServer(cluster)
    await server.resume()
    return server
  }

  /** What the next appends meet, one fault each. */
  next(...faults: readonly AppendFault[]): void {
    this.#faults.push(...faults)
  }

  get isLeader(): boolean {
    return this.#cluster.servers[this.#cluster.leader] === this
  }

  /** Cuts all connections and listens no more. */
  async stop(): Promise<void> {
    this.#server.forceShutdown()
    await Promise.resolve()
  }

  /** Listens again, where it did before. */
  async resume(): Promise<void> {
    this.#server = new grpc.Server({ 'grpc.max_receive_message_length': 32 * 1024 * 1024 })
    this.#server.addService(streamsService.StreamsService, {
      read: (call: ServerWritableStream<ReadReq, ReadResp>) => this.#later(() => this.#read(call)),
      append: (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>) =>
        this.#append(call, answer),
      delete: () => undefined,
      tombstone: () => undefined,
      batchAppend: () => {
        this.calls.batchAppend += 1
      },
    })
    this.#server.addService(gossipService.GossipService, {
      read: (_: unknown, answer: sendUnaryData<InstanceType<typeof gossipMessages.ClusterInfo>>) => {
        answer(null, this.#gossip())
      },
    })
    this.#server.addService(featuresService.ServerFeaturesService, {
      getSupportedMethods: (
        _: ServerUnaryCall<unknown, unknown>,
        answer: sendUnaryData<InstanceType<typeof featuresMessages.SupportedMethods>>,
      ) => {
        const methods = new featuresMessages.SupportedMethods()
        methods.setEventStoreServerVersion('24.10.0')
        answer(null, methods)
      },
    })
    this.port = await new Promise((resolve, reject) => {
      this.#server.bindAsync(`127.0.0.1:${this.port}`, grpc.ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      )
    })
  }

  /** Cuts all connections; new ones are taken at once. */
  async cut(): Promise<void> {
    await this.stop()
    await this.resume()
  }

  #later(work: () => void): void {
    if (this.delayMs === 0) work()
    else setTimeout(work, this.delayMs)
  }

  #gossip(): InstanceType<typeof gossipMessages.ClusterInfo> {
    const { ClusterInfo, EndPoint, MemberInfo } = gossipMessages
    const info = new ClusterInfo()
    for (const server of this.#cluster.servers) {
      const member = new MemberInfo()
      const place = new EndPoint()
      place.setAddress('127.0.0.1').setPort(server.port)
      member.setHttpEndPoint(place).setIsAlive(true).setTimeStamp('0')
      member.setState(server.isLeader ? MemberInfo.VNodeState.LEADER : MemberInfo.VNodeState.FOLLOWER)
      const id = new sharedMessages.UUID()
      id.setString(`00000000-0000-4000-8000-${server.port.toString().padStart(12, '0')}`)
      member.setInstanceId(id)
      info.addMembers(member)
    }
    return info
  }

  /** Why a call is not answered here, if so. */
  #refusal(metadata: { readonly get: (key: string) => readonly unknown[] }): Error | undefined {
    if (this.denies) return failure(grpc.status.PERMISSION_DENIED, 'access-denied')
    if (metadata.get('requires-leader').length === 0 || this.isLeader) return undefined
    const leader = this.#cluster.servers[this.#cluster.leader]
    return failure(grpc.status.NOT_FOUND, 'not-leader', {
      'leader-endpoint-host': '127.0.0.1',
      'leader-endpoint-port': String(leader?.port ?? 0),
    })
  }

  #append(call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): void {
    this.calls.append += 1
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
      if (message === undefined) return
      events.push({
        id: message.getId()?.getString() ?? '',
        type: message.getMetadataMap().get('type') ?? '',
        contentType: message.getMetadataMap().get('content-type') ?? '',
        data: message.getData_asU8(),
        metadata: message.getCustomMetadata_asU8(),
      })
    })
    call.on('end', () => this.#later(() => this.#take(stream, expected, events, call, answer)))
  }

  #take(
    stream: string,
    expected: Expected,
    events: readonly StoredEvent[],
    call: ServerReadableStream<AppendReq, AppendResp>,
    answer: sendUnaryData<AppendResp>,
  ): void {
    const refused = this.#refusal(call.metadata)
    if (refused !== undefined) {
      answer(refused)
      return
    }
    const bytes = events.reduce(
      (sum, { data, metadata, type }) => sum + data.length + metadata.length + 2 * type.length,
      0,
    )
    if (bytes > this.maxAppendBytes) {
      answer(
        failure(grpc.status.INVALID_ARGUMENT, 'maximum-append-size-exceeded', {
          'maximum-append-size': String(this.maxAppendBytes),
        }),
      )
      return
    }
    if (this.#cluster.store.deleted.has(stream)) {
      answer(failure(grpc.status.FAILED_PRECONDITION, 'stream-deleted', { 'stream-name': stream }))
      return
    }
    const fault = this.#faults.shift()
    if (fault === 'lost request') return
    if (fault === 'cut before') {
      void this.cut()
      return
    }
    if (fault === 'no room') {
      answer(failure(grpc.status.UNKNOWN, 'unknown'))
      return
    }
    const taken = this.#cluster.store.append(stream, expected, events)
    if (fault === 'lost answer') return
    if (fault === 'cut after') {
      void this.cut()
      return
    }
    const response = new streamsMessages.AppendResp()
    if (taken.kind === 'taken') {
      const success = new streamsMessages.AppendResp.Success()
      success.setCurrentRevision(String(taken.revision))
      success.setNoPosition(new sharedMessages.Empty())
      response.setSuccess(success)
    } else {
      const wrong = new streamsMessages.AppendResp.WrongExpectedVersion()
      if (taken.current < 0) wrong.setCurrentNoStream(new sharedMessages.Empty())
      else wrong.setCurrentRevision(String(taken.current))
      response.setWrongExpectedVersion(wrong)
    }
    answer(null, response)
  }

  #read(call: ServerWritableStream<ReadReq, ReadResp>): void {
    this.calls.read += 1
    const { store } = this.#cluster
    const options = call.request.getOptions()
    const from = options?.getStream()
    const stream = nameOf(from?.getStreamIdentifier())
    const refused = this.#refusal(call.metadata)
    if (refused !== undefined) {
      call.emit('error', refused)
      return
    }
    const events = store.eventsOf(stream)
    const given = from?.hasRevision() === true ? Number(from.getRevision()) : undefined
    if (options?.hasSubscription() === true) {
      this.#subscribe(call, stream, given === undefined ? 0 : given + 1)
      return
    }
    if (events.length === 0) {
      const missing = new streamsMessages.ReadResp.StreamNotFound()
      missing.setStreamIdentifier(from?.getStreamIdentifier())
      const response = new streamsMessages.ReadResp()
      response.setStreamNotFound(missing)
      call.write(response)
      call.end()
      return
    }
    const isBackwards = Number(options?.getReadDirection()) === 1
    const step = isBackwards ? -1 : 1
    let revision = given ?? (isBackwards ? events.length - 1 : 0)
    const send = (left: number): void => {
      for (let count = 0; left > 0 && count < 500; count++, left--, revision += step) {
        const event = events[revision]
        if (event === undefined || call.cancelled || call.destroyed) {
          call.end()
          return
        }
        call.write(this.#recorded(stream, revision, event))
      }
      if (left > 0) setImmediate(() => send(left))
      else call.end()
    }
    send(Number(options?.getCount() ?? 0))
  }

  #subscribe(call: ServerWritableStream<ReadReq, ReadResp>, stream: string, from: number): void {
    const { store } = this.#cluster
    let next = from
    const confirmation = new streamsMessages.ReadResp.SubscriptionConfirmation()
    confirmation.setSubscriptionId('test')
    const response = new streamsMessages.ReadResp()
    response.setConfirmation(confirmation)
    call.write(response)
    const send = (): void => {
      if (call.destroyed || call.cancelled) {
        unwatch()
        return
      }
      const events = store.eventsOf(stream)
      for (; next < events.length; next++) {
        const event = events[next]
        if (event !== undefined) call.write(this.#recorded(stream, next, event))
      }
    }
    const unwatch = store.watch(send)
    call.on('cancelled', unwatch)
    call.on('error', unwatch)
    send()
  }

  #recorded(stream: string, revision: number, event: StoredEvent): ReadResp {
    const { ReadResp } = streamsMessages
    const recorded = new ReadResp.ReadEvent.RecordedEvent()
    const id = new sharedMessages.UUID()
    id.setString(event.id)
    const identifier = new sharedMessages.StreamIdentifier()
    identifier.setStreamName(Buffer.from(stream).toString('base64'))
    recorded.setId(id).setStreamIdentifier(identifier).setStreamRevision(String(revision))
    // Positions are byte offsets on a real server, with gaps between them.
    recorded.setCommitPosition(String(revision * 997)).setPreparePosition(String(revision * 997))
    recorded.getMetadataMap().set('type', event.type)
    recorded.getMetadataMap().set('content-type', event.contentType)
    recorded.getMetadataMap().set('created', '17000000000000000')
    recorded.setData(event.data).setCustomMetadata(event.metadata)
    const resolved = new ReadResp.ReadEvent()
    resolved.setEvent(recorded).setNoPosition(new sharedMessages.Empty())
    const response = new ReadResp()
    response.setEvent(resolved)
    return response
  }
}
