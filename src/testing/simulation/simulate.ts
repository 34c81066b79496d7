/**
 * Runs whole networks from seeds, with everything going wrong that can, and looks for a history in which something is
 * not as it must be. The same seed and the same code give the same history.
 */
import type { DurationLikeObject } from 'luxon'
import type { App } from '../../app/App.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { assertionFailure } from '../assertions/AssertionFailure.js'
import { sumOfBoundaries, type BoundaryCounts } from './Boundaries.js'
import { builtInInvariants } from './builtInInvariants.js'
import { allFaults, easierPlans, planOf, planWith, type Cast, type Faults, type Plan } from './Plan.js'
import { randomWorkload, startableFlows } from './randomWorkload.js'
import { shrink } from './shrink.js'
import { describeFailure, type SimulationFailure, type SimulationReport, type Violation } from './SimulationReport.js'
import { SimulationRun, type RunOptions, type TraceLine } from './SimulationRun.js'
import type { Workload } from './Workload.js'
import type { Invariant, World } from './World.js'

/** What is simulated. Everything but the app has a default. */
export type SimulationOptions = {
  readonly app: App
  /** How many seeds, beginning with 0, or which. Default 20. */
  readonly seeds?: number | readonly number[]
  /** The names of the parties. Default: one, or three where the app has flows that answer others. */
  readonly parties?: readonly string[]
  /** Whether there is a notary beside them. Default: when there are several parties. */
  readonly notary?: boolean
  /**
   * How many hostile members there are beside the parties. They hold valid keys and break the protocol as they like; the
   * parties deal with them as with anyone. Then there are two notaries. Default 0.
   */
  readonly hostile?: number
  /** What may go wrong. Default: everything. */
  readonly faults?: Partial<Faults>
  /** What must hold beside what always must. */
  readonly invariants?: readonly Invariant[]
  /** What the parties do. Default: they start the app's flows with inputs made up from their codecs. */
  readonly workload?: Workload
  /** How many things happen in a history. Default 15. */
  readonly actions?: number
  /** How long everyone has at the end to come to rest. Default 15 minutes of virtual time. */
  readonly settle?: DurationLikeObject
  /** How often a failing history is tried again to find a shorter one. Default 60; 0 leaves it as it is. */
  readonly shrinkTries?: number
  /** Called after each seed. */
  readonly onSeed?: (seed: number, failure: SimulationFailure | undefined) => void
  /** Whether to stop at the first seed that fails. Default false. */
  readonly stopAtFirst?: boolean
}

/** Events of all nodes together in one history; beyond that, time stands still. */
const mostEvents = 2_500

const castOf = ({ app, parties, notary, hostile = 0 }: SimulationOptions): Cast => {
  const isShared = app.flows.some(({ respondsTo }) => respondsTo !== undefined)
  const workers = parties ?? (isShared ? ['Ann', 'Ben', 'Cas'] : ['Ann'])
  const withNotary = notary ?? workers.length + hostile > 1
  if (workers.length === 0) throw new CarillonError('usage', 'A simulation needs at least one party.')
  const notaries = hostile > 0 ? ['Notary', 'Notary 2'] : withNotary ? ['Notary'] : []
  return {
    workers,
    everyone: [...workers, ...notaries],
    notaries,
    hostile: Array.from({ length: hostile }, (_, index) => (index === 0 ? 'Mallory' : `Mallory ${index + 1}`)),
  }
}

const runOptionsOf = (options: SimulationOptions): RunOptions => {
  if (options.workload === undefined && startableFlows(options.app).length === 0)
    throw new CarillonError('usage', `App ${options.app.name} has no flow that could be started. Give a workload.`)
  return {
    app: options.app,
    cast: castOf(options),
    workload: options.workload ?? randomWorkload(options.app),
    settle: options.settle ?? { minutes: 15 },
    mostEvents,
  }
}

type Judged = {
  readonly violations: readonly Violation[]
  readonly trace: readonly TraceLine[]
  readonly events: number
  readonly transactions: number
  readonly flows: number
  readonly boundaries: BoundaryCounts
}

const judge = async (world: World, invariants: readonly Invariant[]): Promise<readonly Violation[]> => {
  const violations: Violation[] = []
  for (const { name, violations: look } of invariants)
    for (const what of await look(world)) violations.push({ invariant: name, what })
  return violations
}

