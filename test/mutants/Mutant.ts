/** One small change of one source file, and what noticed it. */
import * as t from 'io-ts'

const PlaceC = t.type({ line: t.number, column: t.number })

export const MutantC = t.intersection([
  t.type({
    group: t.string,
    file: t.string,
    /** Lines and columns count from 0. */
    start: PlaceC,
    end: PlaceC,
    mutator: t.string,
    replacement: t.string,
  }),
  t.partial({
    /** What switches it on. */
    id: t.string,
    /** The histories that execute it when nothing is changed. */
    reachedBy: t.array(t.string),
    /** The spec files that execute it when nothing is changed. */
    coveredBy: t.array(t.string),
    /** Which spec failed; null when none did. */
    specs: t.union([t.string, t.null]),
    /** What a simulated history found; null when none did. */
    histories: t.union([t.string, t.null]),
  }),
])

export type Mutant = t.TypeOf<typeof MutantC>

export const isFoundBySpecs = ({ specs }: Mutant): boolean => typeof specs === 'string'

export const isFoundByHistories = ({ histories }: Mutant): boolean => typeof histories === 'string'

/** Where it is, as an editor wants it. */
export const placeOf = ({ file, start }: Mutant): string => `${file}:${start.line + 1}:${start.column + 1}`

/** Two mutants are the same when they make the same change in the same place. */
export const identityOf = (mutant: Omit<Mutant, 'group'>): string =>
  [placeOf({ ...mutant, group: '' }), mutant.end.line, mutant.end.column, mutant.replacement].join(' ')
