/** Every kind of fault that a simulation knows leaves a mark, and none does when it is not asked for. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  InstantC,
  PartyC,
  plus,
  StateRefC,
  toMillis,
  type FlowBody,
} from 'carillon'
import { zone } from 'carillon/calendars'
import { allFaults, simulate, type Faults, type World } from 'carillon/testing'
import { offsetMs } from '../../src/time/Zone.js'
import { app as iou } from '../session/iou.js'

const Go = defineCommand({ type: 'lamp/Go' })

/** A lamp that is lit again and again, by a step. */
const Lamp = defineState({
  type: 'lamp/Lamp',
  data: t.strict({ owner: PartyC, lightAt: InstantC }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ lightAt }, lamp) => some(Light.at(lightAt, { lamp })),
})

const Hang = defineFlow({
  name: 'lamp/Hang',
  input: t.strict({}),
  *run(io): FlowBody<void> {
    const lightAt = plus(yield* io.now(), { seconds: 5 })
    yield* io.finalise((tx) => tx.produce(Lamp, { owner: io.me, lightAt }).command(Go, [io.me]))
  },
})

const Light = defineFlow({
  name: 'lamp/Light',
  schedulable: true,
  input: t.strict({ lamp: StateRefC }),
  *run(io, { lamp }): FlowBody<void> {
    const current = yield* io.load(Lamp, lamp)
    yield* io.step('light it', () => 'lit')
    const lightAt = plus(current.data.lightAt, { minutes: 2 })
    yield* io.finalise((tx) => tx.consume(current).produce(Lamp, { owner: io.me, lightAt }).command(Go, [io.me]))
  },
})

const lamps = defineApp({ name: 'lamps', version: '2.0.0', states: [Lamp], flows: [Hang, Light] })
const earlierLamps = defineApp({ ...lamps, version: '1.0.0' })

const noFaults: Faults = {
  crashes: false,
  powerCuts: false,
  weather: false,
  partitions: false,
  clocks: false,
  disks: false,
  logs: false,
  steps: false,
  orders: false,
  dst: false,
  operators: false,
  limits: false,
  pipelines: false,
  ticks: false,
  takeovers: false,
  rebuilds: false,
  upgrades: false,
}

/** What a history was, and what is left of it. */
type History = { readonly world: World; readonly trace: readonly string[] }

/** Lives through the history of one seed, and hands over everything about it. */
const historyOf = async (app: typeof lamps, faults: Partial<Faults>, seed: number): Promise<History> => {
  const worlds: World[] = []
  const { failures } = await simulate({
    app,
    earlier: app === lamps ? [earlierLamps] : [],
    seeds: [seed],
    faults: { ...noFaults, ...faults },
    actions: 8,
    settle: { minutes: 4 },
    shrinkTries: 0,
    invariants: [
      {
        name: 'it is shown',
        violations: (world) => {
          worlds.push(world)
          return ['as it should be']
        },
      },
    ],
  })
  const [world] = worlds
  const [failure] = failures
  if (world === undefined || failure === undefined) throw new Error(`The history of seed ${seed} did not end.`)
  expect(failure.violations, 'nothing else is wrong').to.deep.equal([
    { invariant: 'it is shown', what: 'as it should be' },
  ])
  return { world, trace: failure.shrunk.trace.map(({ what }) => what) }
}

const startsOf = ({ world }: History): number =>
  Math.max(...world.parties.map(({ log }) => log.filter(({ event }) => event.type === 'NodeStarted').length))

/**
 * How long a message has waited, at most, from when it was recorded to when it was known to have arrived. One that is
 * overtaken by the next is sent again after a second; only what was lost, or held up, waits longer.
 */
const longestWaitMs = ({ world }: History): number => {
  const waits = world.parties.flatMap(({ log }) => {
    const sent = new Map<string, number>()
    return log.flatMap(({ event, at }) => {
      if (event.type !== 'MessageSent' && event.type !== 'MessageAcknowledged') return []
      const place = `${event.session} ${event.role} ${event.seq}`
      if (event.type === 'MessageSent') sent.set(place, toMillis(at))
      const since = sent.get(place)
      return event.type === 'MessageAcknowledged' && since !== undefined ? [toMillis(at) - since] : []
    })
  })
  return Math.max(0, ...waits)
}

/** Whether the clock of a party was seen to go back. */
const wentBack = ({ world }: History): boolean =>
  world.parties.some(({ log }) => log.some(({ at }, index) => toMillis(at) < toMillis(log[index - 1]?.at ?? at)))

const has = ({ world }: History, type: string): boolean =>
  world.parties.some(({ log }) => log.some(({ event }) => event.type === type))

const says = ({ trace }: History, words: RegExp): boolean => trace.some((line) => words.test(line))

const changesHour = ({ world: { plan, mendedAt } }: History): boolean =>
  ['Europe/Berlin', 'America/New_York'].some((name) => {
    const of = zone(name)
    return offsetMs(of, toMillis(plan.start)) !== offsetMs(of, toMillis(mendedAt) + 3_600_000)
  })

