/** Hands a year of minutely beats from one party to another: `npm run test:history -- --beats 525600`. */
import { describeTransfer } from './describeTransfer.js'
import { transferHistory } from './transferHistory.js'

const place = process.argv.indexOf('--beats')
const beats = place < 0 ? 525_600 : Number(process.argv[place + 1])
if (!Number.isSafeInteger(beats) || beats < 2) throw new Error('--beats wants a whole number from 2 on')
const report = await transferHistory(beats, (line) => console.log(line))
console.log(describeTransfer(report).join('\n'))
process.exitCode = report.recorded === beats + 2 && report.recordedTwice === 0 ? 0 : 1
