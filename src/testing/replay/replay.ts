/**
 * Replays a log against today's code. Nothing is changed by it, no step is run, and no time passes.
 */
import { NetworkMap } from '../../identity/NetworkMap.js'
import type { EncodedTick } from '../../log/Tick.js'
import { assertionFailure } from '../assertions/AssertionFailure.js'
import { LogReplay } from './LogReplay.js'
import { ProjectionsReplay } from './ProjectionsReplay.js'
import type { ReplayOptions } from './ReplayGround.js'
import { openReplaySource, type ReplaySource } from './openReplaySource.js'
import { describeProblem, type ReplayProblem, type ReplayReport } from './ReplayReport.js'

/** What the views of a log are expected to be. */
export type ExpectedViews = {
  /** The digest of a node's views, from `node.viewsDigest()` of the very same version of Carillon. */
  readonly viewsDigest?: string
  /** The digest of what the views answer, from an earlier report; the same in every version. */
  readonly answersDigest?: string
}

const viewProblems = (report: ReplayReport, expected: ExpectedViews): readonly ReplayProblem[] => {
  const compare = (what: string, found: string, wanted: string | undefined): readonly ReplayProblem[] =>
    wanted === undefined || wanted === found
      ? []
      : [
          {
            kind: 'views',
            revision: report.head.revision,
            what: `The log gives ${what} ${found}; expected was ${wanted}.`,
            recorded: wanted,
            coded: found,
          },
        ]
  return [
    ...compare('views with the digest', report.viewsDigest, expected.viewsDigest),
    ...compare('answers with the digest', report.answersDigest, expected.answersDigest),
  ]
}

const replayTicks = async (ticks: AsyncIterable<EncodedTick>, options: ReplayOptions): Promise<ReplayReport> => {
  const replaying = new LogReplay(options)
  const projections = new ProjectionsReplay(options.app)
  try {
    for await (const tick of ticks) {
      replaying.take(tick)
      projections.take(tick)
    }
    const report = replaying.report()
    return {
      ...report,
      projections: projections.results(),
      problems: [...report.problems, ...projections.problems],
    }
  } finally {
    replaying.close()
  }
}

/** A node knows its own map; a log that is only read does not tell it. */
const networkOf = (source: ReplaySource): NetworkMap | undefined =>
  typeof source === 'object' && 'network' in source && source.network instanceof NetworkMap ? source.network : undefined

/**
 * Rebuilds the views of a log and asks today's code about everything in it: whether every flow still does what it
 * did, every contract still accepts what it accepted, and every state still asks for what it asked for.
 */
export const replay = async (
  source: ReplaySource,
  { viewsDigest, answersDigest, ...options }: ReplayOptions & ExpectedViews,
): Promise<ReplayReport> => {
  const network = options.network ?? networkOf(source)
  const report = await replayTicks(openReplaySource(source), network === undefined ? options : { ...options, network })
  const expected = {
    ...(viewsDigest === undefined ? {} : { viewsDigest }),
    ...(answersDigest === undefined ? {} : { answersDigest }),
  }
  return { ...report, problems: [...report.problems, ...viewProblems(report, expected)] }
}

/** Problems that one message lists. */
const mostListed = 20

/** As {@link replay}, and fails when anything differs. */
export const assertReplays = async (
  source: ReplaySource,
  options: ReplayOptions & ExpectedViews,
): Promise<ReplayReport> => {
  const report = await replay(source, options)
  const { problems } = report
  if (problems.length === 0) return report
  const listed = problems.slice(0, mostListed).map((problem) => `\n  - ${describeProblem(problem)}`)
  const more = problems.length > mostListed ? `\n  and ${problems.length - mostListed} more` : ''
  throw assertionFailure(
    `Today's code does not agree with the log${typeof source === 'string' ? ` ${source}` : ''}:${listed.join('')}${more}`,
  )
}
