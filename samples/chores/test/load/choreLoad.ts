/**
 * Many chores with different intervals for a virtual month, with an outage in the middle: every chore must have run
 * exactly as often, and be booked exactly for, what the rule of its kind implies. Chores that count from the fire
 * drift by the lateness of the fires and by nothing else; those that count from the due instant do not drift.
 */
import { plus } from 'carillon'
import { ChoreStand } from '../ChoreStand.js'
import { conductOne, simpleChore } from '../simpleChore.js'
import { done, type ChoreDefinition, type ChoreEngine } from '../../engine/index.js'

const hour = 3_600
const month = 30 * 24 * hour
/** When the process dies, and when the next one starts. */
const outage = { from: 10 * 24 * hour, until: 10 * 24 * hour + 5 * hour }

const intervalOf = (place: number): number => (6 + (place % 715)) * hour
const countFromOf = (place: number): 'fire' | 'due' => (place % 2 === 0 ? 'fire' : 'due')

const choreAt = (engine: ChoreEngine, place: number): ChoreDefinition =>
  simpleChore(
    `chore-${place}`,
    // One in ten has a task and a poll; the others are done at their first tick.
    place % 10 === 0 ? conductOne(engine, 'work', () => done) : () => done,
    { defaultIntervalSeconds: intervalOf(place), countFrom: countFromOf(place) },
  )

/** What the rule implies for a chore that was enabled at second 0. */
export const expectedOf = (place: number): { readonly runs: number; readonly nextSeconds: number } => {
  const interval = intervalOf(place)
  let runs = 0
  let due = interval
  while (due <= month) {
    const firedAt = due > outage.from && due < outage.until ? outage.until : due
    runs += 1
    if (countFromOf(place) === 'fire') due = firedAt + interval
    else
      do due += interval
      while (due <= firedAt)
  }
  return { runs, nextSeconds: due }
}

export type LoadReport = {
  readonly chores: number
  readonly runs: number
  readonly wrong: readonly string[]
  readonly events: number
  readonly seconds: number
}

export const runChoreLoad = async (count: number): Promise<LoadReport> => {
  const startedMs = performance.now()
  const places = Array.from({ length: count }, (_, place) => place)
  const stand = await ChoreStand.open({
    development: false,
    chores: (engine) => {
      for (const place of places) engine.registerChore(choreAt(engine, place))
    },
  })
  const begun = stand.now
  await Promise.all(places.map((place) => stand.engine.control(`chore-${place}`, { verb: 'enable' })))
  await stand.advanceTo(plus(begun, { seconds: outage.from }))
  await stand.restart({ seconds: outage.until - outage.from })
  await stand.advanceTo(plus(begun, { seconds: month }))
  // A run that began with the month's last second still has its poll to make.
  await stand.advance({ minutes: 1 })

  const wrong: string[] = []
  let runs = 0
  const statuses = new Map((await stand.engine.getAllStatuses()).map((status) => [status.choreId, status]))
  for (const place of places) {
    const status = statuses.get(`chore-${place}`)
    const expected = expectedOf(place)
    const next = plus(begun, { seconds: expected.nextSeconds })
    runs += status?.totalRunCount ?? 0
    if (status?.totalSuccessCount !== expected.runs || status.nextScheduledRunAt !== next)
      wrong.push(
        `chore-${place}: ${status?.totalSuccessCount ?? 0} runs instead of ${expected.runs}, next ${status?.nextScheduledRunAt ?? 'none'} instead of ${next}`,
      )
  }
  const events = stand.node.head.revision + 1
  await stand.stop()
  return { chores: count, runs, wrong, events, seconds: (performance.now() - startedMs) / 1000 }
}
