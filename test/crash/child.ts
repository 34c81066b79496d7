/**
 * The process that is killed: a node on a store folder, and clients that keep it busy. Clients write down what they
 * ask before they ask it, and what they were told only after they were told.
 *
 * Arguments: campaign folder, run number, seed, `work` or `finish`, and where PostgreSQL is. Prints `ready` once the node has
 * started, and `counting` once its projections have caught up.
 */
import { openSync, writeSync } from 'node:fs'
import { argv, exit, stderr, stdout } from 'node:process'
import { startNode, type Json, type Node } from '../../src/index.js'
import { seededRandom } from '../../src/testing/index.js'
import { crashApp, heartKinds, outside } from './crashApp.js'
import { campaignFiles, ClientLineC, lineOf, readLines, type ClientLine, type CountLine } from './campaignLines.js'
import { BesideTheStore, countingIn, InMemory } from './counting.js'

const [, , folder = '', run = '0', seed = '', mode = 'work', postgresUrl = ''] = argv
const files = campaignFiles(folder)
const chains = 12
const clients = 8
const stubbornPerRun = 2
/** With more than so many requests unanswered, clients ask nothing new: on a slow machine they would only pile up. */
const patientBelow = 30

const projections = countingIn(postgresUrl)
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

const ask = async (node: Node, { clientId, flowName, input }: Request): Promise<void> => {
  const handle = await node.startByName(flowName, input, { clientId })
  say({ kind: 'started', clientId, flow: handle.id, head: node.head })
  const result = await handle.result()
  say({ kind: 'ended', clientId, flow: handle.id, result: result ?? null, head: node.head })
}

const send = (node: Node, request: Request): Promise<void> => {
  say({ kind: 'sent', ...request })
  return ask(node, request)
}

const nextRequest = (clientId: string): Request => {
  const text = clientId
  switch (below(5)) {
    case 0:
      return { clientId, flowName: 'crash/Write', input: { text } }
    case 1:
      return { clientId, flowName: 'crash/Nap', input: { text, milliseconds: 5 + below(200) } }
    case 2:
      return { clientId, flowName: 'crash/Fan', input: { text } }
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
    ...stubborn,
    ...open.map((request) => ask(node, request)),
    new Promise(() => undefined),
    ...Array.from({ length: open.length < patientBelow ? clients : 0 }, (_, client) => keepBusy(node, client)),
  ])
}

/** Lets everything that was ever asked come to its end, so that nothing is left open to be judged. */
const finish = async (node: Node, open: readonly Request[]): Promise<void> => {
  await Promise.all(open.map((request) => ask(node, request)))
  await node.drain()
  while ((await node.flows({ status: 'open', limit: 1 })).items.length > 0) await pause(10)
  await upToDate(node)
  await readCounts(node, 'ended with')
  await node.stop()
}

const fail = (error: unknown): never => {
  stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return exit(1)
}

outside.file = files.effects
try {
  const open = unanswered()
  const node = await startNode({ app: crashApp(projections), store: files.store, onFailure: fail })
  stdout.write('ready\n')
  await (mode === 'finish' ? finish(node, open) : work(node, open))
  exit(0)
} catch (error) {
  fail(error)
}
