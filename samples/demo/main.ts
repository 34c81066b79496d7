/**
 * What `npm start` runs: eight nodes in one process, each with a log of its own on disk, on one dashboard. Stop it as
 * you like, and start it again: every node goes on where its log ends.
 */
import { parseArgs } from 'node:util'
import { CarillonError } from 'carillon'
import {
  openControlSocket,
  readLocalToken,
  serveHttp,
  type ControlSocket,
  type HttpServer,
  type ServedNode,
} from 'carillon/http'
import { quoted, runCommand, untilTold, wholeNumber } from '../shared/commandLine.js'
import { openChores } from './chores.js'
import { openHeart } from './heart.js'
import { openMarket } from './market.js'
import type { Household, Neighbour } from './Household.js'
import { openSignatures } from './signatures.js'
import { openTasks } from './tasks.js'

const usage = `npm start -- [options]

  --folder FOLDER  where the nodes keep their logs (data/demo)
  --port PORT      where the dashboard is (7411, or a free port when that is taken)
  --help           this text

The heart alone, with its story of a kill and an outage: npm run sample:heartbeat
`

const usualPort = 7_411
const usualFolder = 'data/demo'

const readOptions = () =>
  parseArgs({
    options: {
      folder: { type: 'string', default: usualFolder },
      port: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  }).values

const say = (...lines: readonly string[]): void => {
  for (const line of lines) console.log(line)
}

/** Told in a line: the nodes go on, whatever becomes of one visit. */
const tellTrouble = (error: unknown): void => {
  console.error(`  ${error instanceof Error ? error.message : String(error)}`)
}

const serve = async (
  served: readonly [ServedNode, ...ServedNode[]],
  store: string,
  port: number | undefined,
): Promise<HttpServer> => {
  // Whoever has the dashboard open when the network is stopped finds it again when it is started.
  const localToken = readLocalToken(store)
  if (port !== undefined) return serveHttp(served, { port, localToken })
  try {
    return await serveHttp(served, { port: usualPort, localToken })
  } catch (error) {
    if (!(error instanceof CarillonError) || error.code !== 'address-unavailable') throw error
    return serveHttp(served, { localToken })
  }
}

const again = (folder: string): string =>
  folder === usualFolder ? 'npm start' : `npm start -- --folder ${quoted(folder)}`

const greet = (neighbours: readonly Neighbour[], server: HttpServer, folder: string): void => {
  const nameOf = ({ served: { node } }: Neighbour): string => node.party.name
  const width = Math.max(...neighbours.map((each) => nameOf(each).length))
  const [first] = neighbours
  const store = first === undefined ? '' : ` --store ${quoted(first.store)}`
  const bank = quoted(neighbours.at(-4)?.store ?? '')
  say(
    '',
    `  The dashboard:  ${server.newLink()}`,
    '',
    `  The link opens once. ${process.stdin.isTTY ? 'Press Enter for another' : `For another: npx carillon token link${store}`}; choose a node at the top of the page.`,
    '',
    ...neighbours.map((each) => `    ${nameOf(each).padEnd(width)}  ${each.about}`),
    '',
    '  In another terminal:',
    '',
    `    npx carillon status${store}`,
    `    npx carillon agenda --watch --store ${bank}`,
    `    npx carillon clock play --speed 1h --store ${bank}`,
    `    kill -9 ${process.pid}                    and ${again(folder)} again: nothing is lost`,
    '',
    '  Stop with Ctrl-C. The clock of the banks runs a day a second and stands still while they are away.',
    '',
  )
}

await runCommand(async () => {
  const options = readOptions()
  if (options.help) return void process.stdout.write(usage)
  const { folder } = options
  const port = options.port === undefined ? undefined : wholeNumber('--port', options.port, 0, 65_535)
  const { told } = untilTold()
  const households: Household[] = []
  const sockets: ControlSocket[] = []
  let server: HttpServer | undefined
  const stop = async (): Promise<void> => {
    await server?.close()
    for (const socket of sockets) await socket.close()
    for (const household of households) await household.stop()
  }
  console.log('Starting eight nodes …')
  try {
    for (const open of [openHeart, openChores, openTasks, openSignatures, openMarket])
      households.push(await open(folder, tellTrouble))
    const neighbours = households.flatMap((household) => household.neighbours)
    const [first, ...others] = neighbours
    if (first === undefined) return
    const opened = await serve([first.served, ...others.map(({ served }) => served)], first.store, port)
    server = opened
    for (const { served, store } of neighbours) {
      const { node, ...surfaces } = served
      sockets.push(await openControlSocket(node, store, { ...surfaces, http: opened }))
    }
    greet(neighbours, opened, folder)
    if (process.stdin.isTTY) process.stdin.on('data', () => say(`  The dashboard:  ${opened.newLink()}`)).unref()
    await told
    say('', 'Stopping …')
  } finally {
    await stop()
  }
  say(`Stopped in good order. Every node goes on from its log with the next ${again(folder)}.`)
})