type Mark = {
  readonly fault: keyof Faults
  readonly app: typeof lamps
  readonly leaves: string
  readonly isSeen: (history: History) => boolean
}

const marks: readonly Mark[] = [
  { fault: 'crashes', app: lamps, leaves: 'a node that started more than once', isSeen: (it) => startsOf(it) > 1 },
  {
    fault: 'powerCuts',
    app: lamps,
    leaves: 'a node that started again after a cut at a commit',
    isSeen: (it) => startsOf(it) > 1 && says(it, /^the power of \w+ goes out$/),
  },
  {
    fault: 'weather',
    app: iou,
    leaves: 'a message that had to be sent again',
    isSeen: (it) => longestWaitMs(it) > 2_500,
  },
  { fault: 'partitions', app: iou, leaves: 'a message that could not pass', isSeen: (it) => longestWaitMs(it) > 2_500 },
  { fault: 'clocks', app: lamps, leaves: 'ticks that lie before those that they follow', isSeen: wentBack },
  {
    fault: 'disks',
    app: lamps,
    leaves: 'a caller who was told that the disk is full',
    isSeen: (it) => says(it, /it is refused: The simulated disk is full/),
  },
  {
    fault: 'logs',
    app: lamps,
    leaves: 'an append that nobody answered',
    isSeen: (it) => says(it, /keeps its log elsewhere/) && says(it, /will not answer the next/),
  },
  {
    fault: 'steps',
    app: lamps,
    leaves: 'a step that is tried again',
    isSeen: ({ world }) =>
      world.parties.some(({ log }) =>
        log.some(
          ({ event }) =>
            event.type === 'FlowAdvanced' &&
            event.waiting.some((wait) => wait.for === 'step' && wait.error?.message === 'The simulated world said no.'),
        ),
      ),
  },
  {
    fault: 'orders',
    app: lamps,
    leaves: 'a step whose end waited for time to pass',
    isSeen: (it) => says(it, /^more time passes first$/) && says(it, /^step "light it" .* ends$/),
  },
  { fault: 'dst', app: lamps, leaves: 'a history in which the clocks change', isSeen: changesHour },
  {
    fault: 'operators',
    app: lamps,
    leaves: 'a node that was drained, or an activity that was held',
    isSeen: (it) => has(it, 'DrainingStarted') || has(it, 'ActivityPaused'),
  },
  {
    fault: 'limits',
    app: lamps,
    leaves: 'a tick that was full, and one that took no more than it may',
    isSeen: ({ world: { boundaries } }) =>
      boundaries['full ticks'] > 0 && boundaries['full portions of due activities'] > 0,
  },
  {
    fault: 'pipelines',
    app: lamps,
    leaves: 'a tick that was handed over',
    isSeen: ({ world: { boundaries } }) => boundaries['ticks handed over'] > 0,
  },
  {
    fault: 'ticks',
    app: lamps,
    leaves: 'ticks as far from each other as one takes',
    isSeen: ({ world: { plan, parties } }) =>
      plan.tickMs > 0 &&
      parties.some(({ log }) =>
        log.some(({ at }, index) => toMillis(at) - toMillis(log[index - 1]?.at ?? at) === plan.tickMs),
      ),
  },
  {
    fault: 'takeovers',
    app: lamps,
    leaves: 'a process that took over, and one that found out',
    isSeen: ({ world: { boundaries } }) =>
      boundaries.takeovers > 0 && boundaries['ticks refused to a process that led'] > 0,
  },
  {
    fault: 'rebuilds',
    app: lamps,
    leaves: 'views that were rebuilt, and a store that came back from a backup of a backup',
    isSeen: ({ world: { boundaries } }) =>
      boundaries['rebuilt views'] > 0 && boundaries['backups of backups restored'] > 0,
  },
  {
    fault: 'upgrades',
    app: lamps,
    leaves: 'a node that goes on with a later version of its app',
    isSeen: ({ world: { boundaries } }) => boundaries['changes to a later version of the app'] > 0,
  },
]

/** Within so many seeds each kind of fault must have left its mark. */
const mostSeeds = 20

describe('What goes wrong in a simulation', () => {
  it('is all that can be asked for', () => {
    expect(marks.map(({ fault }) => fault)).to.have.members(Object.keys(allFaults))
  })

  it('is nothing when nothing is asked for', async () => {
    for (const seed of [0, 1]) {
      const alone = await historyOf(lamps, {}, seed)
      const together = await historyOf(iou, {}, seed)
      for (const { fault, isSeen } of marks) {
        expect(isSeen(alone), fault).to.equal(false)
        expect(isSeen(together), fault).to.equal(false)
      }
    }
  })

  for (const { fault, app, leaves, isSeen } of marks)
    it(`${fault}: leaves ${leaves}`, async () => {
      for (let seed = 0; seed < mostSeeds; seed++) if (isSeen(await historyOf(app, { [fault]: true }, seed))) return
      expect.fail(`${mostSeeds} seeds left no mark of it`)
    })
})
