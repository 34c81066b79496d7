/**
 * What a seed stands for: a list of things that happen to a network, one after the other. A plan is plain data, so it
 * can be cut down to what a failure needs, and read.
 */
import type { NotaryKind } from '../../identity/NetworkMap.js'
import { instant, type Instant } from '../../time/Instant.js'
import { fairWeather, type Weather } from '../VirtualTransport.js'
import type { GivenLimits } from '../../node/NodeLimits.js'
import { Chance } from './Chance.js'
import type { Order } from './Order.js'
import { smallLimits } from './smallLimits.js'
import type { PowerCut } from './DiskFaults.js'

/** What may go wrong in a simulation. Everything does by default. */
export type Faults = {
  /** Nodes are killed at any moment, and started again sooner or later. */
  readonly crashes: boolean
  /** Nodes are killed right before or right after a commit. */
  readonly powerCuts: boolean
  /** Messages are lost, repeated, delayed and overtake each other. */
  readonly weather: boolean
  /** Parties cannot reach each other for a while. */
  readonly partitions: boolean
  /** Clocks are ahead or behind, and are set, forwards and backwards. */
  readonly clocks: boolean
  /** Disks are full for a while, or slow. */
  readonly disks: boolean
  /** Some keep their log elsewhere, and now and then it does not answer, whether it took what it was sent or not. */
  readonly logs: boolean
  /** Steps fail, or take their time. */
  readonly steps: boolean
  /** Steps end in any order, and while time passes. */
  readonly orders: boolean
  /** The history begins shortly before clocks change to or from daylight saving time. */
  readonly dst: boolean
  /** Operators drain nodes, trigger and pause activities. */
  readonly operators: boolean
  /** Limits are small: ticks are full, portions are many, and nothing stays in memory for long. */
  readonly limits: boolean
  /** Ticks are committed while the next is decided. */
  readonly pipelines: boolean
  /** Ticks take time, in which more falls due and more comes while there is work left. */
  readonly ticks: boolean
  /** Where the log is kept elsewhere, another process takes over, whether the one that leads is gone or not. */
  readonly takeovers: boolean
  /** Views are rebuilt from the log, and stores come back from a backup of a backup. */
  readonly rebuilds: boolean
  /** Parties begin with an earlier version of the app, where one is given, and change to later ones. */
  readonly upgrades: boolean
}

/** Everything that can go wrong. */
export const allFaults: Faults = {
  crashes: true,
  powerCuts: true,
  weather: true,
  partitions: true,
  clocks: true,
  disks: true,
  logs: true,
  steps: true,
  orders: true,
  dst: true,
  operators: true,
  limits: true,
  pipelines: true,
  ticks: true,
  takeovers: true,
  rebuilds: true,
  upgrades: true,
}

/** What an operator does in a simulation. */
export type OperatorAct = 'drain' | 'endDraining' | 'trigger' | 'pause' | 'resume'

/** Something that happens, so long after what happened before. */
export type Action = { readonly id: number; readonly afterMs: number } & (
  | { readonly kind: 'work'; readonly party: string }
  | { readonly kind: 'crash'; readonly party: string; readonly downMs: number }
  | {
      readonly kind: 'powerCut'
      readonly party: string
      readonly side: PowerCut
      readonly commits: number
      readonly downMs: number
    }
  | { readonly kind: 'weather'; readonly weather: Weather }
  | { readonly kind: 'partition'; readonly groups: readonly (readonly string[])[] }
  | { readonly kind: 'heal' }
  | { readonly kind: 'clock'; readonly party: string; readonly offsetMs: number }
  | { readonly kind: 'diskFull'; readonly party: string; readonly commits: number }
  | { readonly kind: 'diskSlow'; readonly party: string; readonly turns: number }
  | { readonly kind: 'silence'; readonly party: string; readonly appends: number; readonly arrives: boolean }
  | { readonly kind: 'takeover'; readonly party: string; readonly isAlone: boolean }
  | { readonly kind: 'rebuild'; readonly party: string; readonly from: 'log' | 'backup' }
  | { readonly kind: 'upgrade'; readonly party: string; readonly versions: number }
  | { readonly kind: 'attack'; readonly party: string }
  | { readonly kind: 'operate'; readonly party: string; readonly act: OperatorAct }
)

/** A whole history, before it has happened. */
export type Plan = {
  readonly seed: number
  readonly start: Instant
  readonly notary: NotaryKind
  readonly weather: Weather
  readonly development: boolean
  /** One step in so many fails; 0 for none. */
  readonly stepFailures: number
  /** In which order steps end, and whether time passes before they do. */
  readonly order: Order
  /** Whether what is done next may come at any time, and not so long after what happened before. */
  readonly anyPace: boolean
  /** Those whose log is kept elsewhere. */
  readonly remote: readonly string[]
  /** Those whose ticks are committed while the next is decided. */
  readonly pipelined: readonly string[]
  /** How long a tick takes, by the clocks of all; 0 where time passes only when there is nothing left to do. */
  readonly tickMs: number
  /** How many versions behind the last one the app is that everyone begins with. */
  readonly versionsBehind: number
  /** The limits of all nodes that differ from their defaults. */
  readonly limits: GivenLimits
  readonly actions: readonly Action[]
  /** How long it goes on after the last of them. */
  readonly restMs: number
}

