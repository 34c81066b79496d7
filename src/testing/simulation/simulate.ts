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
import { nextOrder, type Choice } from './Order.js'
import { allFaults, easierPlans, planInOrder, planOf, planWith, type Cast, type Faults, type Plan } from './Plan.js'
import { randomWorkload, startableFlows } from './randomWorkload.js'
import { shrink } from './shrink.js'
import { describeFailure, type SimulationFailure, type SimulationReport, type Violation } from './SimulationReport.js'
import { SimulationRun, type RunOptions, type TraceLine } from './SimulationRun.js'
import type { Workload } from './Workload.js'
import type { Invariant, World } from './World.js'

/** What is simulated. Everything but the app has a default. */
export type SimulationOptions = {
  readonly app: App
  /**
   * Earlier versions of the app, the oldest first. A history begins with one of them, or with the app, and its parties
   * change to later ones while it goes on. Default: none.
   */
  readonly earlier?: readonly App[]
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
  /** What is counted beside the boundaries that every history has, by name: how often a world has it at its end. */
  readonly counts?: Readonly<Record<string, (world: World) => number>>
  /** What the parties do. Default: they start the app's flows with inputs made up from their codecs. */
  readonly workload?: Workload
  /** How many things happen in a history. Default 15; where all orders are tried, one of each party. */
  readonly actions?: number
  /**
   * Tries all orders in which steps can end, time can pass and the parties can do what they do, instead of one order a seed.
   * Nothing goes wrong in them. A number says how many orders are tried at most; `true` stands for 1,000. Default false.
   */
  readonly exhaustive?: boolean | number
  /** How long everyone has at the end to come to rest. Default 15 minutes of virtual time. */
  readonly settle?: DurationLikeObject
  /** How often a failing history is tried again to find a shorter one. Default 60; 0 leaves it as it is. */
  readonly shrinkTries?: number
  /** Called after each seed. */
  readonly onSeed?: (seed: number, failure: SimulationFailure | undefined) => void
  /** Whether to stop at the first seed that fails. Default false. */
  readonly stopAtFirst?: boolean
}

/** Orders that are tried at most unless another number is given. */
const mostOrders = 1_000

/** Events of all nodes together in one history; beyond that, time stands still. */
const mostEvents = 2_500

const castOf = ({ app, earlier = [], parties, notary, hostile = 0 }: SimulationOptions): Cast => {
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
    earlier: earlier.length,
  }
}

const runOptionsOf = (options: SimulationOptions): RunOptions => {
  if (options.workload === undefined && startableFlows(options.app).length === 0)
    throw new CarillonError('usage', `App ${options.app.name} has no flow that could be started. Give a workload.`)
  return {
    app: options.app,
    earlier: options.earlier ?? [],
    cast: castOf(options),
    workload: options.workload ?? randomWorkload(options.app),
    settle: options.settle ?? { minutes: 15 },
    mostEvents,
  }
}

/** What is held against a world, and what is counted in it. */
type Judge = { readonly invariants: readonly Invariant[]; readonly counts: NonNullable<SimulationOptions['counts']> }

type Judged = {
  readonly violations: readonly Violation[]
  readonly trace: readonly TraceLine[]
  readonly choices: readonly Choice[]
  readonly events: number
  readonly transactions: number
  readonly flows: number
  readonly boundaries: BoundaryCounts
}

const violationsIn = async (world: World, invariants: readonly Invariant[]): Promise<readonly Violation[]> => {
  const violations: Violation[] = []
  for (const { name, violations: look } of invariants)
    for (const what of await look(world)) violations.push({ invariant: name, what })
  return violations
}

const runPlan = async (plan: Plan, options: RunOptions, { invariants, counts }: Judge): Promise<Judged> => {
  const run = await SimulationRun.start(plan, options)
  try {
    const world = await run.live()
    const sum = (of: (report: World['parties'][number]['replayed']) => number): number =>
      world.parties.reduce((total, { replayed }) => total + of(replayed), 0)
    return {
      violations: await violationsIn(world, invariants),
      trace: run.trace,
      choices: run.chooser.made,
      events: sum(({ events }) => events),
      transactions: sum(({ transactions }) => transactions),
      flows: sum(({ flows }) => flows),
      boundaries: {
        ...run.boundaries.counts,
        ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count(world)])),
      },
    }
  } catch (error) {
    // Whatever a history does to the harness itself is a finding too, with a history to show for it.
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const violations = [{ invariant: 'the simulation goes through', what }]
    const { trace, chooser, boundaries } = run
    return {
      ...{ violations, trace, choices: chooser.made, boundaries: boundaries.counts },
      ...{ events: 0, transactions: 0, flows: 0 },
    }
  } finally {
    await run.stop()
  }
}

