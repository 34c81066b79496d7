/**
 * A thread beside the node that notices when code of the app does not return. The node itself can say nothing then, so the
 * thread writes to stderr, answers for the node's health, and notes in the store's folder what was running: the next start
 * finds there how often it never came back.
 */
import { existsSync, readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { CodeWatch } from '../engine/CodeWatch.js'
import type { Logger } from '../engine/Logger.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { beginSubject, codeKinds, endSubject, runningCodeMemory } from '../ledger/runningCode.js'
import type { EngineLimits } from '../engine/limits.js'
import { writeWhole } from '../storage/writeWhole.js'

const LostStartsC = t.record(t.string, t.number)
type LostStarts = t.TypeOf<typeof LostStartsC>

export type WatchdogOptions = {
  readonly logger: Logger
  /** Where lost starts are noted; undefined for a node in memory, which has no next start. */
  readonly file?: string | undefined
  /** Where the thread answers for the node's health, as `host:port`. */
  readonly healthOn?: string | undefined
  /** Whether a line goes to stderr while the node cannot say it by itself. */
  readonly isHeard?: boolean
  readonly limits: EngineLimits
}

/** Plain JavaScript in a text, because a file of its own would be lost when an app is bundled. */
const threadSource = `
const { parentPort, workerData } = require('node:worker_threads')
const fs = require('node:fs')
const { memory, kinds, owner, file, listen, isHeard, returnsMs, lookMs, kept } = workerData
const header = new Int32Array(memory, 0, 4)
const subject = Buffer.from(memory, 16)
const text = () => {
  const [id, name] = subject.toString('utf8', 0, header[2]).split('\\n')
  return { id, name, code: kinds[header[1]] }
}
const read = () => { try { return JSON.parse(fs.readFileSync(file, 'utf8')) } catch { return {} } }
const note = (change) => {
  if (file === undefined) return
  try {
    const starts = read()
    change(starts)
    const entries = Object.entries(starts).slice(-kept)
    fs.writeFileSync(file + '.noted', JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 })
    fs.renameSync(file + '.noted', file)
  } catch {}
}
const shown = ({ code, name, id }) => (code === 'none' ? 'Code' : code) + ' of ' + name + ' (' + id + ')'
let turn = 0
let since = Date.now()
let stuck
const look = () => {
  const now = Atomics.load(header, 0)
  const isMine = now % 2 !== 0 && header[3] === owner
  if (now !== turn || !isMine) {
    if (stuck !== undefined) {
      note((starts) => { if (--starts[stuck.id] <= 0) delete starts[stuck.id] })
      parentPort.postMessage({ kind: 'returned', what: shown(stuck), forMs: Date.now() - since })
    }
    turn = now
    since = Date.now()
    stuck = undefined
    return
  }
  const forMs = Date.now() - since
  if (stuck === undefined ? forMs < returnsMs : forMs < stuck.nextMs) return
  const first = stuck === undefined
  stuck = { ...text(), nextMs: Math.min(forMs * 2, forMs + 3_600_000) }
  if (first) note((starts) => { const count = (starts[stuck.id] ?? 0) + 1; delete starts[stuck.id]; starts[stuck.id] = count })
  if (isHeard) {
    const line = shown(stuck) + ' has not returned for ' + Math.round(forMs / 1_000) + ' s. The node does nothing else meanwhile.\\n'
    try { fs.writeSync(2, line) } catch {}
  }
}
setInterval(look, lookMs)
let server
if (listen !== undefined) {
  server = require('node:http').createServer((_request, response) => {
    const forMs = Date.now() - since
    const body = stuck === undefined
      ? { alive: true }
      : { alive: false, code: stuck.code, name: stuck.name, of: stuck.id, forSeconds: Math.round(forMs / 1_000) }
    response.writeHead(stuck === undefined ? 200 : 503, { 'content-type': 'application/json', connection: 'close' })
    response.end(JSON.stringify(body) + '\\n')
  })
  server.on('error', (error) => parentPort.postMessage({ kind: 'deaf', why: error.message }))
  server.listen(listen)
}
parentPort.on('message', () => process.exit(0))
`

type ThreadMessage =
  | { readonly kind: 'returned'; readonly what: string; readonly forMs: number }
  | { readonly kind: 'deaf'; readonly why: string }

let owners = 0

const readLostStarts = (file: string | undefined): LostStarts => {
  if (file === undefined || !existsSync(file)) return {}
  try {
    const decoded = LostStartsC.decode(JSON.parse(readFileSync(file, 'utf8')))
    return isLeft(decoded) ? {} : decoded.right
  } catch {
    // It is written while nothing else can be; whatever cannot be read says nothing.
    return {}
  }
}

const placeOf = (address: string): { readonly host: string; readonly port: number } => {
  const [, host, port] = /^(.*):(\d+)$/.exec(address) ?? []
  if (host === undefined || port === undefined)
    throw new CarillonError('definition-invalid', `"${address}" is not an address such as 127.0.0.1:8081.`)
  return { host, port: Number(port) }
}

export class Watchdog implements CodeWatch {
  // oxlint-disable-next-line no-useless-assignment -- the next instance reads it, which the rule does not see
  readonly #owner = (owners += 1)
  readonly #options: WatchdogOptions
  readonly #lost: Map<string, number>
  #worker: Worker | undefined
  #isStopped = false

  constructor(options: WatchdogOptions) {
    this.#options = options
    this.#lost = new Map(Object.entries(readLostStarts(options.file)))
    if (options.healthOn !== undefined) this.#start()
  }

  /** The thread is started when there is something to watch: a node with nothing to do has none. */
  readonly begin = (id: string, name: string): void => {
    if (this.#worker === undefined && !this.#isStopped) this.#tryStart()
    beginSubject(this.#owner, id, name)
  }

  readonly end = endSubject

  readonly lostStarts = (id: string): number => (this.#lost.size === 0 ? 0 : (this.#lost.get(id) ?? 0))

  readonly forget = (id: string): void => {
    this.#lost.delete(id)
    const { file, logger } = this.#options
    if (file === undefined) return
    try {
      writeWhole(file, JSON.stringify(Object.fromEntries(this.#lost)), 0o600)
    } catch (error) {
      // The next start may park it once more; nothing else depends on this.
      logger.warn(`It could not be noted that ${id} may start again: ${messageOf(error)}`, {})
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#worker?.postMessage('stop')
  }

  #tryStart(): void {
    try {
      this.#start()
    } catch (error) {
      // A process that may have no threads goes on without one.
      this.#isStopped = true
      this.#options.logger.warn(`There is no watchdog over the code of the app: ${messageOf(error)}`, {})
    }
  }

  #start(): void {
    const {
      logger,
      file,
      healthOn,
      isHeard = true,
      limits: { codeReturnsMs, watchdogLookMs, notReturnedKept },
    } = this.#options
    const worker = new Worker(threadSource, {
      eval: true,
      // The thread needs none of what the process was started with, such as loaders of sources.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
      workerData: {
        memory: runningCodeMemory,
        kinds: codeKinds,
        owner: this.#owner,
        file,
        listen: healthOn === undefined ? undefined : placeOf(healthOn),
        isHeard,
        returnsMs: codeReturnsMs,
        lookMs: Math.min(watchdogLookMs, codeReturnsMs / 4),
        kept: notReturnedKept,
      },
    })
    worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'deaf')
        logger.warn(`Nobody answers for the node's health at ${healthOn ?? ''}: ${message.why}`, {})
      else
        logger.warn(
          `${message.what} has returned after ${Math.round(message.forMs / 1_000)} s, in which the node did nothing else.`,
          { forMs: message.forMs },
        )
    })
    worker.on('error', (error) => {
      logger.warn(`The watchdog has ended: ${error.message}`, {})
    })
    // After the listeners, which hold the process again.
    worker.unref()
    this.#worker = worker
  }
}
