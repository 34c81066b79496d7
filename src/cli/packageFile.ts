/**
 * This package's own package.json: the version, and the versions of the tools it is tested with.
 */
import { readFileSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CarillonError } from '../errors/CarillonError.js'

const PackageC = t.type({
  version: t.string,
  dependencies: t.record(t.string, t.string),
  devDependencies: t.record(t.string, t.string),
})
export type Package = t.TypeOf<typeof PackageC>

/** It lies two folders up, from the sources as from what is built. */
export const readPackage = (): Package => {
  const decoded = PackageC.decode(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')))
  if (isLeft(decoded))
    throw new CarillonError(
      'invariant-broken',
      'The package.json of Carillon is not what it should be. Install it again.',
    )
  return decoded.right
}
