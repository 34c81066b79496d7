/**
 * A small server that speaks EventStoreDB's protocol, so that the real client can be tested without the real server, and
 * with faults that a real one cannot be asked for. It is a test tool and no database: it keeps everything in memory.
 */
import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js'
import { freePorts } from '../../src/network/freePorts.js'
import { Relay } from '../faults/Relay.js'
import { AppendCalls } from './AppendCalls.js'
import type { Cluster } from './Cluster.js'
import { answerBytes, failure, nameOf, type ReadCall } from './protocol.js'
import { ReadCalls } from './ReadCalls.js'
import { ServerFaults } from './ServerFaults.js'
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

/** How a server is made. */
export type ServerOptions = {
  /** Key and certificate, for a server that speaks TLS. */
  readonly tls?: { readonly key: string; readonly certificate: string }
  readonly port?: number
  /** Without the relay before it, a server is faster and cannot be frozen. */
  readonly isDirect?: boolean
}

/** One that is still free when the server has stopped and listens again. */
const freePort = async (): Promise<number> => (await freePorts('127.0.0.1', 1))[0] ?? 0

/** As `npm run test:logs` shows it: nobody should take it for a real server. */
export const testServerVersion = '0.0.0-test-server-of-carillon'

type StreamRequest = {
  readonly getOptions: () => { readonly getStreamIdentifier: () => Parameters<typeof nameOf>[0] } | undefined
}

export class EventStoreDbServer {
  readonly #cluster: Cluster
  readonly #options: ServerOptions
  readonly #reads: ReadCalls
  readonly #appends: AppendCalls
  readonly faults = new ServerFaults()
  #server = new grpc.Server()
  #relay: Relay | undefined
  isRunning = false
  port: number
  /** Calls that wait for an answer which never comes. */
  unanswered = 0
  /** How often each call was made. */
  readonly calls = { append: 0, batchAppend: 0, read: 0 }

