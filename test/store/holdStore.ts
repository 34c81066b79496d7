/**
 * A process of its own that starts a node on the folder it is told and keeps it until it is killed.
 */
import { startNode } from '../../src/index.js'
import { bank, MintCoin } from './bank.js'

const node = await startNode({ app: bank, store: process.argv[2]! })
await node.run(MintCoin, { value: 1 })
process.stdout.write('held\n')
setInterval(() => undefined, 60_000)
