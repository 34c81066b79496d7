/**
 * The program of the thread that answers questions: the routes that only read, asked of a read-only connection to the
 * views and to the log beside them. It runs no code of an app, and nothing in it writes.
 */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { assertInvariant, CarillonError, concernsNode, recordRefusal } from '../errors/CarillonError.js'
import { NetworkMap } from '../identity/NetworkMap.js'
import { zeroHash } from '../encoding/hash.js'
import { atOneMoment } from '../storage/atOneMoment.js'
import { openDatabase } from '../storage/sqlite/openDatabase.js'
import { SqliteTicks } from '../storage/SqliteTicks.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'
import { threadReads, type Asked, type FromThread, type ThreadData, type ToThread } from './askedOfThread.js'
import { builtInRoutes } from './builtInRoutes.js'
import type { ReadableNode } from './Route.js'

// On Linux a thread has a priority of its own; elsewhere this would be the priority of the loop as well.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const port = parentPort
assertInvariant(port !== null, 'questions are answered in a thread')
const { file } = workerData as ThreadData
const db = openDatabase(file, { readOnly: true })
const ticks = new SqliteTicks(db)
const routes = new Map(builtInRoutes.flatMap(({ path, ask }) => (ask === undefined ? [] : [[path, ask] as const])))

let network = new NetworkMap([], zeroHash)

const nodeAt = (nowMs: number): ReadableNode => ({
  nowMs,
  network,
  get head() {
    return readFacts(db).head
  },
  readViews: (read) => new Promise((resolve) => resolve(atOneMoment(db, read))),
  async *readLog(fromRevision = 0) {
    const until = readFacts(db).head.tick
    for (const tick of ticks.from(ticks.tickHolding(fromRevision))) {
      if (tick.number > until) return
      if (tick.firstRevision + tick.events.length > fromRevision) yield await Promise.resolve(tick)
    }
  },
})

const answerTo = (asked: Asked, nowMs: number): Promise<unknown> => {
  const node = nodeAt(nowMs)
  if ('views' in asked) return node.readViews((views) => threadReads[asked.views](views, nowMs))
  const ask = routes.get(asked.path)
  assertInvariant(ask !== undefined, `no route that only reads has the path ${asked.path}`)
  return ask(node, asked)
}

const answer = async (asked: Asked, nowMs: number): Promise<FromThread> => {
  const beganMs = performance.now()
  const usedMs = (): number => performance.now() - beganMs
  try {
    const json = JSON.stringify(await answerTo(asked, nowMs))
    return { json, usedMs: usedMs() }
  } catch (error) {
    const isFault = !(error instanceof CarillonError) || concernsNode(error)
    return { refused: recordRefusal(error, 'invariant-broken'), isFault, usedMs: usedMs() }
  }
}

port.on('message', (message: ToThread) => {
  if (message === 'stop') {
    db.close()
    port.close()
  } else if ('network' in message) network = new NetworkMap(message.network.members, message.network.id)
  else void answer(message.asked, message.nowMs).then((answered) => port.postMessage(answered))
})
port.postMessage('ready' satisfies FromThread)
