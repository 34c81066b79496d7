/** What a transfer of history cost, in lines for people. */
import type { TransferReport } from './transferHistory.js'

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`
const pace = (count: number, ms: number): string => `${Math.round((count * 1_000) / ms)} a second`

export const describeTransfer = (report: TransferReport): readonly string[] => {
  const { beats, grownMs, transferMs, recorded, recordedTwice } = report
  return [
    `${beats} beats grown in ${seconds(grownMs)}, ${pace(beats, grownMs)}`,
    `${recorded} transactions handed over in ${seconds(transferMs)}, ${pace(recorded, transferMs)}; ${recordedTwice} recorded twice`,
    `killed with ${report.heldWhenKilled} of them; went on ${seconds(report.resumedMs)} after its restart`,
    `largest tick ${report.largestTickBytes} bytes; longest turn ${seconds(report.longestTurnMs)}; at most ${mebibytes(report.peakMemoryBytes)} of memory for the three nodes`,
    `stores: ${Object.entries(report.storeBytes)
      .map(([name, bytes]) => `${name} ${mebibytes(bytes)}`)
      .join(', ')}`,
  ]
}
