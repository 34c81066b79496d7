/**
 * The process that is killed: a node on a store folder, and clients that keep it busy. Clients write down what they
 * ask before they ask it, and what they were told only after they were told.
 *
 * Arguments: campaign folder, run number, seed, what to do, and more for that. Prints `ready` once the node has started, and
 * `counting` once its projections have caught up. What to do:
 *
 * - `work`: whatever comes to mind, until it is killed; where PostgreSQL is.
 * - `finish`: only what was asked for before; where PostgreSQL is.
 * - `operations`: one of each kind of flow that waits, one operation of one flow at a time; it kills itself after so many.
 */
import { openSync, writeSync } from 'node:fs'
import { argv, exit, stderr, stdout } from 'node:process'
import { CarillonError, startNode, type Json, type Node } from '../../src/index.js'
import { seededRandom } from '../../src/testing/index.js'
import { crashApp, heartKinds } from './crashApp.js'
import {
  campaignFiles,
  ClientLineC,
  EffectC,
  lineOf,
  readLines,
  type ClientLine,
  type CountLine,
} from './campaignLines.js'
import { BesideTheStore, countingIn, InMemory } from './counting.js'
import { dyingStoreFolder, oneAtATime } from './dyingStoreFolder.js'
import { outside } from './outside.js'
import { Cancelled, Count, Tell, Travel } from './waitingApp.js'

const [, , folder = '', run = '0', seed = '', mode = 'work', more = ''] = argv
const files = campaignFiles(folder)
const chains = 12
const clients = 8
const stubbornPerRun = 2
/** With more than so many requests unanswered, clients ask nothing new: on a slow machine they would only pile up. */
const patientBelow = 30

const projections = mode === 'operations' ? [] : countingIn(more)
const random = seededRandom(`${seed}/${run}`)
const below = (bound: number): number => parseInt(random.hex(4), 16) % bound
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type Request = { readonly clientId: string; readonly flowName: string; readonly input: Record<string, Json> }

const clientFile = openSync(files.clients, 'a')
const say = (line: ClientLine): void => {
  writeSync(clientFile, lineOf(line))
}

const countFile = openSync(files.counts, 'a')
/** Resolves when all projections, the one in PostgreSQL too, have come to where the log ends now. */
const upToDate = async (node: Node): Promise<void> => {
  const { revision } = node.head
  await Promise.all(projections.map((projection) => node.projection(projection).readAt(revision)))
}

/** Notes the results that can be read here, as far as they have come. */
const readCounts = async (node: Node, at: CountLine['at']): Promise<void> => {
  for (const projection of [InMemory, BesideTheStore]) {
    const count = await node.projection(projection).read()
    writeSync(countFile, lineOf({ projection: projection.name, at, count }))
  }
}

const keepCounting = async (node: Node): Promise<never> => {
  await upToDate(node)
  stdout.write('counting\n')
  for (;;) {
    await readCounts(node, 'read')
    await pause(20)
  }
}

/** Tells a flow something, once however often it is said; false when it has ended without hearing it. */
const tell = async (node: Node, clientId: string, n: number): Promise<boolean> => {
  const signal = `${clientId} ${n}`
  try {
    await node.signal({ clientId }, Tell, { n }, { id: signal })
  } catch (error) {
    if (error instanceof CarillonError && error.code === 'flow-ended') return false
    throw error
  }
  say({ kind: 'told', clientId, signal, head: node.head })
  return true
}

/** All that a flow is to be told, from the first: nobody knows what was heard of it before the process was killed. */
const tellAll = async (node: Node, clientId: string, flowName: string, input: Request['input']): Promise<void> => {
  if (flowName === Count.name) {
    for (let n = 1; n <= Number(input['left']); n++) {
      if (!(await tell(node, clientId, n))) throw new Error(`${clientId} has ended before it was told ${n}`)
      await pause(below(12))
    }
  } else if (flowName === Travel.name && input['isTold'] === true) {
    await pause(below(60))
    await tell(node, clientId, 1)
  }
}

/** One operator alone cancels: cancelled by another once more, a flow would be killed. */
const keepCancelling = async (node: Node, isOver: () => boolean): Promise<void> => {
  while (!isOver()) {
    await pause(20 + below(40))
    await node.operateFlows('cancel', { name: Cancelled.name })
  }
}

const ask = async (node: Node, { clientId, flowName, input }: Request): Promise<void> => {
  const handle = await node.startByName(flowName, input, { clientId })
  say({ kind: 'started', clientId, flow: handle.id, head: node.head })
  const [result] = await Promise.all([handle.result(), tellAll(node, clientId, flowName, input)])
  say({ kind: 'ended', clientId, flow: handle.id, result: result ?? null, head: node.head })
}

const send = (node: Node, request: Request): Promise<void> => {
  say({ kind: 'sent', ...request })
  return ask(node, request)
}

