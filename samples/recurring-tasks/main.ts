/**
 * What `npm run sample:tasks` runs: a day of the registry in seconds. A registry that goes on is a node that runs
 * `node.ts`, and its verbs are `carillon tasks …`.
 */
import { showDay } from './day.js'

await showDay(console.log)
