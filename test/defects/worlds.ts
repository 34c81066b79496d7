/** The simulated worlds in which mistakes are looked for. */
import type { SimulationOptions } from 'carillon/testing'
import { marketSimulation } from '../network/marketSimulation.js'
import { bazaarSimulation } from '../strangers/bazaar.js'
import { tripsSimulation } from './trips.js'
import { workshopSimulation } from './workshop.js'

/** A workshop of one party, and a market of three with a notary. */
export const honestWorlds: readonly SimulationOptions[] = [
  workshopSimulation,
  { ...marketSimulation, parties: ['Ann', 'Ben', 'Cas'] },
]

/** These, a travel agency of one party, and a bazaar with a hostile member. */
export const allWorlds: readonly SimulationOptions[] = [...honestWorlds, tripsSimulation, bazaarSimulation]