  private constructor(cluster: Cluster, options: ServerOptions) {
    this.#cluster = cluster
    this.#options = options
    this.port = options.port ?? 0
    this.#reads = new ReadCalls(cluster.store)
    this.#appends = new AppendCalls({
      store: cluster.store,
      faults: this.faults,
      refusal: (metadata) => this.#refusal(metadata),
      cut: () => void this.cut(),
      end: () => void this.stop(),
    })
  }

  static async start(cluster: Cluster, options: ServerOptions = {}): Promise<EventStoreDbServer> {
    const server = new EventStoreDbServer(cluster, options)
    await server.resume()
    return server
  }

  get isLeader(): boolean {
    return this.#cluster.servers[this.#cluster.leader] === this
  }

  /** Cuts all connections and listens no more. */
  async stop(): Promise<void> {
    this.#server.forceShutdown()
    await this.#relay?.close()
    this.isRunning = false
  }

  /** Accepts connections from now on, and says nothing, as a machine that is paused. */
  freeze(): void {
    this.#relay?.freeze()
  }

  thaw(): void {
    this.#relay?.thaw()
  }

  /** Sends nothing more to those who have subscribed, and does not tell them. */
  forgetSubscriptions(): void {
    this.#reads.forgetSubscriptions()
  }

  /** Cuts all connections; new ones are taken at once. */
  async cut(): Promise<void> {
    await this.stop()
    await this.resume()
  }

  /** Listens again, where it did before. */
  async resume(): Promise<void> {
    this.#server = new grpc.Server({ 'grpc.max_receive_message_length': 32 * 1024 * 1024 })
    this.#addServices()
    const { tls, isDirect = false } = this.#options
    const credentials =
      tls === undefined
        ? grpc.ServerCredentials.createInsecure()
        : grpc.ServerCredentials.createSsl(null, [
            { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) },
          ])
    const bound = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(`127.0.0.1:${isDirect ? this.port : 0}`, credentials, (error, port) =>
        error === null ? resolve(port) : reject(error),
      )
    })
    if (!isDirect) this.#relay = await Relay.listen(bound, this.port === 0 ? await freePort() : this.port)
    this.port = this.#relay?.port ?? bound
    this.isRunning = true
  }

  #addServices(): void {
    const { read } = streamsService.StreamsService
    const service = { ...streamsService.StreamsService, read: { ...read, responseSerialize: answerBytes } }
    this.#server.addService(service, {
      read: (call: ReadCall) => {
        this.calls.read += 1
        this.#read(call)
      },
      append: (...args: Parameters<AppendCalls['single']>) => {
        this.calls.append += 1
        this.#appends.single(...args)
      },
      batchAppend: (...args: Parameters<AppendCalls['batches']>) => {
        this.calls.batchAppend += 1
        this.#appends.batches(...args)
      },
      delete: (
        { request }: ServerUnaryCall<StreamRequest, unknown>,
        answer: sendUnaryData<InstanceType<typeof streamsMessages.DeleteResp>>,
      ) => {
        this.#cluster.store.deleteSoftly(nameOf(request.getOptions()?.getStreamIdentifier()))
        answer(null, new streamsMessages.DeleteResp().setNoPosition(new sharedMessages.Empty()))
      },
      tombstone: (
        { request }: ServerUnaryCall<StreamRequest, unknown>,
        answer: sendUnaryData<InstanceType<typeof streamsMessages.TombstoneResp>>,
      ) => {
        this.#cluster.store.tombstone(nameOf(request.getOptions()?.getStreamIdentifier()))
        answer(null, new streamsMessages.TombstoneResp().setNoPosition(new sharedMessages.Empty()))
      },
    })
    this.#server.addService(gossipService.GossipService, {
      read: (_: unknown, answer: sendUnaryData<InstanceType<typeof gossipMessages.ClusterInfo>>) => {
        answer(null, this.#gossip())
      },
    })
    this.#server.addService(featuresService.ServerFeaturesService, {
      getSupportedMethods: (
        call: ServerUnaryCall<unknown, unknown>,
        answer: sendUnaryData<InstanceType<typeof featuresMessages.SupportedMethods>>,
      ) => {
        if (this.faults.hidesFeatures) {
          this.unanswered += 1
          call.once('cancelled', () => (this.unanswered -= 1))
        } else if (this.faults.deniesFeatures) answer(failure(grpc.status.PERMISSION_DENIED, 'access-denied'))
        else answer(null, this.#features())
      },
    })
  }

  #features(): InstanceType<typeof featuresMessages.SupportedMethods> {
    const methods = new featuresMessages.SupportedMethods()
    methods.setEventStoreServerVersion(testServerVersion)
    if (this.faults.isOld) return methods
    const batchAppend = new featuresMessages.SupportedMethod()
    batchAppend.setServiceName('event_store.client.streams.Streams').setMethodName('batchappend')
    methods.addMethods(batchAppend)
    return methods
  }

  /** Who leads, as this server believes; every server counts as alive as long as the cluster has not noticed. */
  #gossip(): InstanceType<typeof gossipMessages.ClusterInfo> {
    const { ClusterInfo, EndPoint, MemberInfo } = gossipMessages
    const info = new ClusterInfo()
    for (const [index, server] of this.#cluster.servers.entries()) {
      const member = new MemberInfo()
      const place = new EndPoint()
      place.setAddress('127.0.0.1').setPort(server.port)
      member.setHttpEndPoint(place).setIsAlive(true).setTimeStamp('0')
      const isNamed = index === (this.#cluster.namedLeader ?? this.#cluster.leader)
      member.setState(isNamed ? MemberInfo.VNodeState.LEADER : MemberInfo.VNodeState.FOLLOWER)
      const id = new sharedMessages.UUID()
      id.setString(`00000000-0000-4000-8000-${server.port.toString().padStart(12, '0')}`)
      member.setInstanceId(id)
      info.addMembers(member)
    }
    return info
  }

  /** Why a call is not answered here, if so. */
  #refusal(metadata: { readonly get: (key: string) => readonly unknown[] }): Error | undefined {
    if (metadata.get('requires-leader').length === 0 || this.isLeader) return undefined
    const leader = this.#cluster.servers[this.#cluster.leader]
    return failure(grpc.status.NOT_FOUND, 'not-leader', {
      'leader-endpoint-host': '127.0.0.1',
      'leader-endpoint-port': String(leader?.port ?? 0),
    })
  }

  #read(call: ReadCall): void {
    const stream = nameOf(call.request.getOptions()?.getStream()?.getStreamIdentifier())
    const isDenied = this.faults.denies || (this.faults.deniesMetadata && stream.startsWith('$$'))
    const refused = isDenied ? failure(grpc.status.PERMISSION_DENIED, 'access-denied') : this.#refusal(call.metadata)
    if (refused !== undefined) call.emit('error', refused)
    else this.#reads.answer(call)
  }
}
