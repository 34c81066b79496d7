/**
 * The process that measures one system by one workload, so that whatever goes wrong with one costs no other's figures.
 *
 * Arguments: the system, the workload, `quick` or `whole`, the folder for all that it makes, the file for the result.
 */
import { writeFileSync } from 'node:fs'
import { argv, exit } from 'node:process'
import { measurePeer } from './measurePeer.js'
import type { PeerResult } from './PeerResult.js'
import { NoServer } from './servers/Server.js'
import { isSystemName } from './systems.js'
import { workloads } from './workloads.js'

const [, , system = '', name = '', size = '', folder = '', resultFile = ''] = argv
const workload = workloads.find((each) => each.name === name)
if (!isSystemName(system) || workload === undefined) throw new Error(`There is no ${system} or no ${name}.`)

const result: PeerResult = await measurePeer(workload, system, folder, size === 'quick').catch((error: unknown) => ({
  failure: error instanceof Error ? error.message : String(error),
  isAbsent: error instanceof NoServer,
}))
writeFileSync(resultFile, JSON.stringify(result))
exit(0)
