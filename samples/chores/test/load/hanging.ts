/**
 * The hanging tasks at their full number: `npm run load:chores:hanging`, or another number as its argument.
 */
import { runHangingLoad } from './hangingLoad.js'

const count = Number(process.argv[2] ?? 10_000)
const { otherRuns, wrong, lastFailedAfter, promisedWithin, seconds } = await runHangingLoad(count)
console.log(
  `${count} tasks hang: the chore beside them ran ${otherRuns} times in five minutes; the last timed out after ${lastFailedAfter} s, promised within ${promisedWithin} s; ${wrong.length} are wrong (${seconds.toFixed(1)} s)`,
)
for (const id of wrong.slice(0, 20)) console.error(id)
process.exitCode = wrong.length === 0 && otherRuns >= 5 && lastFailedAfter <= promisedWithin ? 0 : 1
