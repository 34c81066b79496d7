/** The table of seeded defects, as the reference shows it. */
import { defects } from './defects.js'
import type { Hunted } from './huntDefect.js'

export const page = 'docs/reference/seeded-defects.md'

export const tableOf = (results: ReadonlyMap<string, Hunted>): string =>
  [
    '| defect | the mistake | histories | found by |',
    '| --- | --- | ---: | --- |',
    ...defects.map(({ name, mistake }) => {
      const result = results.get(name)
      return `| \`${name}\` | ${mistake} | ${result?.histories ?? ''} | ${result?.found?.invariant ?? 'not found'} |`
    }),
  ].join('\n')
