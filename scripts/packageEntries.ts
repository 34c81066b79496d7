/**
 * What can be imported of the package, as package.json lists it: the main entry and its subpaths.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const repository = join(import.meta.dirname, '..')

export type PackageEntry = {
  /** As an app imports it, such as `carillon/logs`. */
  readonly specifier: string
  /** Its file in the sources, such as `src/entries/logs.ts`. */
  readonly source: string
  /** Its declarations in the build, such as `dist/entries/logs.d.ts`. */
  readonly types: string
}

type Exports = Readonly<Record<string, { readonly 'carillon-source': string; readonly types: string }>>

export const packageEntries = (): readonly PackageEntry[] => {
  const { exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    readonly exports: Exports
  }
  return Object.entries(exports).map(([path, { 'carillon-source': source, types }]) => ({
    specifier: path.replace('.', 'carillon'),
    source: source.replace('./', ''),
    types: types.replace('./', ''),
  }))
}
