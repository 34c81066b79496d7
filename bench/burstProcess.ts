/**
 * The process that `kill-in-burst` kills: a node on a store with a burst that is due. It says how many have ended
 * after each tick, and ends by itself once nothing of the burst is left.
 *
 * Argument: the store folder.
 */
import { argv, exit, stdout } from 'node:process'
import { startNode, toMillis } from 'carillon'
import { pulseApp } from './pulseApp.js'

const [, , store = ''] = argv
const dayMs = 86_400_000
const lookEveryMs = 100

const node = await startNode({ app: pulseApp, store })
let ended = 0
node.follow((committed) => {
  ended += committed.count('FlowEnded')
  stdout.write(`${ended}\n`)
})

/** The successors are due years ahead, so the burst is over when one of them comes first. */
const isOver = async (): Promise<boolean> => {
  const [next] = (await node.agenda({ limit: 1 })).items
  return next?.due === undefined || toMillis(next.due) > Date.now() + dayMs
}
while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
await node.stop()
exit(0)