/** Chooses the first of what is possible wherever the failure does not need another. */
const shrinkOrder = async (
  plan: Plan,
  made: readonly Choice[],
  fails: (other: Plan) => Promise<boolean>,
  mostTries: number,
): Promise<void> => {
  const order = await shrink(
    made.map(({ chosen }) => chosen),
    (fewer) => fails({ ...plan, order: fewer }),
    mostTries,
  )
  const orderOf = (places: readonly number[]): readonly number[] =>
    order.map((chosen, place) => (places.includes(place) ? chosen : 0))
  const places = order.flatMap((chosen, place) => (chosen === 0 ? [] : [place]))
  await shrink(places, (fewer) => fails({ ...plan, order: orderOf(fewer) }), mostTries)
}

const shrinkFailure = async (
  plan: Plan,
  failed: Judged,
  options: RunOptions,
  judge: Judge,
  mostTries: number,
): Promise<SimulationFailure> => {
  const broken = failed.violations[0]?.invariant
  let last = failed
  const fails = async (other: Plan): Promise<boolean> => {
    const tried = await runPlan(other, options, judge)
    const isSame = tried.violations.some(({ invariant }) => invariant === broken)
    if (isSame) last = tried
    return isSame
  }
  const actions = await shrink(plan.actions, (shorter) => fails(planWith(plan, shorter)), mostTries)
  let shortest = planWith(plan, actions)
  // What the failure does not need, such as the weather it began with, would only lead its reader astray.
  if (mostTries > 0 && !plan.anyPace)
    for (const eased of easierPlans(plan)) if (await fails(eased(shortest))) shortest = eased(shortest)
  if (shortest.order !== 'inTurn') await shrinkOrder(shortest, last.choices, fails, mostTries)
  return {
    seed: plan.seed,
    violations: failed.violations,
    shrunk: { actions: actions.length, of: plan.actions.length, violations: last.violations, trace: last.trace },
  }
}

const seedsOf = ({
  exhaustive = false,
  seeds = exhaustive === false ? 20 : 1,
}: SimulationOptions): readonly number[] =>
  typeof seeds === 'number' ? Array.from({ length: seeds }, (_, seed) => seed) : seeds

/** The plans of a seed, one after the other: each is made once the one before has been lived through. */
type Plans = (seed: number) => { readonly first: Plan; readonly next: (lived: Judged) => Plan | undefined }

const plansOf = (options: SimulationOptions, cast: Cast): Plans => {
  const { exhaustive = false, actions } = options
  if (exhaustive === false) {
    const faults = { ...allFaults, ...options.faults }
    return (seed) => ({ first: planOf(seed, cast, faults, actions ?? 15), next: () => undefined })
  }
  return (seed) => {
    const first = planInOrder(seed, cast, actions ?? 1)
    const next = ({ choices }: Judged): Plan | undefined => {
      const order = nextOrder(choices)
      return order === undefined ? undefined : { ...first, order }
    }
    return { first, next }
  }
}

/** Simulates an app, seed after seed. Failures come with the shortest history that still fails. */
export const simulate = async (options: SimulationOptions): Promise<SimulationReport> => {
  const runOptions = runOptionsOf(options)
  const { exhaustive = false } = options
  const most = exhaustive === true ? mostOrders : exhaustive
  const plans = plansOf(options, runOptions.cast)
  const judge = { invariants: [...builtInInvariants, ...(options.invariants ?? [])], counts: options.counts ?? {} }
  const beganMs = performance.now()
  const failures: SimulationFailure[] = []
  const boundaries: BoundaryCounts[] = []
  const sums = { seeds: 0, orders: 0, events: 0, transactions: 0, flows: 0 }
  let untried = 0
  for (const seed of seedsOf(options)) {
    const { first, next } = plans(seed)
    let failure: SimulationFailure | undefined
    sums.seeds += 1
    for (let plan: Plan | undefined = first, orders = 1; plan !== undefined && failure === undefined; orders++) {
      const judged = await runPlan(plan, runOptions, judge)
      sums.orders += 1
      sums.events += judged.events
      sums.transactions += judged.transactions
      sums.flows += judged.flows
      boundaries.push(judged.boundaries)
      if (judged.violations.length > 0)
        failure = await shrinkFailure(plan, judged, runOptions, judge, options.shrinkTries ?? 60)
      plan = next(judged)
      if (plan === undefined || orders < Number(most)) continue
      untried += 1
      break
    }
    if (failure !== undefined) failures.push(failure)
    options.onSeed?.(seed, failure)
    if (failure !== undefined && options.stopAtFirst === true) break
  }
  const allOrders = exhaustive === false ? undefined : untried === 0 && failures.length === 0
  const elapsedMs = performance.now() - beganMs
  return { ...sums, allOrders, boundaries: sumOfBoundaries(boundaries), elapsedMs, failures }
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
