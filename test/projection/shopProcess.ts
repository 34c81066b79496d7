/**
 * One process of a shop whose orders are written down in PostgreSQL, revision by revision. On a log on a server it stands by
 * and takes orders while it leads; on the log of its folder it takes as many orders as it is told on stdin. Says on stdout
 * what happens.
 *
 * Arguments: the log's address or `-`, the folder, the lease, where the rows are, and their schema.
 */
import { createInterface } from 'node:readline'
import { standBy, startNode, type Node } from 'carillon'
import { keyPairFromSeed } from 'carillon/testing'
import { PlaceOrder, shop } from '../subscription/orders.js'
import { takenIn } from './taken.js'

const [log = '-', folder = '', leaseMs = '1000', url = '', schema = ''] = process.argv.slice(2)
const app = shop(takenIn(url, schema))
const key = keyPairFromSeed('a'.repeat(64))

const say = (line: object): void => void process.stdout.write(`${JSON.stringify({ ...line, pid: process.pid })}\n`)

const order = async (node: Node): Promise<void> => {
  const article = await node.run(PlaceOrder, { article: `${process.pid}/${Date.now()}`, pieces: 1 })
  say({ event: 'acknowledged', text: article })
}

/** Says each change of the projection. */
const watch = (node: Node): void => {
  let before = ''
  setInterval(() => {
    const { state, error } = node.projections[0] ?? { state: 'stopped' as const }
    const text = error === undefined ? state : `${state}: ${error.code}`
    if (text !== before) say({ event: 'projection', text })
    before = text
  }, 10).unref()
}

const onFailure = (error: Error): void => {
  say({ event: 'failed', message: error.message })
  process.exit(1)
}

const lead = async (node: Node): Promise<void> => {
  say({ event: 'leading' })
  for (;;) {
    await order(node)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const stopWith = (stop: () => Promise<void>): void =>
  void process.once('SIGTERM', () => void stop().then(() => process.exit()))

if (log === '-') {
  const node = await startNode({ app, key, store: folder, onFailure })
  watch(node)
  say({ event: 'leading' })
  createInterface({ input: process.stdin }).on('line', (line) => {
    void (async () => {
      for (let placed = 0; placed < Number(line); placed++) await order(node)
    })()
  })
  stopWith(() => node.stop())
} else {
  const standby = await standBy({
    ...{ app, log, key, store: folder, leaseMs: Number(leaseMs), onFailure },
    onFollowing: () => say({ event: 'following' }),
    // It ends when the node steps down, which the role says.
    onLeading: (node) => void lead(node).catch(() => undefined),
  })
  stopWith(() => standby.stop())
}