const nextRequest = (clientId: string): Request => {
  const text = clientId
  switch (below(10)) {
    case 0:
      return { clientId, flowName: 'crash/Write', input: { text } }
    case 1:
      return { clientId, flowName: 'crash/Nap', input: { text, milliseconds: 5 + below(200) } }
    case 2:
      return { clientId, flowName: 'crash/Fan', input: { text } }
    case 3:
      return { clientId, flowName: 'crash/Meet', input: { text } }
    case 4:
      return { clientId, flowName: Count.name, input: { text, left: 1 + below(4), heard: [] } }
    case 5:
      return { clientId, flowName: Travel.name, input: { text, patienceMs: 10 + below(60), isTold: true } }
    case 6:
      return { clientId, flowName: Cancelled.name, input: { text, patienceMs: 3_600_000, isTold: false } }
    case 7:
      return { clientId, flowName: 'crash/Oversee', input: { text, approves: below(2) === 0 } }
    default:
      return { clientId, flowName: 'crash/Post', input: { text } }
  }
}

/** Requests of earlier runs whose answer never came: a client would send them again, and so do we. */
const unanswered = (): readonly Request[] => {
  const open = new Map<string, Request>()
  for (const line of readLines(files.clients, ClientLineC)) {
    if (line.kind === 'sent') {
      const { clientId, flowName } = line
      open.set(clientId, { clientId, flowName, input: JSON.parse(JSON.stringify(line.input)) as Record<string, Json> })
    } else if (line.kind === 'ended') open.delete(line.clientId)
  }
  return [...open.values()]
}

/** The same chains at every start: their client ids make sure that each is begun once. */
const startChains = (node: Node): Promise<unknown> =>
  Promise.all(
    Array.from({ length: chains }, (_, chain) =>
      send(node, {
        clientId: `chain-${chain}`,
        flowName: 'crash/StartHeart',
        input: { chain, kind: heartKinds[chain % heartKinds.length] ?? 'plain' },
      }),
    ),
  )

const keepBusy = async (node: Node, client: number): Promise<never> => {
  for (let count = 0; ; count++) {
    await send(node, nextRequest(`run-${run}-client-${client}-${count}`))
    await pause(below(12))
  }
}

const work = async (node: Node, open: readonly Request[]): Promise<void> => {
  const stubborn = Array.from({ length: stubbornPerRun }, (_, count) =>
    send(node, { clientId: `stubborn-${run}-${count}`, flowName: 'crash/StartStubborn', input: {} }),
  )
  await Promise.all([
    startChains(node),
    keepCounting(node),
    keepCancelling(node, () => false),
    ...stubborn,
    ...open.map((request) => ask(node, request)),
    new Promise(() => undefined),
    ...Array.from({ length: open.length < patientBelow ? clients : 0 }, (_, client) => keepBusy(node, client)),
  ])
}

/** Lets everything that was ever asked come to its end, so that nothing is left open to be judged. */
const finish = async (node: Node, open: readonly Request[]): Promise<void> => {
  let isAnswered = false
  const cancelling = keepCancelling(node, () => isAnswered)
  await Promise.all(open.map((request) => ask(node, request)))
  isAnswered = true
  await cancelling
  await node.drain()
  while ((await node.flows({ status: 'open', limit: 1 })).items.length > 0) await pause(10)
  if (projections.length > 0) {
    await upToDate(node)
    await readCounts(node, 'ended with')
  }
  await node.stop()
}

/** One of each kind of flow that waits. */
const oneOfEach = (): readonly Request[] => {
  const request = (name: string, flowName: string, input: Request['input']): Request => ({
    clientId: name,
    flowName,
    input: { text: name, ...input },
  })
  const patienceMs = 3_600_000
  return [
    request('fan', 'crash/Fan', {}),
    request('meet', 'crash/Meet', {}),
    request('count', Count.name, { left: 3, heard: [] }),
    request('approved', Travel.name, { patienceMs, isTold: true }),
    request('too late', Travel.name, { patienceMs: 1, isTold: false }),
    request('cancelled', Cancelled.name, { patienceMs, isTold: false }),
    request('overseen', 'crash/Oversee', { approves: true }),
    request('abandoned', 'crash/Oversee', { approves: false }),
  ]
}

const fail = (error: unknown): never => {
  stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return exit(1)
}

/** A node that does one thing at a time, and its process dies where it is told to. */
const startDying = async (): Promise<Node> => {
  const { store, key, die } = await dyingStoreFolder(files.store, Number(more))
  const known = new Set(readLines(files.effects, EffectC).map((effect) => effect.key))
  outside.taken = (effect) => {
    // Each effect is lost once: it was taken, and nothing says so.
    if (!known.has(effect.key)) die()
  }
  return startNode({ app: crashApp(projections), store, key, limits: { engine: oneAtATime }, onFailure: fail })
}

outside.file = files.effects
try {
  const open = unanswered()
  const node = await (mode === 'operations'
    ? startDying()
    : startNode({ app: crashApp(projections), store: files.store, onFailure: fail }))
  stdout.write('ready\n')
  if (mode === 'operations') {
    const asked = readLines(files.clients, ClientLineC).map(({ clientId }) => clientId)
    for (const request of oneOfEach()) if (!asked.includes(request.clientId)) say({ kind: 'sent', ...request })
    await finish(node, unanswered())
  } else await (mode === 'finish' ? finish(node, open) : work(node, open))
  exit(0)
} catch (error) {
  fail(error)
}
