/**
 * Hunts one defect: starts a process whose loader makes the change, and hears what its simulations have found.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Defect } from './defects.js'

const HuntedC = t.intersection([
  t.type({ histories: t.number }),
  t.partial({ found: t.type({ seed: t.number, app: t.string, invariant: t.string, what: t.string }) }),
])
export type Hunted = t.TypeOf<typeof HuntedC>

export const hunt = async ({ file, find, replace, world }: Defect, mostSeeds: number): Promise<Hunted> => {
  const here = import.meta.dirname
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...['--import', pathToFileURL(join(here, 'patchSource.mjs')).href],
      ...['--conditions=carillon-source', '--import', import.meta.resolve('tsx')],
      ...[join(here, 'hunt.ts'), String(mostSeeds), ...(world === undefined ? [] : [world])],
    ],
    { env: { ...process.env, CARILLON_DEFECT: JSON.stringify({ file, find, replace }) }, maxBuffer: 1e8 },
  )
  const decoded = HuntedC.decode(JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}'))
  if (isLeft(decoded)) throw new Error(`The hunt said something else: ${stdout}`)
  return decoded.right
}
