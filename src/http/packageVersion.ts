/**
 * The version of this package, as its own file says. It is read when it is asked for: in an app that was bundled into
 * one file there is none beside it, and that must not keep the app from starting.
 */
import { readFileSync } from 'node:fs'
import * as t from 'io-ts'

const PackageC = t.type({ name: t.literal('carillon'), version: t.string })

let known: string | undefined

const read = (): string => {
  try {
    const found: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    return PackageC.is(found) ? found.version : 'unknown'
  } catch {
    // Bundled, as said above.
    return 'unknown'
  }
}

export const packageVersion = (): string => (known ??= read())