export type Cast = {
  /** Those who work. */
  readonly workers: readonly string[]
  /** Everyone with a node, notaries included. */
  readonly everyone: readonly string[]
  readonly notaries: readonly string[]
  /** Members that break the protocol as they like. */
  readonly hostile: readonly string[]
  /** How many earlier versions of the app there are. */
  readonly earlier: number
}

/** Shortly before the clocks change, in Europe and in America, to and fro. */
const changesOfClocks = [
  '2026-03-29T00:58:00Z',
  '2026-10-25T00:58:00Z',
  '2026-03-08T06:58:00Z',
  '2026-11-01T05:58:00Z',
].map(instant)

/** Before a day that one side of the date line left out; before the end of a month, of February in two kinds of year, of a year. */
const endsOfDates = [
  '2011-12-30T09:58:00Z',
  '2026-01-31T23:58:00Z',
  '2026-02-28T23:58:00Z',
  '2028-02-28T23:58:00Z',
  '2026-12-31T23:58:00Z',
].map(instant)

const ordinaryStart = instant('2026-01-01T00:00:00Z')

const badWeather = (chance: Chance): Weather => ({
  minLatencyMs: 1,
  maxLatencyMs: 1 + chance.below(3_000),
  loss: chance.below(30) / 100,
  duplication: chance.below(30) / 100,
})

type Draft = Action extends infer A ? (A extends Action ? Omit<A, 'id' | 'afterMs'> : never) : never

const faultOf = (
  chance: Chance,
  { everyone, earlier }: Cast,
  faults: Faults,
  remote: readonly string[],
): Draft | undefined => {
  const party = chance.pick(everyone)
  const downMs = chance.oneIn(3) ? 0 : chance.below(20_000)
  const possible: (() => Draft)[] = []
  if (faults.crashes) possible.push(() => ({ kind: 'crash', party, downMs }))
  if (faults.powerCuts) {
    const cut = (): Draft => ({
      kind: 'powerCut',
      party,
      side: chance.oneIn(2) ? 'before' : 'after',
      commits: chance.below(6),
      downMs,
    })
    possible.push(cut, cut)
  }
  if (faults.clocks)
    possible.push(() => ({ kind: 'clock', party, offsetMs: chance.oneIn(3) ? 0 : chance.between(-90_000, 90_000) }))
  if (faults.disks) {
    possible.push(() => ({ kind: 'diskFull', party, commits: chance.between(1, 4) }))
    possible.push(() => ({ kind: 'diskSlow', party, turns: chance.oneIn(3) ? 0 : chance.between(1, 12) }))
  }
  if (remote.length > 0) {
    const silence = (): Draft => ({
      kind: 'silence',
      party: chance.pick(remote),
      appends: chance.between(1, 3),
      arrives: chance.oneIn(2),
    })
    if (faults.logs) possible.push(silence)
    const takeover = (): Draft => ({ kind: 'takeover', party: chance.pick(remote), isAlone: chance.oneIn(3) })
    if (faults.takeovers) possible.push(takeover, takeover)
  }
  const embedded = everyone.filter((name) => !remote.includes(name))
  if (faults.rebuilds && embedded.length > 0)
    possible.push(() => ({
      kind: 'rebuild',
      party: chance.pick(embedded),
      from: chance.oneIn(4) ? 'backup' : 'log',
    }))
  if (faults.upgrades && earlier > 0) {
    const upgrade = (): Draft => ({ kind: 'upgrade', party, versions: chance.between(1, earlier) })
    possible.push(upgrade, upgrade)
  }
  if (faults.operators) {
    const acts: readonly OperatorAct[] = ['drain', 'endDraining', 'endDraining', 'trigger', 'pause', 'resume']
    possible.push(() => ({ kind: 'operate', party, act: chance.pick(acts) }))
  }
  if (everyone.length > 1) {
    if (faults.weather) possible.push(() => ({ kind: 'weather', weather: badWeather(chance) }))
    if (faults.partitions) {
      possible.push(() => {
        const one = chance.some(everyone, chance.between(1, everyone.length - 1))
        return { kind: 'partition', groups: [one, everyone.filter((name) => !one.includes(name))] }
      })
      possible.push(() => ({ kind: 'heal' }))
    }
  }
  return possible.length === 0 ? undefined : chance.pick(possible)()
}

