/**
 * One process of the node under test: says on stdout when it leads and follows, and which notes were acknowledged.
 */
import { standBy, type Node } from 'carillon'
import { keyPairFromSeed } from 'carillon/testing'
import { Chain, chains as app, LeaveNote, StartChain } from './chains.js'

const [log = '', folder = '', leaseMs = '1000', count = '20'] = process.argv.slice(2)
const say = (line: object): void => void process.stdout.write(`${JSON.stringify({ ...line, pid: process.pid })}\n`)

const lead = async (node: Node): Promise<void> => {
  say({ event: 'leading' })
  if ((await node.states(Chain, { limit: 1 })).length === 0)
    for (let index = 0; index < Number(count); index++)
      await node.start(StartChain, { name: `chain ${index}`, everyMs: 250 }, { clientId: `chain ${index}` })
  for (let index = 0; ; index++) {
    const text = `${process.pid}/${index}/${Date.now()}`
    await node.run(LeaveNote, { text })
    say({ event: 'acknowledged', text })
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const standby = await standBy({
  app,
  log,
  store: folder,
  key: keyPairFromSeed('a'.repeat(64)),
  leaseMs: Number(leaseMs),
  onFollowing: () => say({ event: 'following' }),
  // It ends when the node steps down, which the role says.
  onLeading: (node) => void lead(node).catch(() => undefined),
  onFailure: (error) => {
    say({ event: 'failed', message: error.message })
    process.exit(1)
  },
})
process.once('SIGTERM', () => void standby.stop().then(() => process.exit()))
