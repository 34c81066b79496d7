/**
 * Judges the projections of a campaign against the log: what was saved, and what was read, is what the log gives up to there,
 * and at the end every projection stands where the log does.
 */
import type { CountLine } from './campaignLines.js'
import { countOn, isCountedBy, noCount, projectionNames, type Count } from './counting.js'
import type { Evidence } from './Evidence.js'

/** What the log gives a projection: the count after each event that it counts. */
const countsOf = (projection: string, events: Evidence['events']): readonly Count[] => {
  const counts = [noCount]
  let count = noCount
  for (const { event, revision } of events) {
    const happened = { revision, type: event.type }
    if (!isCountedBy(projection, happened)) continue
    count = countOn(count, happened)
    counts.push(count)
  }
  return counts
}

const isSame = (a: Count, b: Count | undefined): boolean =>
  a.count === b?.count && a.revision === b.revision && a.chain === b.chain

const shown = ({ count, revision }: Count): string => `${count} events up to revision ${revision}`

export const checkCounts = ({ ticks, events, counts: lines }: Evidence): readonly string[] => {
  const names = new Set(lines.map(({ projection }) => projection))
  const countsIn = new Map(Array.from(names, (name) => [name, countsOf(name, events)]))
  const hashAt = new Map(
    ticks.map(({ firstRevision, events: inTick, hash }) => [firstRevision + inTick.length - 1, hash as string]),
  )
  const checked = lines.flatMap(({ projection, at, count, checkpoint }) => {
    const what = `${projection} has ${at} ${shown(count)}`
    const counts = countsIn.get(projection) ?? []
    // What was saved is to be exact at its checkpoint; what was read, wherever it had come to.
    const due =
      checkpoint === undefined
        ? counts[count.count]
        : counts.findLast(({ revision }) => revision <= checkpoint.revision)
    return [
      ...(isSame(count, due) ? [] : [`${what}; the log gives ${due === undefined ? 'no such count' : shown(due)}`]),
      ...(checkpoint === undefined || hashAt.get(checkpoint.revision) === checkpoint.hash
        ? []
        : [`${what}, at revision ${checkpoint.revision} of another history`]),
    ]
  })
  return [...checked, ...checkEnds(lines, countsIn)]
}

/** The last word of each projection is about the whole log. */
const checkEnds = (lines: readonly CountLine[], countsIn: ReadonlyMap<string, readonly Count[]>): readonly string[] =>
  projectionNames.flatMap((name) => {
    const end = lines.findLast(({ projection, at }) => projection === name && at !== 'read')
    const last = countsIn.get(name)?.at(-1)
    if (end === undefined || last === undefined) return [`${name} has not said how it ended`]
    return isSame(end.count, last) ? [] : [`${name} ended with ${shown(end.count)}; the log has ${shown(last)}`]
  })
