/**
 * The other end of the control socket: asks a running node and gives its answers as values or typed errors.
 */
import { connect, type Socket } from 'node:net'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, messageOf, reviveError } from '../errors/CarillonError.js'
import { FlowIdC, type FlowId } from '../log/FlowId.js'
import { limits } from '../limits.js'
import {
  VerbAnswerC,
  VerbGroupDescriptionC,
  type VerbAnswer,
  type VerbGroupDescription,
  type VerbRequest,
} from './AppVerb.js'
import { controlPath } from './controlAddress.js'
import {
  AnswerC,
  ConditionC,
  lineTooLong,
  type Condition,
  type OperatorRequest,
  type StartArgs,
} from '../operator/controlProtocol.js'
import { LineReader } from '../folder/LineReader.js'

type Wait = { readonly resolve: (value: unknown) => void; readonly reject: (error: CarillonError) => void }

/** Nobody listens: the socket is not there, or the process that made it is gone. */
const nobodyListens: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'])

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined)

export class ControlClient {
  readonly #socket: Socket
  readonly #waits = new Map<number, Wait>()
  readonly #reader = new LineReader(limits.controlLineBytes, lineTooLong)
  #lastId = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      try {
        for (const line of this.#reader.feed(chunk)) this.#hear(line)
      } catch (error) {
        this.#giveUp(
          new CarillonError('request-invalid', `The node gave an answer that cannot be read: ${messageOf(error)}`),
        )
      }
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () =>
      this.#giveUp(
        new CarillonError(
          'node-stopped',
          'The node went away before it answered. Look with "carillon log show" whether the request was recorded before you repeat it.',
        ),
      ),
    )
  }

  /** Undefined when no node listens on the store. */
  static connect(folder: string): Promise<ControlClient | undefined> {
    const path = controlPath(folder)
    if (path === undefined) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const socket = connect(path)
      const failed = (error: Error): void => {
        if (nobodyListens.has(codeOf(error))) resolve(undefined)
        else
          reject(
            new CarillonError(
              'store-not-writable',
              `The control socket ${path} cannot be opened: ${error.message}. Only the user who runs the node may use it.`,
              { path },
              error,
            ),
          )
      }
      socket.once('error', failed)
      socket.once('connect', () => {
        socket.off('error', failed)
        resolve(new ControlClient(socket))
      })
    })
  }

  /** Starts a flow; resolves with its id once the start is durable. */
  async start(args: StartArgs): Promise<FlowId> {
    return (await this.#call('start', args, t.strict({ flow: FlowIdC }))).flow
  }

  /** What a flow returns, once it has ended; rejects with the error it ended with. */
  async result(flow: FlowId): Promise<unknown> {
    return (await this.#call('result', { flow }, t.strict({ result: t.unknown }))).result
  }

  /** Does what an operator asks; resolves once it is durable. */
  async operate(request: OperatorRequest): Promise<void> {
    await this.#call('operate', request, t.unknown)
  }

  /** A link that opens the dashboard, once. */
  async link(): Promise<string> {
    return (await this.#call('link', {}, t.strict({ link: t.string }))).link
  }

  /** How the node is at this moment. */
  condition(): Promise<Condition> {
    return this.#call('condition', {}, ConditionC)
  }

  /** The verbs of the app that the node runs. */
  verbs(): Promise<readonly VerbGroupDescription[]> {
    return this.#call('verbs', {}, t.readonlyArray(VerbGroupDescriptionC))
  }

  /** Does what a verb of the app does. */
  perform(request: VerbRequest): Promise<VerbAnswer> {
    return this.#call('app', request, VerbAnswerC)
  }

  close(): void {
    this.#socket.destroy()
  }

  async #call<A>(verb: string, args: unknown, codec: t.Decoder<unknown, A>): Promise<A> {
    const id = (this.#lastId += 1)
    const answer = await new Promise<unknown>((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new CarillonError('node-stopped', 'The node has hung up.'))
        return
      }
      this.#waits.set(id, { resolve, reject })
      this.#socket.write(`${JSON.stringify({ id, verb, args })}\n`)
    })
    const decoded = decodeWith(codec, answer)
    if (isLeft(decoded))
      throw new CarillonError(
        'request-invalid',
        `The node's answer to ${verb} does not fit: ${decoded.left.join('; ')}. It may run another version of Carillon.`,
      )
    return decoded.right
  }

  #hear(line: string): void {
    const parsed: unknown = JSON.parse(line)
    const decoded = decodeWith(AnswerC, parsed)
    if (isLeft(decoded)) throw new Error(decoded.left.join('; '))
    const answer = decoded.right
    if ('ok' in answer) {
      this.#waits.get(answer.id)?.resolve(answer.ok)
      this.#waits.delete(answer.id)
      return
    }
    const { code, message, details } = answer.error
    const error = reviveError({ code, message, ...(details === undefined ? {} : { details }) })
    if (answer.id === null) {
      this.#giveUp(error)
      return
    }
    this.#waits.get(answer.id)?.reject(error)
    this.#waits.delete(answer.id)
  }

  #giveUp(error: CarillonError): void {
    for (const { reject } of this.#waits.values()) reject(error)
    this.#waits.clear()
    this.#socket.destroy()
  }
}
