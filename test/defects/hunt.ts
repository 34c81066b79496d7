/**
 * One hunt, in a process of its own that may have a defect: simulates a workshop and a market in turn, or a travel agency, or a
 * bazaar with a hostile member, until something is found, and prints what, and after how many histories.
 */
import { simulate, type SimulationOptions } from 'carillon/testing'
import { bazaarSimulation } from '../strangers/bazaar.js'
import { swapSimulation } from '../strangers/swap.js'
import { tripsSimulation } from './trips.js'
import { honestWorlds } from './worlds.js'

const mostSeeds = Number(process.argv[2] ?? 60)
const named: Readonly<Record<string, readonly SimulationOptions[]>> = {
  bazaar: [bazaarSimulation],
  swap: [swapSimulation],
  trips: [tripsSimulation],
}
const worlds = named[process.argv[3] ?? ''] ?? honestWorlds
let histories = 0
let found:
  { readonly seed: number; readonly app: string; readonly invariant: string; readonly what: string } | undefined
for (let seed = 0; seed < mostSeeds && found === undefined; seed++)
  for (const world of worlds) {
    const { failures } = await simulate({ ...world, seeds: [seed], shrinkTries: 0 })
    histories += 1
    // Whoever waits sees that it goes on.
    process.stderr.write('.')
    const [violation] = failures[0]?.violations ?? []
    if (violation === undefined) continue
    found = { seed, app: world.app.name, invariant: violation.invariant, what: violation.what }
    break
  }
console.log(JSON.stringify({ histories, found }))
process.exit()
