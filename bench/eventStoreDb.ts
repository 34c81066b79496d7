/**
 * An EventStoreDB server to measure on: the one ESDB_URL names, or the test server in a process of its own, which keeps
 * everything in memory.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const program = join(import.meta.dirname, '..', 'test', 'eventstoredb', 'main.ts')

/** Runs work on a server and stops it afterwards, unless it was there before. */
export const withEventStoreDb = async <A>(work: (url: string) => Promise<A>): Promise<A> => {
  const given = process.env['ESDB_URL']
  if (given !== undefined && given !== '') return work(given)
  const child = spawn(process.execPath, ['--conditions=carillon-source', '--import', 'tsx', program, '--with-parent'], {
    // Its input ends with this process, however that ends.
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve)
      child.once('exit', () => reject(new Error('The test server of EventStoreDB did not start.')))
    })
    return await work(url)
  } finally {
    child.kill()
  }
}
