/** A recorded log that is changed in any one attempt is no longer what the model predicts. */
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { DomainEvent, EventOf } from '../log/events.js'
import { openReplaySource } from '../testing/replay/openReplaySource.js'
import { readLoggedTick } from '../testing/model/readLoggedTick.js'
import { instantFromMillis, toMillis } from '../time/Instant.js'
import { checkTick } from './checkTick.js'
import type { LoggedTick } from './LoggedTick.js'
import { agendaLimits } from '../agenda/limits.js'
import { engineLimits } from '../engine/limits.js'
import { vaultLimits } from '../vault/limits.js'
import { emptyModel } from './Model.js'

const folder = join(import.meta.dirname, '../../test/replay/0.1.0')

type Start = EventOf<'FlowStarted'>
type Place = { readonly tick: number; readonly index: number }

/** What may be wrong with a start; each gives the events that stand in its place. */
const changes: Readonly<Record<string, (start: Start) => readonly DomainEvent[]>> = {
  'is recorded twice': (start) => [start, start],
  'is not recorded': () => [],
  'has another flow id': (start) => [
    { ...start, flow: start.flow.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
  ],
  'names another flow': (start) => [{ ...start, name: `${start.name}2` }],
  'has another input': (start) => [{ ...start, input: 'another' }],
  ...Object.fromEntries(
    (['attempt', 'latenessMs'] as const).map((field) => [
      `has another ${field}`,
      (start: Start) =>
        start.origin.kind === 'activity'
          ? [{ ...start, origin: { ...start.origin, [field]: start.origin[field] + 1 } }]
          : [],
    ]),
  ),
  'has another due instant': (start) =>
    start.origin.kind === 'activity'
      ? [{ ...start, origin: { ...start.origin, due: instantFromMillis(toMillis(start.origin.due) + 1) } }]
      : [],
}

const readTicks = async (file: string): Promise<readonly LoggedTick[]> => {
  const ticks: LoggedTick[] = []
  for await (const tick of openReplaySource(join(folder, file))) ticks.push(readLoggedTick(tick))
  return ticks
}

const startsIn = (ticks: readonly LoggedTick[]): readonly Place[] =>
  ticks.flatMap(({ events }, tick) =>
    events.flatMap((event, index) =>
      event.type === 'FlowStarted' && event.origin.kind === 'activity' ? [{ tick, index }] : [],
    ),
  )

/** Whether the model finds something before the log ends. */
const isFound = (ticks: readonly LoggedTick[]): boolean => {
  const model = emptyModel({ ...engineLimits, ...agendaLimits, ...vaultLimits })
  return ticks.some((tick) => checkTick(model, tick).length > 0)
}

describe('A log in which one start of an activity', () => {
  let logs: readonly (readonly LoggedTick[])[]

  before(async () => {
    logs = await Promise.all(['heartbeat/heartbeat.ndjson', 'recurring-tasks/recurring-tasks.ndjson'].map(readTicks))
  })

  for (const [what, change] of Object.entries(changes))
    it(`${what} is found out`, () => {
      fc.assert(
        fc.property(fc.nat(), fc.nat(), (whichLog, whichStart) => {
          const ticks = logs[whichLog % logs.length] ?? []
          const starts = startsIn(ticks)
          const place = starts[whichStart % starts.length]
          expect(place).not.to.equal(undefined)
          const changed = ticks.map((tick, number) =>
            number === place?.tick
              ? {
                  ...tick,
                  events: tick.events.flatMap((event, index) =>
                    index === place.index && event.type === 'FlowStarted' ? change(event) : [event],
                  ),
                }
              : tick,
          )
          expect(isFound(changed)).to.equal(true)
        }),
        { numRuns: 20 },
      )
    })

  it('is as it was recorded is what the model predicts', () => {
    expect(logs.map(isFound)).to.deep.equal([false, false])
  })
})
