/**
 * A thread that answers questions about a node from the views that are committed, so that the loop never waits for one. It
 * answers one at a time, and those who ask in turn, so that nobody waits for all that another has asked.
 */
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { CarillonError, NodeFault, reviveError } from '../errors/CarillonError.js'
import type { Node } from '../node/Node.js'
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { Asked, FromThread, ThreadData, ToThread } from './askedOfThread.js'
import { httpLimits } from './limits.js'

/** Lies beside this file in the package. Run from its sources, or bundled into an app, there is none, and no thread. */
const ownProgram = new URL('./answerQuestions.js', import.meta.url)

/** A question under way when the node stops is given so long to end by itself. */
const stopMs = 2_000

/** For whom something is asked. */
export type Asker = {
  /** Askers take turns, by this name. */
  readonly name: string
  /** Called when it is the question's turn; throws when it is not to be asked any more. */
  readonly admit?: () => void
  /** Hears how long the thread took. */
  readonly spend?: (usedMs: number) => void
}

/** An answer as it is sent. */
export class JsonAnswer {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

type Waiting = {
  readonly asked: Asked
  readonly asker: Asker
  /** With nothing when there is no thread to answer. */
  readonly resolve: (answer: JsonAnswer | undefined) => void
  readonly reject: (error: unknown) => void
}

const errorOf = ({ refused, isFault }: Extract<FromThread, { readonly refused: unknown }>): CarillonError => {
  const error = reviveError(refused)
  return isFault ? new NodeFault(error.code, error.message, error.details) : error
}

const stopped = (): CarillonError => new CarillonError('node-stopped', 'The node has stopped.')

export class QuestionThread {
  readonly #file: string
  readonly #node: Pick<Node, 'network' | 'nowMs'>
  readonly #program: URL
  #canRun: boolean
  #worker: Worker | undefined
  #isReady = false
  /** The map that the thread was told. */
  #told: NetworkMap | undefined
  readonly #waiting = new Map<string, Waiting[]>()
  #underWay: Waiting | undefined

  constructor(file: string, node: Pick<Node, 'network' | 'nowMs'>, program = ownProgram) {
    this.#file = file
    this.#node = node
    this.#program = program
    this.#canRun = existsSync(program)
  }

  /** Resolves to nothing where there is no thread to be had; then whoever asks reads by itself. */
  ask(asked: Asked, asker: Asker): Promise<JsonAnswer | undefined> {
    if (!this.#canRun) return Promise.resolve(undefined)
    const own = this.#waiting.get(asker.name) ?? []
    if (own.length >= httpLimits.questionsWaiting)
      return Promise.reject(
        new CarillonError(
          'rate-exceeded',
          `So many questions of one token wait already: ${httpLimits.questionsWaiting}. Ask the next when some of them are answered.`,
        ),
      )
    return new Promise((resolve, reject) => {
      this.#waiting.set(asker.name, [...own, { asked, asker, resolve, reject }])
      this.#next()
    })
  }

  /** Resolves when the thread has let go of the file. Whoever waits is told that the node has stopped. */
  async close(): Promise<void> {
    this.#canRun = false
    for (const { reject } of this.#takeAll()) reject(stopped())
    const worker = this.#worker
    if (worker === undefined) return
    const gone = new Promise((resolve) => worker.once('exit', resolve))
    worker.ref()
    this.#send('stop')
    const patience = setTimeout(() => void worker.terminate(), stopMs)
    await gone
    clearTimeout(patience)
  }

  #next(): void {
    if (this.#underWay !== undefined || !this.#canRun) return
    for (let job = this.#takeFirst(); job !== undefined; job = this.#takeFirst()) {
      try {
        job.asker.admit?.()
      } catch (error) {
        job.reject(error)
        continue
      }
      this.#underWay = job
      this.#begin()
      const { network, nowMs } = this.#node
      if (network !== this.#told) this.#send({ network: { members: network.members, id: network.id } })
      this.#told = network
      this.#send({ asked: job.asked, nowMs })
      return
    }
  }

  /** The next question of the one who has waited for longest; afterwards the others have their turn. */
  #takeFirst(): Waiting | undefined {
    for (const [name, [first, ...others]] of this.#waiting) {
      this.#waiting.delete(name)
      if (others.length > 0) this.#waiting.set(name, others)
      return first
    }
    return undefined
  }

  #takeAll(): readonly Waiting[] {
    const all = [...(this.#underWay === undefined ? [] : [this.#underWay]), ...[...this.#waiting.values()].flat()]
    this.#underWay = undefined
    this.#waiting.clear()
    return all
  }

  #send(message: ToThread): void {
    this.#worker?.postMessage(message)
  }

  #begin(): void {
    if (this.#worker !== undefined) return
    const worker = new Worker(this.#program, {
      execArgv: [],
      workerData: { file: this.#file } satisfies ThreadData,
      // Questions are bounded; one that is not ends the thread, and not the node.
      resourceLimits: { maxOldGenerationSizeMb: httpLimits.questionHeapMiB },
    })
    this.#worker = worker
    worker.on('message', (message: FromThread) => {
      if (message === 'ready') this.#isReady = true
      else this.#answered(message)
    })
    // An error is followed by the exit; without a listener it would end the process.
    worker.on('error', () => undefined)
    worker.on('exit', () => this.#ended())
    worker.unref()
  }

  #answered(answer: Exclude<FromThread, 'ready'>): void {
    const job = this.#underWay
    this.#underWay = undefined
    job?.asker.spend?.(answer.usedMs)
    if ('json' in answer) job?.resolve(new JsonAnswer(answer.json))
    else job?.reject(errorOf(answer))
    this.#next()
  }

  #ended(): void {
    this.#worker = undefined
    this.#told = undefined
    if (!this.#isReady) {
      // A process that may have no threads answers by itself.
      this.#canRun = false
      for (const { resolve } of this.#takeAll()) resolve(undefined)
      return
    }
    this.#isReady = false
    this.#underWay?.reject(
      new CarillonError(
        'node-busy',
        'The thread that answers questions has ended over this one. Ask for less at a time.',
      ),
    )
    this.#underWay = undefined
    this.#next()
  }
}
