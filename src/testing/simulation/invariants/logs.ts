/**
 * What must be true of each log for itself: it is sound, it gives the very views the node has, and the app's code agrees
 * with it.
 */
import { describeProblem, type ReplayProblem } from '../../replay/ReplayReport.js'
import type { Invariant, PartyAtEnd, World } from '../World.js'

const problemsOf = ({ parties }: World, ...kinds: readonly ReplayProblem['kind'][]): readonly string[] =>
  parties.flatMap(({ name, replayed }) =>
    replayed.problems
      .filter(({ kind }) => kinds.includes(kind))
      .map((problem) => `${name}, ${describeProblem(problem)}`),
  )

/** Order, running hash, transaction ids and signatures. */
export const chainIntact: Invariant = {
  name: 'every log is sound',
  violations: (world) => problemsOf(world, 'log'),
}

/** Folding the log anew gives the same rows. */
export const rebuildIdentical: Invariant = {
  name: 'every log gives the views that the node has',
  violations: (world) => problemsOf(world, 'views'),
}

/** Where the version of the app began that a party runs at the end. */
const lastVersionFrom = ({ log }: PartyAtEnd): number => {
  const starts = log.flatMap(({ event, revision }) =>
    event.type === 'NodeStarted' ? [{ revision, version: event.appVersion }] : [],
  )
  const before = starts.findLastIndex(({ version }) => version !== starts.at(-1)?.version)
  return starts[before + 1]?.revision ?? 0
}

/**
 * Flows agree with their records, contracts with what they accepted, states with what they asked for. Of a state that an
 * earlier version of the app has recorded, a later one may say something else.
 */
export const codeAgrees: Invariant = {
  name: 'the code agrees with what is recorded',
  violations: (world) => [
    ...problemsOf(world, 'flow', 'contract'),
    ...world.parties.flatMap((party) => {
      const from = lastVersionFrom(party)
      const { problems } = party.replayed
      return problems
        .filter(({ kind, revision }) => kind === 'activity' && revision >= from)
        .map((problem) => `${party.name}, ${describeProblem(problem)}`)
    }),
  ],
}
