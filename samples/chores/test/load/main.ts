/**
 * The load in its full form: `npm run load:chores`, or with another number of chores as its argument.
 */
import { runChoreLoad } from './choreLoad.js'

const report = await runChoreLoad(Number(process.argv[2] ?? 10_000))
console.log(
  `${report.chores} chores, a virtual month: ${report.runs} runs, ${report.events} events in ${report.seconds.toFixed(1)} s; ${report.wrong.length} chores are wrong`,
)
for (const line of report.wrong.slice(0, 20)) console.error(line)
process.exitCode = report.wrong.length === 0 ? 0 : 1