/** The history of a seed. */
export const planOf = (seed: number, cast: Cast, faults: Faults, length: number): Plan => {
  const chance = new Chance(`history ${seed}`)
  const start =
    faults.dst && chance.oneIn(2) ? chance.pick(chance.oneIn(3) ? endsOfDates : changesOfClocks) : ordinaryStart
  const notary = chance.oneIn(2) ? 'validating' : 'nonValidating'
  const weather = faults.weather && cast.everyone.length > 1 ? badWeather(chance) : fairWeather
  const remote = faults.logs || faults.takeovers ? cast.everyone.filter(() => chance.oneIn(3)) : []
  const stepFailures = faults.steps && chance.oneIn(2) ? chance.between(2, 6) : 0
  // From choices of its own, so that what else happens does not depend on it.
  const more = new Chance(`limits ${seed}`)
  const pipelined = faults.pipelines ? cast.everyone.filter((name) => !remote.includes(name) && !more.oneIn(3)) : []
  // In half of the histories, so that larger portions are met as well.
  const versionsBehind = faults.upgrades && cast.earlier > 0 ? more.between(0, cast.earlier) : 0
  const given = faults.limits && more.oneIn(2) ? smallLimits(more) : {}
  // Otherwise no tick would be large enough to be handed over.
  const handedOverBytes = more.pick([1, 512, 2_048])
  const limits = pipelined.length === 0 ? given : { ...given, storage: { ...given.storage, handedOverBytes } }
  const tickMs = faults.ticks && more.oneIn(2) ? more.between(1, 20) : 0
  const actions: Action[] = []
  // An adversary does something most of the time; without one, histories are the same as they were before there was any.
  const attack = (): Draft | undefined =>
    cast.hostile.length > 0 && !chance.oneIn(3) ? { kind: 'attack', party: chance.pick(cast.hostile) } : undefined
  while (actions.length < length) {
    const draft: Draft | undefined =
      actions.length === 0 || chance.oneIn(2)
        ? { kind: 'work', party: chance.pick(cast.workers) }
        : (attack() ?? faultOf(chance, cast, faults, remote))
    // Some things happen at the same instant, most within seconds, a few after a long time.
    const afterMs = chance.oneIn(4) ? 0 : chance.oneIn(12) ? chance.below(600_000) : chance.below(4_000)
    actions.push({ id: actions.length, afterMs, ...(draft ?? { kind: 'work', party: chance.pick(cast.workers) }) })
  }
  return {
    seed,
    start,
    notary,
    weather,
    development: seed % 10 === 0,
    stepFailures,
    order: faults.orders ? 'bySeed' : 'inTurn',
    anyPace: false,
    remote,
    pipelined,
    tickMs,
    versionsBehind,
    limits,
    actions,
    restMs: 0,
  }
}

/** The first history where all orders are tried: everyone does something in turn, and nothing goes wrong. */
export const planInOrder = (seed: number, cast: Cast, length: number): Plan => ({
  seed,
  start: ordinaryStart,
  notary: 'validating',
  weather: fairWeather,
  development: false,
  stepFailures: 0,
  order: [],
  anyPace: true,
  remote: [],
  pipelined: [],
  tickMs: 0,
  versionsBehind: 0,
  // What a node does now and then of its own accord decides nothing here, and would come before and after everything else.
  limits: { engine: { stepHangsMs: 86_400_000 }, backup: { checkpointMs: 86_400_000 } },
  actions: cast.workers
    .flatMap((party) => Array.from({ length }, (): Draft => ({ kind: 'work', party })))
    .map((draft, id): Action => ({ id, afterMs: 0, ...draft })),
  restMs: 0,
})

/** The plan with an easier beginning, one in each respect in which it is not easy already. */
export const easierPlans = (plan: Plan): readonly ((of: Plan) => Plan)[] => [
  ...(plan.weather === fairWeather ? [] : [(of: Plan) => ({ ...of, weather: fairWeather })]),
  ...(plan.stepFailures === 0 ? [] : [(of: Plan) => ({ ...of, stepFailures: 0 })]),
  ...(plan.order === 'bySeed' ? [(of: Plan): Plan => ({ ...of, order: 'inTurn' })] : []),
  ...(plan.tickMs === 0 ? [] : [(of: Plan) => ({ ...of, tickMs: 0 })]),
  ...(plan.pipelined.length === 0 ? [] : [(of: Plan) => ({ ...of, pipelined: [] })]),
  ...(Object.keys(plan.limits).length === 0 ? [] : [(of: Plan) => ({ ...of, limits: {} })]),
  ...(plan.versionsBehind === 0 ? [] : [(of: Plan) => ({ ...of, versionsBehind: 0 })]),
  ...(plan.remote.length === 0 ? [] : [(of: Plan) => ({ ...of, remote: [] })]),
  ...(plan.start === ordinaryStart ? [] : [(of: Plan) => ({ ...of, start: ordinaryStart })]),
]

/** The plan with only some of its actions, each when it was before. */
export const planWith = (plan: Plan, kept: readonly Action[]): Plan => {
  const ids = new Set(kept.map(({ id }) => id))
  const actions: Action[] = []
  let waitedMs = 0
  for (const action of plan.actions) {
    waitedMs += action.afterMs
    if (!ids.has(action.id)) continue
    actions.push({ ...action, afterMs: waitedMs })
    waitedMs = 0
  }
  return { ...plan, actions, restMs: plan.restMs + waitedMs }
}
