/**
 * The version of this package, as its own file says.
 */
import { readFileSync } from 'node:fs'
import * as t from 'io-ts'

const PackageC = t.type({ version: t.string })

const found: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
export const packageVersion = PackageC.is(found) ? found.version : '0.0.0'