const runPlan = async (plan: Plan, options: RunOptions, invariants: readonly Invariant[]): Promise<Judged> => {
  const run = await SimulationRun.start(plan, options)
  try {
    const world = await run.live()
    const sum = (of: (report: World['parties'][number]['replayed']) => number): number =>
      world.parties.reduce((total, { replayed }) => total + of(replayed), 0)
    return {
      violations: await judge(world, invariants),
      trace: run.trace,
      events: sum(({ events }) => events),
      transactions: sum(({ transactions }) => transactions),
      flows: sum(({ flows }) => flows),
      boundaries: run.boundaries.counts,
    }
  } catch (error) {
    // Whatever a history does to the harness itself is a finding too, with a history to show for it.
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const violations = [{ invariant: 'the simulation goes through', what }]
    return { violations, trace: run.trace, events: 0, transactions: 0, flows: 0, boundaries: run.boundaries.counts }
  } finally {
    await run.stop()
  }
}

const shrinkFailure = async (
  plan: Plan,
  failed: Judged,
  options: RunOptions,
  invariants: readonly Invariant[],
  mostTries: number,
): Promise<SimulationFailure> => {
  const broken = failed.violations[0]?.invariant
  let last = failed
  const fails = async (other: Plan): Promise<boolean> => {
    const tried = await runPlan(other, options, invariants)
    const isSame = tried.violations.some(({ invariant }) => invariant === broken)
    if (isSame) last = tried
    return isSame
  }
  const actions = await shrink(plan.actions, (shorter) => fails(planWith(plan, shorter)), mostTries)
  let shortest = planWith(plan, actions)
  // What the failure does not need, such as the weather it began with, would only lead its reader astray.
  if (mostTries > 0) for (const eased of easierPlans(plan)) if (await fails(eased(shortest))) shortest = eased(shortest)
  return {
    seed: plan.seed,
    violations: failed.violations,
    shrunk: { actions: actions.length, of: plan.actions.length, violations: last.violations, trace: last.trace },
  }
}

const seedsOf = ({ seeds = 20 }: SimulationOptions): readonly number[] =>
  typeof seeds === 'number' ? Array.from({ length: seeds }, (_, seed) => seed) : seeds

/** Simulates an app, seed after seed. Failures come with the shortest history that still fails. */
export const simulate = async (options: SimulationOptions): Promise<SimulationReport> => {
  const runOptions = runOptionsOf(options)
  const invariants = [...builtInInvariants, ...(options.invariants ?? [])]
  const faults = { ...allFaults, ...options.faults }
  const beganMs = performance.now()
  const failures: SimulationFailure[] = []
  const boundaries: BoundaryCounts[] = []
  const sums = { seeds: 0, events: 0, transactions: 0, flows: 0 }
  for (const seed of seedsOf(options)) {
    const plan = planOf(seed, runOptions.cast, faults, options.actions ?? 15)
    const judged = await runPlan(plan, runOptions, invariants)
    sums.seeds += 1
    sums.events += judged.events
    sums.transactions += judged.transactions
    sums.flows += judged.flows
    boundaries.push(judged.boundaries)
    const failure =
      judged.violations.length === 0
        ? undefined
        : await shrinkFailure(plan, judged, runOptions, invariants, options.shrinkTries ?? 60)
    if (failure !== undefined) failures.push(failure)
    options.onSeed?.(seed, failure)
    if (failure !== undefined && options.stopAtFirst === true) break
  }
  return { ...sums, boundaries: sumOfBoundaries(boundaries), elapsedMs: performance.now() - beganMs, failures }
}

/** As {@link simulate}, and fails at the first seed whose history breaks an invariant, with that history. */
export const assertSimulates = async (options: SimulationOptions): Promise<SimulationReport> => {
  const report = await simulate({ ...options, stopAtFirst: true })
  const [failure] = report.failures
  if (failure === undefined) return report
  throw assertionFailure(
    describeFailure(failure, `simulate({ …, seeds: [${failure.seed}] })`).join('\n'),
    failure.shrunk.violations.map(({ invariant, what }) => `${invariant}: ${what}`),
    [],
  )
}
