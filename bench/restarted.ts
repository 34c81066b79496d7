/**
 * Restarts in a process of their own, as they happen in life: nothing is warm but the page cache.
 */
import { once } from 'node:events'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { startProgram } from './ownProcess.js'

/** What the restarted process reports of itself; times in milliseconds from the call of `startNode`. */
export const RestartReportC = t.strict({
  startMs: t.number,
  firstMs: t.number,
  allMs: t.number,
  sinceProcessStartMs: t.number,
  rssMB: t.number,
})
export type RestartReport = t.TypeOf<typeof RestartReportC>

/**
 * Starts the node in a new process and returns what it reports once it is ready, has been idle for so many milliseconds,
 * or has fired so many.
 */
export const inOwnProcess = async (
  until: 'ready' | 'idle' | 'fired',
  store: string,
  number = 0,
): Promise<RestartReport> => {
  const child = startProgram('restartedProcess', until, store, String(number))
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`The restarted process ended with ${String(child.exitCode)}.`)
  const report = RestartReportC.decode(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  if (isLeft(report)) throw new Error('The restarted process gave no report.')
  return report.right
}

/** Starts a process that holds the store open, its clock at a standstill at `heldMs`, and kills it with SIGKILL. */
export const killedWhenReady = async (store: string, heldMs: number): Promise<void> => {
  const child = startProgram('restartedProcess', 'held', store, String(heldMs))
  await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  if (child.signalCode !== 'SIGKILL') throw new Error('The process ended by itself instead of being killed.')
}
